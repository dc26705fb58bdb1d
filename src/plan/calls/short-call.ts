import type { Binding, Environment } from '../references/environment.js';
import type { Price } from '../budget/price.js';
import type { RootLink } from '../run-input.js';
import type { ModelChoice } from '../agents/model-choice.js';
import { longHash, shortHash } from '../packing/short-hash.js';
import type { ShortStored } from '../packing/short-value.js';
import { longStored, shortStored } from '../packing/short-value.js';
import type { Hash } from '../values/value.js';

/** How a step is found in a body: its index, or the indexes of the steps whose bodies lead to it and its own. */
export type StepAddress = number | number[];

/** What every call of an activity says about the step that it acts for. */
export interface CallHead {
  root: RootLink;
  /** The nested workflow inside the root's Plan, or null for the root's own body. */
  nested: Hash | null;
  /** The step in that body. */
  step: StepAddress;
  /** Path below the root run, with item and iteration numbers. */
  path: string;
  /** The interpreter's try, from 1 (decision 13). Temporal's own attempt is no part of any key (I8). */
  try: number;
  environment: Environment;
  /** What agents are told beside their prompts: a stored `InjectedContext`. Absent where that is nothing. */
  context?: Hash;
  /** What came of it is on the disk before the call returns. */
  synced?: true;
  /** Id of the run's trace. Absent where it is not traced. */
  trace?: string;
  /** In a rerun: where results with the same content are taken from (decision 14). */
  reuse?: Reuse;
}

/** What a rerun may take over for one step. */
export interface Reuse {
  /** The run that is run again, and the scope of its journal. */
  run: string;
  from: string;
  /** Scopes of runs before that one, the latest first. */
  earlier?: string[];
  /** The step's effect is external and has happened in that run: it is not done again. */
  done?: true;
  /** The step is to run anew, or depends on files that have changed. */
  never?: true;
  /** It may depend on any file: nothing is taken over once a step before it has run anew that may change files. */
  looks?: true;
  /** It is such a step, where it runs anew. */
  changes?: true;
}

/** What Temporal tells a workflow and its activities alike. */
export interface Caller {
  workflowId: string;
  runId: string;
  /** The activity's id; null for a local activity, whose id is not its step's path. */
  activityId: string | null;
}

/** Bindings that are no stored value are small or rare, and stay as they are. */
type ShortBinding = Binding | ShortStored;

/** `[input, output, cache_read, cache_write_5m, cache_write_1h]`; with steps in it a price stays as it is. */
type ShortPrice = Price | [number, number, number | null, number | null, number | null];

/**
 * `[id, max_tokens, input, output]` of a model that is no more than that, and whose prices of cached tokens follow from
 * `input` (`cachedAt`).
 */
type ShortestModel = [id: string, max: number, input: number, output: number];

interface ShortModel extends Omit<ModelChoice, 'provider' | 'model' | 'price' | 'max_tokens'> {
  /** `anthropic:claude-sonnet-4-6` */
  id: string;
  price?: ShortPrice | null;
  /** Tokens of one answer at most. */
  max?: number;
}

interface ShortHead {
  /** Hash of the root's Plan. */
  plan: string;
  step: StepAddress;
  /** Left out where the calling run is the root itself, and has not continued as new. */
  root?: [run: string, first: string];
  nested?: string;
  /** Left out where it is the activity's id. */
  path?: string;
  /** Left out for the first. */
  try?: number;
  /** Left out when it is empty. */
  env?: Record<string, ShortBinding>;
}

/** A call as it travels into history: without what its activity knows anyway, a third of the size. */
export type ShortCall<C extends CallHead> = ShortHead &
  Omit<C, keyof CallHead | 'model'> &
  ('model' extends keyof C ? { [key in keyof Pick<C, 'model'>]: ShortModel | ShortestModel } : unknown);

