import { DEFAULT_MODEL } from '../../plan/agents/model-names.js';
import type { Template } from '../../plan/values/expression.js';
import type { Agent, StepBase } from '../../plan/step.js';
import type { Text } from '../../plan/values/value.js';
import type { CompiledAgent } from '../agents/compile-agent.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import { agentInputs } from '../agents/compile-agent.js';
import { agentPolicy } from '../steps/agent.js';
import type { Shared } from '../workflow/compile-workflow.js';
import type { AgentCall, Definition, Entry, Name, Quoted } from '../formats/flow/ast.js';
import { literalText } from '../formats/flow/instruction.js';
import { hashOf, keepText } from '../hash.js';
import { didYouMean, nearest, meansPerhaps } from '../problems/did-you-mean.js';
import { isBuiltInName, isTaken } from '../project/resolve.js';
import type { Place, Report } from '../problems/problem.js';
import { ownOf } from '../../plan/values/own.js';

/** Keys of an agent that a flow defines. */
export const ROLE_KEYS = ['base', 'prompt', 'model', 'description', 'focus', 'constraints', 'tools', 'output_format'];

/** An agent that a flow defines, as its other parts use it. */
export interface Role {
  name: string;
  base: string;
  prompt: string;
  model: string;
  tools: string[] | null;
  /** Where they are named. */
  toolsAt: Place;
  description: string | null;
  /** Where its base is named. */
  at: Place;
}

/** The agents that a flow defines, by name. What is wrong with a definition is reported. */
export function readRoles(definitions: Definition[], report: Report): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const definition of definitions) {
    const { name } = definition;
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name.text)) {
      report({
        code: 'invalid-name',
        at: name.at,
        message:
          `Expected a name: a letter, then letters, digits, \`-\` or \`_\`, at most 63; got ` +
          `\`${name.text.slice(0, 40)}\`.`,
      });
    }
    if (isBuiltInName(name.text))
      report({
        code: 'reserved-name',
        at: name.at,
        message: `A temporary agent may not take the name of the built-in agent \`${name.text}\`.`,
        suggestion: 'give it another name',
      });
    const role = readRole(definition, report);
    if (roles.has(name.text)) {
      report({
        code: 'duplicate-name',
        at: name.at,
        message: `The agent \`$${name.text}\` is defined already.`,
        suggestion: 'give each definition its own name',
      });
    } else roles.set(name.text, role);
  }
  return roles;
}

function readRole({ name, entries }: Definition, report: Report): Role {
  const known = knownEntries(entries, report);
  const list = (key: string): string[] => textsOf(known.get(key)).map(({ raw }) => literalText(raw));
  const text = (key: string): string | null => {
    const { value, faulty } = known.get(key) ?? {};
    if (faulty === true) return null;
    if (!Array.isArray(value)) return value === undefined ? null : literalText(value.raw);
    report({
      code: 'invalid-value',
      at: value[0]?.at ?? name.at,
      message: `Expected one text for \`${key}\`, got a list.`,
    });
    return null;
  };
  const [base, prompt, format] = [text('base'), text('prompt'), text('output_format')];
  checkFilled({ base, prompt }, known, name, report);
  const sections = [
    prompt ?? '',
    bullets('Focus', list('focus')),
    bullets('Constraints', list('constraints')),
    format === null ? '' : `Output format: ${format}`,
  ];
  const tools = list('tools')
    .flatMap((one) => one.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return {
    name: name.text,
    base: base ?? '',
    prompt: sections.filter((section) => section !== '').join('\n\n'),
    model: text('model') ?? DEFAULT_MODEL,
    tools: known.has('tools') ? tools : null,
    toolsAt: textsOf(known.get('tools'))[0]?.at ?? name.at,
    description: text('description'),
    at: textsOf(known.get('base'))[0]?.at ?? name.at,
  };
}

function knownEntries(entries: Entry[], report: Report): Map<string, Entry> {
  const known = new Map<string, Entry>();
  for (const entry of entries) {
    const { key } = entry;
    if (known.has(key.text))
      report({
        code: 'duplicate-key',
        at: key.at,
        message: `The key \`${key.text}\` is written twice in this definition.`,
      });
    else if (ROLE_KEYS.includes(key.text)) known.set(key.text, entry);
    else takeNear(entry, { entries, known, report });
  }
  return known;
}

/** A key that nothing reads. One that is nearly a key which is not there is taken for it, so that it is told once. */
function takeNear(
  entry: Entry,
  { entries, known, report }: { entries: Entry[]; known: Map<string, Entry>; report: Report },
): void {
  const { key } = entry;
  const absent = ROLE_KEYS.filter((one) => !entries.some((other) => other.key.text === one));
  const meant = nearest(key.text, absent);
  if (meant !== null) known.set(meant, entry);
  report({
    code: 'unknown-key',
    at: key.at,
    message: `There is no key \`${key.text.slice(0, 40)}\` here.`,
    suggestion: meant === null ? `there are ${ROLE_KEYS.map((one) => `\`${one}\``).join(', ')}` : meansPerhaps(meant),
  });
}

/** A definition wants a base and a prompt, and both say something. */
function checkFilled(
  texts: Record<string, string | null>,
  known: Map<string, Entry>,
  name: Name,
  report: Report,
): void {
  for (const [key, text] of Object.entries(texts)) {
    if (!known.has(key))
      report({
        code: 'missing-key',
        at: name.at,
        message: `Expected \`${key}\` in the definition of \`$${name.text}\`.`,
        suggestion: ownOf(EXAMPLE, key) ?? null,
      });
    else if (text?.trim() === '')
      report({
        code: 'invalid-value',
        at: textsOf(known.get(key))[0]?.at ?? name.at,
        message: `Expected a text for \`${key}\` that is not empty.`,
      });
  }
}

