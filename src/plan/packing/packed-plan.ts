import { canonicalJson } from '../values/json.js';
import type { Plan, PlanBody } from '../plan.js';
import { lengthenText, shortenText } from './lz-text.js';
import type { Block, Step } from '../step.js';
import type { StepKind } from '../names.js';

/** What a field is when a packed step does not say it. */
const COMMON = {
  id: null,
  needs: [],
  parallel_group: null,
  when: null,
  on_error: 'stop',
  deadline_ms: null,
  effect: 'workspace',
  always: false,
} as const;
const ONCE = { attempts: 1, backoff_ms: 2_000 } as const;
const FIVE_MINUTES = 300_000;

const OMITTED: Record<StepKind, Record<string, unknown>> = {
  agent: {
    ...COMMON,
    timeout_ms: FIVE_MINUTES,
    retry: { attempts: 3, backoff_ms: 2_000 },
    prompt: null,
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  },
  command: {
    ...COMMON,
    timeout_ms: FIVE_MINUTES,
    retry: ONCE,
    cwd: null,
    env: {},
    stdin: null,
    reads: [],
    max_output_kb: 100,
    schema: null,
  },
  tool: { ...COMMON, timeout_ms: FIVE_MINUTES, retry: ONCE, inputs: {}, schema: null },
  workflow: { ...COMMON, timeout_ms: 0, retry: ONCE, inputs: {} },
  plan: { ...COMMON, timeout_ms: 0, retry: ONCE, inputs: {}, message: null, fallback: 'abort' },
  approval: { ...COMMON, timeout_ms: 0, retry: ONCE, effect: 'none', content: null, fallback: 'abort' },
  ask: { ...COMMON, timeout_ms: 0, retry: ONCE, effect: 'none', schema: null, choices: null },
  set: { ...COMMON, timeout_ms: 0, retry: ONCE, effect: 'none' },
  wait: { ...COMMON, timeout_ms: 0, retry: ONCE, effect: 'none', for_ms: null, until: null },
  foreach: { ...COMMON, timeout_ms: 0, retry: ONCE, max_parallel: null },
  compile: { ...COMMON, timeout_ms: FIVE_MINUTES, retry: ONCE },
  flash: {
    ...COMMON,
    timeout_ms: 60_000,
    retry: { attempts: 3, backoff_ms: 1_000 },
    effect: 'external',
    ready: null,
    boot: null,
    fallback: 'abort',
  },
  serial: {
    ...COMMON,
    timeout_ms: 90_000,
    retry: ONCE,
    effect: 'none',
    expect: null,
    write: null,
    after: null,
    listen_ms: 10_000,
    capture: 'all',
    rehearsal: null,
  },
  loop: { ...COMMON, timeout_ms: 0, retry: ONCE, at_max: 'error' },
};

/** A step without its index, which is its position, and without the fields that say what they say by themselves. */
export type PackedStep = Pick<Step, 'kind'> & Record<string, unknown>;
type PackedBlock = Omit<Block, 'steps'> & { steps: PackedStep[] };
export type PackedBody = Omit<PlanBody, 'steps'> & { steps: PackedStep[] };

/**
 * A Plan as it travels into history: a third of the size. It is the same Plan under the same hash; nothing but starting
 * a run, reading a run's start and measuring the size of a Plan knows of it.
 */
export type PackedPlan = Omit<Plan, 'steps' | 'nested'> & { steps: PackedStep[]; nested: Record<string, PackedBody> };

/** A Plan without what `unpackPlan` knows anyway: positions, and fields that have their usual value. */
export function packPlan(plan: Plan): PackedPlan {
  return {
    ...packBody(plan),
    nested: Object.fromEntries(Object.entries(plan.nested).map(([hash, body]) => [hash, packBody(body)])),
  };
}

function packBody<B extends Block>(body: B): Omit<B, 'steps'> & { steps: PackedStep[] } {
  return { ...body, steps: body.steps.map(packStep) };
}

/** A step as a packed Plan has it. */
export function packStep({ index: _position, ...whole }: Step): PackedStep {
  const step = 'body' in whole ? { ...whole, body: packBody(whole.body) } : whole;
  const omitted = OMITTED[step.kind];
  const said = Object.entries(step).filter(
    ([key, value]) => !Object.hasOwn(omitted, key) || canonicalJson(value) !== canonicalJson(omitted[key]),
  );
  return { kind: step.kind, ...Object.fromEntries(said) };
}

/** A packed Plan whose JSON text is shortened too: its steps resemble each other. */
export interface ShortPlan extends Pick<Plan, 'planVersion' | 'name' | 'hash'> {
  /** See `lz-text.ts`. */
  short: string;
}

/** Shortens a Plan for a run's start arguments: about a tenth of its packed size when it has many steps. */
export function shortPlan(plan: Plan): ShortPlan {
  const { planVersion, name, hash } = plan;
  return { planVersion, name, hash, short: shortenText(swapQuotes(JSON.stringify(packPlan(plan)))) };
}

/** In JSON inside of JSON every `"` takes two characters; `'` takes one, and is rare. */
function swapQuotes(text: string): string {
  return text.replace(/["']/g, (quote) => (quote === '"' ? "'" : '"'));
}

/** The Plan that was shortened. Throws on a text that `shortPlan` has not made. */
export function unpackPlan(short: ShortPlan): Plan {
  const packed = lengthenPlan(short);
  const nested = Object.entries(packed.nested).map(([hash, body]) => [hash, unpackBody(body)] as const);
  return { ...unpackBody(packed), nested: Object.fromEntries(nested) };
}

/** The packed Plan that was shortened: what people can read. Throws on a text that it has not made. */
export function lengthenPlan({ short }: Pick<ShortPlan, 'short'>): PackedPlan {
  // Swapped before it is lengthened: no reference has quotes, and the text becomes ten times as long.
  return JSON.parse(lengthenText(swapQuotes(short))) as PackedPlan; // `shortPlan` wrote it
}

function unpackBody<B extends PackedBlock>(body: B): Omit<B, 'steps'> & { steps: Step[] } {
  return { ...body, steps: body.steps.map(unpackStep) };
}

/** Field by field, without an object in between: every link of a chain unpacks every step. */
function unpackStep(packed: PackedStep, index: number): Step {
  const step: Record<string, unknown> = { ...OMITTED[packed.kind] };
  for (const key of Object.keys(packed)) step[key] = packed[key];
  if ('body' in packed) step['body'] = unpackBody(packed['body'] as PackedBlock); // packStep packed it
  step['index'] = index;
  return step as unknown as Step; // packStep left out exactly these fields
}