/** Shortens a call. `caller` is who calls, as the activity will know it. */
export function shortCall<C extends CallHead>(call: C, caller: Caller): ShortCall<C> {
  const { root, nested, step, path, try: tried, environment, ...others } = call;
  const head: ShortHead = {
    plan: shortHash(root.plan),
    step,
    ...(root.run === caller.workflowId && root.first === caller.runId ? {} : { root: [root.run, root.first] }),
    ...(nested === null ? {} : { nested: shortHash(nested) }),
    ...(path === caller.activityId ? {} : { path }),
    ...(tried === 1 ? {} : { try: tried }),
    ...(Object.keys(environment).length === 0 ? {} : { env: mapValues(environment, shortBinding) }),
  };
  const { model } = others as { model?: ModelChoice }; // of a ModelCall
  return {
    ...head,
    ...others,
    ...(model === undefined ? {} : { model: shortModel(model) }),
  } as unknown as ShortCall<C>; // field by field the same
}

/** The call that was shortened. */
export function wholeCall<C extends CallHead>(call: ShortCall<C>, caller: Caller): C {
  const {
    plan,
    step,
    root = [caller.workflowId, caller.runId],
    nested,
    path,
    try: tried = 1,
    env = {},
    ...others
  }: ShortHead = call;
  const head: CallHead = {
    root: { run: root[0], first: root[1], plan: longHash(plan) },
    nested: nested === undefined ? null : longHash(nested),
    step,
    path: path ?? caller.activityId ?? '',
    try: tried,
    environment: mapValues(env, longBinding),
  };
  const { model } = others as { model?: ShortModel | ShortestModel };
  // field by field the same
  return { ...head, ...others, ...(model === undefined ? {} : { model: longModel(model) }) } as unknown as C;
}

/** The model that a shortened call asks, by whoever made it; null where it names none. */
export function modelIn(call: unknown): ModelChoice | null {
  const { model } = (call ?? {}) as { model?: ShortModel | ShortestModel | null }; // looked at
  const id = Array.isArray(model) ? model[0] : model?.id;
  return model == null || typeof id !== 'string' ? null : longModel(model);
}

function shortBinding(binding: Binding): ShortBinding {
  return 'ref' in binding ? shortStored(binding) : binding;
}

function longBinding(binding: ShortBinding): Binding {
  return Array.isArray(binding) ? longStored(binding) : binding;
}

function shortModel({ provider, model, price, max_tokens, ...others }: ModelChoice): ShortModel | ShortestModel {
  const id = `${provider}:${model}`;
  if (price && max_tokens !== undefined && Object.keys(others).length === 0 && isCachedAtUsual(price))
    return [id, max_tokens, price.input, price.output];
  return {
    id,
    ...(price === undefined ? {} : { price: price === null ? null : shortPrice(price) }),
    ...(max_tokens === undefined ? {} : { max: max_tokens }),
    ...others,
  };
}

function longModel(short: ShortModel | ShortestModel): ModelChoice {
  if (!Array.isArray(short)) return longerModel(short);
  const [id, max, input, output] = short;
  return longerModel({ id, max, price: { input, output, ...cachedAt(input) } });
}

function longerModel({ id, price, max, ...others }: ShortModel): ModelChoice {
  const colon = id.indexOf(':');
  const provider = id.slice(0, colon) as ModelChoice['provider']; // `shortModel` put it there
  return {
    provider,
    model: id.slice(colon + 1),
    ...(price === undefined ? {} : { price: Array.isArray(price) ? longPrice(price) : price }),
    ...(max === undefined ? {} : { max_tokens: max }),
    ...others,
  };
}

/** What cached tokens cost of the models that have usual prices. */
function cachedAt(input: number): Pick<Price, 'cache_read' | 'cache_write_5m' | 'cache_write_1h'> {
  return { cache_read: input / 10, cache_write_5m: input * 1.25, cache_write_1h: input * 2 };
}

function isCachedAtUsual({ input, cache_read, cache_write_5m, cache_write_1h, above }: Price): boolean {
  const usual = cachedAt(input);
  return (
    above === undefined &&
    cache_read === usual.cache_read &&
    cache_write_5m === usual.cache_write_5m &&
    cache_write_1h === usual.cache_write_1h
  );
}

function shortPrice(price: Price): ShortPrice {
  const { input, output, cache_read, cache_write_5m, cache_write_1h, above } = price;
  return above === undefined ? [input, output, cache_read, cache_write_5m, cache_write_1h] : price;
}

function longPrice([input, output, cache_read, cache_write_5m, cache_write_1h]: Exclude<ShortPrice, Price>): Price {
  return { input, output, cache_read, cache_write_5m, cache_write_1h };
}

function mapValues<A, B>(record: Record<string, A>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