function textsOf(entry: Entry | undefined): Quoted[] {
  if (entry === undefined) return [];
  return Array.isArray(entry.value) ? entry.value : [entry.value];
}

const EXAMPLE: Record<string, string> = {
  base: 'add `base: "general-purpose"`',
  prompt: 'add `prompt: "…"`: what this agent is',
};

function bullets(title: string, items: string[]): string {
  return items.length === 0 ? '' : `${title}:\n${items.map((item) => `- ${item}`).join('\n')}`;
}

/** Who does a step: an agent of the flow on its base, or one from a file. */
export interface Actor {
  name: string;
  definition: AgentDefinition;
  role: Role | null;
  at: Place;
}

/** Gives the actors of a flow's calls; each agent is found once. */
export interface Cast {
  /** Null when there is no such agent, which is reported at the end. */
  actorOf: (call: AgentCall) => Actor | null;
  /** Looks up the bases of roles that nothing calls, so that all problems are found at once. */
  checkRoles: () => void;
  /** Reports the agents that are nowhere, all in one problem. */
  reportMissing: () => void;
}

interface Finding {
  roles: Map<string, Role>;
  file: string;
  shared: Pick<Shared, 'findAgent' | 'lookUpAgent'>;
  report: Report;
}

/** Finds who does each step: a definition of the flow, else a file, a built-in agent, one in `temp-agents/`. */
export function createCast({ roles, file, shared, report }: Finding): Cast {
  const from = { file };
  const bases = new Map<string, AgentDefinition | null>();
  const missing = new Map<string, Missing>();

  const find = (name: string, at: Place): AgentDefinition | null => {
    const found = shared.lookUpAgent(name, from);
    if (isTaken(found)) return shared.findAgent(name, from, at);
    if (!missing.has(name)) missing.set(name, { ...found, name, at });
    return null;
  };

  const baseOf = (role: Role): AgentDefinition | null => {
    const known = bases.get(role.name);
    if (known !== undefined) return known;
    const found = role.base.trim() === '' ? null : find(role.base, role.at);
    bases.set(role.name, found);
    return found;
  };

  const actorOf = ({ name, temporary }: AgentCall): Actor | null => {
    const known = isTaken(shared.lookUpAgent(name.text, from));
    const role = roles.get(name.text);
    if (role !== undefined && (temporary || !known)) {
      const definition = baseOf(role);
      return definition && { name: name.text, definition, role, at: name.at };
    }
    if (temporary && !known) {
      const names = [...roles.keys()];
      const listed = names
        .slice(0, 8)
        .map((one) => `\`$${one}\``)
        .join(', ');
      const message =
        `There is no temporary agent ` +
        `\`$${name.text}\`${listed === '' ? '' : `; there are ${listed}${names.length > 8 ? ' …' : ''}`}.`;
      const near = didYouMean(name.text, names);
      report({
        code: 'unknown-agent',
        at: name.at,
        message,
        suggestion: near ?? `define it: \`$${name.text} := {base: "general-purpose", prompt: "…"}\``,
      });
      return null;
    }
    const definition = find(name.text, name.at);
    return definition && { name: definition.name, definition, role: null, at: name.at };
  };

  return {
    actorOf,
    checkRoles: () => [...roles.values()].forEach(baseOf),
    reportMissing: () => reportNowhere([...missing.values()], report),
  };
}

