import type { Agent, InputSpec } from '../../plan/step.js';
import { USUAL_AGENT_DEPTH } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { AgentSetting, AgentUses, ToolSource } from './agent-uses.js';
import { permissionsOfProgram, skillsOf, usesOfAgent } from './agent-uses.js';
import { hooksOf } from './hooks.js';
import { skillText } from './skills.js';
import { toolsOf } from '../formats/agent/agent.js';
import { splitTools } from '../formats/agent/agent-tools.js';
import type { Texts } from '../hash.js';
import { hashOf } from '../hash.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { AuthoredInputs } from '../formats/values.js';
import { declaredInputs } from '../inputs/inputs.js';
import { memberOf, placesIn } from '../text/node.js';
import type { Kept, Place, Report } from '../problems/problem.js';
import { takeKept } from '../problems/problem.js';
import type { Part } from '../expressions/template.js';
import { isTemporaryAgent } from '../project/resolve.js';
import { ofParts, parseText } from '../expressions/template.js';
import { targetOf, usesOf } from '../expressions/references.js';
import type { AgentDefinition } from './agent-definition.js';

const DEFAULT_OUTPUT_KB = 100;
const DEFAULT_TURNS = 20;

/** Gives an agent as a step with certain inputs uses it; what many steps share is made once. */
export type AgentCompiler = (definition: AgentDefinition, given: string[], setting?: AgentSetting) => CompiledAgent;

/** An agent of a Plan, with all that it can reach, itself included. */
export interface CompiledAgent {
  hash: Hash;
  agent: Agent;
  reached: Record<Hash, Agent>;
}

/** Finds the agent that another one names as its base; null where there is none, which is reported. */
export type FindBase = (name: string, from: AgentDefinition, at: Place) => AgentDefinition | null;

/** Compiles agents for steps, each once for the same set of inputs that the steps give it. */
export function createAgentCompiler(source: ToolSource, findBase: FindBase): AgentCompiler {
  const made = new Map<AgentDefinition, Map<string, Kept<CompiledAgent>>>();
  const calling: AgentDefinition[] = [];

  const compile: AgentCompiler = (definition, given, setting = {}) => {
    const uses = made.get(definition) ?? new Map<string, Kept<CompiledAgent>>();
    made.set(definition, uses);
    const { agents, toolsAt, ...said } = setting;
    const { depth } = said;
    const key = `${calling.length} ${toolsAt?.start ?? ''} ${[...given].sort().join(' ')} ${canonicalJson(said)}`;
    return takeKept(
      uses,
      key,
      () => {
        const based = onBase(definition, findBase);
        calling.push(definition);
        const used = usesOfAgent(based, setting, source, (other) => callable(other, setting));
        calling.pop();
        const about = { used, depth, verbatim: agents !== undefined };
        const { hash, agent } = compileAgent(based, new Set(given), about, source);
        return { hash, agent, reached: { ...used?.reached, [hash]: agent } };
      },
      source,
    );
  };

  /**
   * An agent as a tool. One that calls itself, also through others, is in the Plan once for each level of calls; null
   * below the level whose calls are refused: what stands there never runs.
   */
  const callable = (
    other: AgentDefinition,
    { tools: _own, toolsAt: _at, ...setting }: AgentSetting,
  ): CompiledAgent | null =>
    calling.length > (setting.depth ?? USUAL_AGENT_DEPTH) ? null : compile(other, [], setting);

  return compile;
}

/** An agent that names no tools with those of its base, and with what limits them there. */
function onBase(definition: AgentDefinition, findBase: FindBase, below: string[] = []): AgentDefinition {
  const { authored, node, file } = definition;
  if (authored.base === undefined || authored.tools !== undefined || below.includes(file)) return definition;
  const found = findBase(authored.base, definition, memberOf(node, 'base') ?? node);
  if (found === null) return definition;
  const { tools, mcp, disallowed_tools, permissions } = onBase(found, findBase, [...below, file]).authored;
  const given = Object.entries({ tools, mcp, disallowed_tools, permissions }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...definition, authored: { ...Object.fromEntries(given), ...authored } };
}

/**
 * An agent as one step uses it: in its prompt, `${name}` is an input that the step gives; other names stay as they are.
 * Agents of a project are given no inputs: their instructions are text (`verbatim`).
 */
