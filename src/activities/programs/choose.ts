import type { JsonObject } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import type { Template } from '../../plan/values/expression.js';
import type { Plan } from '../../plan/plan.js';
import type { ProgramChoice, ProgramName, ProgramSettings } from '../../plan/agents/program.js';
import type { AgentPlace } from '../../plan/players.js';
import { agentSteps } from '../../plan/players.js';
import {
  PROGRAMS,
  isOpenToPrograms,
  isProgram,
  programKey,
  unlimitable,
  writtenModel,
} from '../../plan/agents/program.js';
import { ownTools, unheld } from '../../plan/agents/program-access.js';
import type { Agent } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { findOnPath } from '../../store/processes/find-on-path.js';
import { outsidePath } from '../../store/processes/search-path.js';
import type { ModelOptions } from '../../plan/agents/model-names.js';
import { SHORT_NAMES, wantedModel } from '../../plan/agents/model-names.js';
import type { PriceOptions } from '../models/choice/with-price.js';
import { withPrice } from '../models/choice/with-price.js';
import { programFor } from './heuristics.js';
import { PROGRAM } from './programs.js';

/** Tokens that are reserved for the answers of one call: as of a single answer of a Claude model. */
const RESERVED_TOKENS = 32_000;

export interface ChoosePrograms {
  plan: Plan;
  /** Long texts of the Plan, and the run's input, where they are at hand: what the task is. */
  texts?: ReadonlyMap<Hash, string> | undefined;
  input?: JsonObject | undefined;
  env: Record<string, string | undefined>;
  options: ModelOptions & PriceOptions;
  /**
   * Who plays agents that name neither a program nor a provider: a program (`agents.default`), whichever fits the task
   * best (`installed`), or a model provider (null).
   */
  usual: ProgramName | 'installed' | null;
  /** The session whose program `usual` is; absent: it is `agents.default`. */
  session?: string | undefined;
}

/** The programs of a run, or why there are none: what to install. Settings are undefined where no program plays. */
export type ChosenPrograms = { programs: ProgramSettings | undefined } | { failure: string };

/** Settles, when a run starts, which agents are played by programs. A program that is named must be installed. */
export function choosePrograms(options: ChoosePrograms): ChosenPrograms {
  const installed = installedPrograms(options.env);
  const fallback = options.usual === 'installed' ? programFor([], installed) : options.usual;
  const choices: ProgramSettings['choices'] = {};
  const steps: Record<string, ProgramName> = {};
  for (const place of agentSteps(options.plan)) {
    const player = playerOf(place, options, installed);
    if (player === null) continue;
    if ('failure' in player) return player;
    const { program, isNamed } = player;
    if (!isNamed && program !== fallback) steps[place.address] = program;
    for (const name of ['', writtenModel(place.step, place.agent)])
      choices[programKey(program, name)] ??= choiceOf(program, name, isNamed, options);
  }
  if (Object.keys(choices).length === 0) return { programs: undefined };
  return {
    programs: {
      choices,
      ...(fallback === null ? {} : { usual: fallback }),
      ...(Object.keys(steps).length === 0 ? {} : { steps }),
    },
  };
}

/** The program that an agent names, or that is chosen for its step; null where a model provider plays it. */
function playerOf(
  place: AgentPlace,
  options: ChoosePrograms,
  installed: ReadonlySet<ProgramName>,
): { program: ProgramName; isNamed: boolean } | { failure: string } | null {
  const { step, agent } = place;
  const named = agent?.program ?? null;
  const program = named ?? (isOpenToPrograms(step, agent) ? preferred(place, options, installed) : null);
  if (program === null) return null;
  if (!isProgram(program))
    return {
      failure:
        `The agent \`${agent?.name ?? ''}\` names the program \`${program}\`: expected one of ` +
        `${PROGRAMS.map((name) => `\`${name}\``).join(', ')}.`,
    };
  const fault = agent === undefined ? null : faultOf(program, agent);
  if (fault !== null) return { failure: fault };
  return installed.has(program)
    ? { program, isNamed: named !== null }
    : { failure: missing(program, named === null ? usualFrom(options) : `The agent \`${agent?.name ?? ''}\``) };
}

/**
 * Why a program cannot play an agent: it would do without a tool of the agent's, or have one that the agent does not
 * get.
 */