/** An agent that is nowhere. */
interface Missing {
  name: string;
  at: Place;
  /** That it is not there, in words. */
  missing: string;
  suggestion: string | null;
}

/** One problem, however many agents are not there: most likely they are all in one folder elsewhere. */
function reportNowhere(all: Missing[], report: Report): void {
  const [first] = all;
  if (first === undefined) return;
  if (all.length === 1)
    return report({ code: 'unknown-agent', at: first.at, message: first.missing, suggestion: first.suggestion });
  const named = all.map(({ name, suggestion }) => {
    const near = /^did you mean (`.*`)\?$/.exec(suggestion ?? '')?.[1];
    return near === undefined ? `\`${name}\`` : `\`${name}\` (${near}?)`;
  });
  report({
    code: 'unknown-agent',
    at: first.at,
    message: `There are no agents ${named.slice(0, 20).join(', ')}${named.length > 20 ? ' …' : ''}.`,
    suggestion:
      'copy their files to `definitions/agents/` or `.claude/agents/` of this project, or define each in the flow: ' +
      `\`$${first.name} := {base: "general-purpose", prompt: "…"}\`, called as \`$${first.name}:"…"\``,
  });
}

/** What an actor is given by its step, and what it is told beside its instruction. */
export interface Part {
  inputs: Record<string, Template>;
  verdict: string | null;
}

/** The agent of a Plan that plays the part: on a role, its base's prompt and the role's below it. */
export function agentFor(
  { definition, role, at }: Actor,
  { inputs, verdict }: Part,
  { compileAgent, texts, report }: Pick<Shared, 'compileAgent' | 'texts' | 'report'>,
): CompiledAgent {
  for (const [name, spec] of Object.entries(agentInputs(definition, { texts, report }))) {
    if (Object.hasOwn(inputs, name) || spec.default !== undefined || !spec.required) continue;
    report({
      code: 'missing-input',
      at,
      message: `Agent \`${definition.name}\` needs the input \`${name}\`, which a flow cannot give.`,
      suggestion: 'use it in a workflow, or give the input a default',
    });
  }
  const compiled = compileAgent(definition, Object.keys(inputs), settingOf(role));
  if (role === null && verdict === null) return compiled;
  const below = [role?.prompt ?? null, verdict]
    .filter((text) => text !== null)
    .map((text) => keepText(`\n\n${text}`, texts));
  const prompt = withTexts(compiled.agent.prompt, below);
  const own =
    role === null
      ? {}
      : {
          temporary: true as const,
          name: role.name,
          model: role.model,
          description: role.description ?? compiled.agent.description,
          ...(role.tools === null ? {} : { tools: role.tools }),
        };
  const agent: Agent = { ...compiled.agent, ...own, prompt };
  const hash = hashOf(agent);
  return { hash, agent, reached: { ...compiled.reached, [hash]: agent } };
}

function settingOf(role: Role | null): Parameters<Shared['compileAgent']>[2] {
  return role?.tools == null ? {} : { tools: role.tools, toolsAt: role.toolsAt };
}

function withTexts(template: Template, texts: Text[]): Template {
  switch (template.kind) {
    case 'literal':
      return { kind: 'text', parts: [String(template.value), ...texts] };
    case 'text':
      return { kind: 'text', parts: [...template.parts, ...texts] };
    case 'expression':
      return { kind: 'text', parts: [{ expression: template.expression }, ...texts] };
    default:
      throw new Error('The prompt of an agent is a text.');
  }
}

/** Limits of one try, and how often it is tried: what the agent itself says. */
export function policyFor({ definition }: Actor): Pick<StepBase, 'timeout_ms' | 'retry' | 'effect'> {
  return agentPolicy(definition);
}