function compileAgent(
  definition: AgentDefinition,
  given: Set<string>,
  { used, depth, verbatim }: { used: AgentUses | null; depth: number | undefined; verbatim: boolean },
  source: ToolSource,
): { hash: Hash; agent: Agent } {
  const { texts, report } = source;
  const { authored, name } = definition;
  const disallowed = splitTools(authored.disallowed_tools);
  const skills = skillsOf(definition, source);
  const instruction = verbatim ? [authored.prompt] : promptParts(definition, given, report);
  const agent: Agent = {
    name,
    description: authored.description ?? null,
    prompt: ofParts([...instruction, ...skills.map(skillText)], texts),
    model: authored.model ?? null,
    program: authored.agent ?? null,
    tools: toolsOf(authored),
    ...(disallowed.length === 0 ? {} : { disallowed }),
    inputs: agentInputs(definition, { texts, report }),
    max_output_kb: authored.max_output_kb ?? DEFAULT_OUTPUT_KB,
    max_turns: authored.max_turns ?? DEFAULT_TURNS,
    ...(isTemporaryAgent(definition.file) ? { temporary: true as const } : {}),
    ...(used === null ? permissionsOfProgram(definition, source) : { uses: used.uses, permissions: used.permissions }),
    ...(authored.effort === undefined ? {} : { effort: authored.effort }),
    ...(authored.toolsets === undefined ? {} : { toolsets: authored.toolsets }),
    ...(authored.compatible_models === undefined ? {} : { compatible_models: authored.compatible_models }),
    ...(depth === undefined || used === null ? {} : { max_depth: depth }),
    ...hooksOf(definition, used, source),
  };
  return { hash: hashOf(agent), agent };
}

/** The declared inputs of an agent definition. */
export function agentInputs(
  { authored, node, file }: AgentDefinition,
  { texts, report }: { texts: Texts; report: Report },
): Record<string, InputSpec> {
  const declared = isOfGlee(file) ? unlessRequired(authored.inputs) : authored.inputs;
  return declaredInputs(declared, memberOf(node, 'inputs'), texts, report);
}

/** An agent of Glee must be given an input where it says so, and no other. */
function unlessRequired(inputs: AuthoredInputs | undefined): AuthoredInputs | undefined {
  return (
    inputs && Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, { required: false, ...spec }]))
  );
}

function isOfGlee(file: string): boolean {
  return /\/\.glee\/agents\/[^/]+$/.test(file);
}

/** Prompts of agents hold shell and code examples: what is no input of theirs is text, with a warning. */
function promptParts({ authored, node, name }: AgentDefinition, given: Set<string>, report: Report): Part[] {
  const prompt = memberOf(node, 'prompt') ?? node;
  const placeOf = placesIn(prompt);
  const warn = (start: number, length: number, message: string): void => {
    report({
      code: 'unknown-variable',
      severity: 'warning',
      at: placeOf(start, length),
      message,
      suggestion: 'write `\\${` where no input is meant',
    });
  };
  const unknown = new Map<string, { start: number; length: number }>();
  const parts = parseText(
    authored.prompt,
    {
      operators: false,
      resolve: ({ path, source, start, length }) => {
        const [first, ...rest] = path;
        if (!given.has(first)) unknown.set(`input:${first}`, { start, length });
        return { kind: 'reference', root: `input:${first}`, path: rest, source };
      },
    },
    ({ start, length, message }) => {
      warn(start, length, `${message.replace(/\.$/, '')}; the text stays as it is.`);
      return null;
    },
  );
  return joinTexts(
    parts.map((part) => {
      if (typeof part === 'string') return part;
      if (part.expression === null) return part.source;
      const lost = usesOf([{ kind: 'expression', expression: part.expression }]).find(
        ({ root, guarded }) => !guarded && unknown.has(root),
      );
      if (lost === undefined) return part;
      const { start, length } = unknown.get(lost.root) ?? { start: 0, length: 1 };
      const target = targetOf(lost.root);
      warn(
        start,
        length,
        `Agent \`${name}\` is given no input \`${'name' in target ? target.name : ''}\`; the text stays as it is.`,
      );
      return part.source;
    }),
  );
}

function joinTexts(parts: Part[]): Part[] {
  const joined: Part[] = [];
  let text: string[] = [];
  const flush = (): void => {
    if (text.length > 0) joined.push(text.join(''));
    text = [];
  };
  for (const part of parts) {
    if (typeof part === 'string') text.push(part);
    else {
      flush();
      joined.push(part);
    }
  }
  flush();
  return joined;
}