function faultOf(program: ProgramName, agent: Agent): string | null {
  const [lacking] = ownTools(agent);
  if (lacking !== undefined)
    return (
      `\`${program}\` cannot play the agent \`${agent.name}\`: it has no \`${lacking}\`. Give the agent a model ` +
      `of a provider (\`model: anthropic:sonnet\`).`
    );
  const limited = unlimitable(program, agent);
  if (limited !== null) return limited;
  const held = unheld(program, agent);
  return held === null
    ? null
    : `\`${program}\` cannot play the agent \`${agent.name}\`: \`${held}\` of its \`disallowed_tools\` cannot be ` +
        `taken from it. Give the agent a model of a provider, or \`agent: claude\`.`;
}

export function installedPrograms(env: Record<string, string | undefined>): ReadonlySet<ProgramName> {
  return new Set(PROGRAMS.filter((name) => findOnPath(name, outsidePath(env['PATH'], null)) !== null));
}

function preferred(
  { step, agent }: AgentPlace,
  { usual, texts, input }: ChoosePrograms,
  installed: ReadonlySet<ProgramName>,
): ProgramName | null {
  if (usual !== 'installed') return usual;
  const read = (template: Template | null): string => (template === null ? '' : wordsIn(template, { texts, input }));
  const task = [read(step.prompt), ...Object.values(step.inputs).map(read)].join('\n');
  return programFor(
    [task, `${agent?.name ?? ''}\n${agent?.description ?? ''}\n${read(agent?.prompt ?? null)}`],
    installed,
  );
}

/** What is known of a text before the run: its literal parts, and what the run was given. */
function wordsIn(template: Template, known: Pick<ChoosePrograms, 'texts' | 'input'>): string {
  switch (template.kind) {
    case 'literal':
      return toText(template.value);
    case 'text':
      return template.parts
        .map((part) => {
          if (typeof part === 'string') return part;
          return 'expression' in part
            ? wordsIn({ kind: 'expression', expression: part.expression }, known)
            : (known.texts?.get(part.text) ?? '');
        })
        .join('');
    case 'expression': {
      const { expression } = template;
      const name =
        expression.kind === 'reference' && expression.path.length === 0 && expression.root.startsWith('input:')
          ? expression.root.slice('input:'.length)
          : null;
      return name !== null && known.input !== undefined && Object.hasOwn(known.input, name)
        ? toText(known.input[name])
        : '';
    }
    case 'list':
      return template.items.map((item) => wordsIn(item, known)).join('\n');
    case 'map':
      return Object.values(template.entries)
        .map((entry) => wordsIn(entry, known))
        .join('\n');
  }
}

/**
 * Names of models that each program has; an agent's model that is none of its own is no choice for a program that was
 * chosen for it.
 */
const OWN_MODELS: Record<ProgramName, RegExp> = {
  claude: new RegExp(`^(${['claude', ...SHORT_NAMES].join('|')})`),
  codex: /^(gpt|chatgpt|codex|o\d)/,
  gemini: /^gemini/,
};
/**
 * Whose prices its models have. Of those beside Claude's none is in the table, and what is cached costs no more than
 * what is not.
 */
const PRICED_AS = { claude: 'anthropic', codex: 'openai', gemini: 'openai' } as const;

function choiceOf(
  program: ProgramName,
  written: string,
  isNamed: boolean,
  { options, env }: ChoosePrograms,
): ProgramChoice {
  const name = written.replace(/^(anthropic|openai|google|gemini):/, '');
  const wanted = name === '' || name.startsWith('default:') ? '' : wantedModel(name, options, env);
  const model = wanted !== '' && (isNamed || OWN_MODELS[program].test(wanted)) ? wanted : null;
  const { price, assumed } = withPrice({ provider: PRICED_AS[program], model: model ?? '' }, options);
  // only one's own machine has none
  if (price === undefined || price === null) throw new Error(`Expected a price for \`${program}\``);
  return { program, model, price, ...(assumed === true ? { assumed } : {}), max_tokens: RESERVED_TOKENS };
}

function usualFrom({ session }: ChoosePrograms): string {
  return session === undefined ? '`agents.default` in perdure.yml' : `The session \`${session}\``;
}

function missing(program: ProgramName, who: string): string {
  return (
    `${who} needs the program \`${program}\`, which is not on the PATH: install it with ` +
    `\`${PROGRAM[program].install}\`, or run with --rehearse.`
  );
}
