import type { Json, JsonObject } from '../../plan/json.js';
import { packPlan } from '../../plan/pack.js';
import type { Budgets, Plan } from '../../plan/plan.js';
import type { RunInput, RunSettings } from '../../plan/run-input.js';
import { UNLIMITED } from '../../plan/run-input.js';
import type { Hash, Value } from '../../plan/value.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/temporal-link.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { Workspace } from '../session.js';
import { ProblemsError } from '../session.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { settleLimits, unenforcedNote } from './limits.js';

export interface Compiled {
  plan: Plan;
  texts: Map<Hash, string>;
}

/** Compiles a definition. Warnings are told; a problem is an error that prints them all. */
export async function compile(file: string, workspace: Workspace, terminal: Terminal): Promise<Compiled> {
  const { compileDefinition } = await import('../../compiler/compile.js');
  const { plan, texts, problems, sources } = compileDefinition({ file, cwd: terminal.cwd, ...workspace });
  if (plan === null) throw new ProblemsError(problems, sources, 1);
  if (problems.length > 0) {
    const { printProblems } = await import('../../compiler/print-problems.js');
    tell(terminal, printProblems(problems, sources, { files: 1, color: terminal.palette.colored }).trimEnd());
  }
  return { plan, texts };
}

/** What a person chose for a run, beside its definition and input. */
export interface RunChoices {
  rehearse: boolean;
  by: string;
  gates: RunSettings['gates'];
  limits: Budgets;
}

/**
 * What holds for the whole tree of runs. Throws with exit code 3 when a model is needed and no provider is there;
 * nothing has been started then.
 */
export async function settle(plan: Plan, choices: RunChoices, workspace: Workspace, terminal: Terminal): Promise<RunSettings> {
  const { chooseModels } = await import('../../activities/models/choose.js');
  const { config, project } = workspace;
  const chosen = await chooseModels({ plan, options: config.models ?? {}, env: terminal.env, rehearse: choices.rehearse });
  if ('failure' in chosen) throw new CliError(chosen.failure, EXIT.unavailable);
  const set = [choices.limits, plan.budgets, config.workflows?.budgets];
  const note = unenforcedNote(...set);
  if (note !== null) tell(terminal, note);
  return {
    models: chosen.models,
    rehearsal: choices.rehearse,
    submitted_by: choices.by,
    gates: choices.gates,
    search_attributes: false,
    budget: settleLimits(...set),
    workspace: project.root,
  };
}

/** Puts what the run refers to into the store: long texts, the Plan, and input values that are too big for history (I6). */
export async function storePlan({ plan, texts }: Compiled, input: JsonObject, store: Store): Promise<Record<string, Value>> {
  await Promise.all([...texts.values()].map((text) => store.putAlways(text)));
  await store.putPlan(plan);
  const values: [string, Value][] = [];
  for (const [name, value] of Object.entries(input)) values.push([name, await store.put(value satisfies Json)]);
  return Object.fromEntries(values);
}

/** The one argument of the interpreter. */
export function toRunInput(plan: Plan, input: Record<string, Value>, settings: RunSettings, link: TemporalLink): RunInput {
  return { plan: packPlan(plan), input, root: null, path: '', lease: UNLIMITED, settings: { ...settings, search_attributes: link.searchAttributes }, carried: null };
}
