import { spanId, spanParts } from '../../activities/attempt/trace-context.js';
import type { ModelAnswer, Usage } from '../../activities/models/protocol/provider.js';
import { inAndOut } from '../../activities/models/protocol/provider.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { JournalEntry, Traced } from '../../store/journal/entry.js';
import { contentAttributes } from './content.js';
import type { Attribute, Span } from './span.js';
import type { TraceTree } from './trace-results.js';
import { placeName } from './trace-results.js';

/** An entry that a trace tells, by its key: `[path, try, kind, …numbers]`, and for failures `"failed"` and when. */
interface Call {
  scope: string;
  key: (string | number)[];
  path: string;
  tried: number;
  turn: number | null;
  entry: JournalEntry;
  traced: Traced;
}

/** Adds what was asked and called in a tree of runs: turns of conversations, calls of models, programs and tools. */
export async function addCalls(tree: TraceTree, content: boolean): Promise<void> {
  const calls: Call[] = [];
  for (const scope of tree.scopes.keys())
    for (const [key, entry] of await tree.store.listJournal(scope)) {
      const call = callIn(scope, key, entry);
      if (call !== null) calls.push(call);
    }
  const turns = addTurns(tree, calls);
  const tools = new Map(calls.flatMap((call) => toolPlace(call) ?? []));
  for (const call of calls) {
    const span: Span = {
      id: spanId(call.scope, spanParts.journalled(call.key)),
      parent: parentOf(tree, call, turns),
      ...described(call),
      start: Date.parse(call.traced.since),
      end: Date.parse(call.entry.at),
      attributes: {
        ...attributesOf(call),
        ...(content ? await contentAttributes(call.entry, tree.store) : {}),
      },
      ...failureIn(call),
    };
    tree.spans.push(span);
  }
  // What an agent that is called says belongs to the call.
  for (const turn of turns.values()) {
    const place = /^(.*)\/(\d+)\.(\d+)$/.exec(turn.path);
    if (place === null) continue;
    const [, above = '', number, call] = place;
    turn.span.parent = tools.get(callName(turn.scope, above, Number(number), Number(call) - 1)) ?? turn.span.parent;
  }
  stretch(tree.spans);
}

function callIn(scope: string, text: string, entry: JournalEntry): Call | null {
  if (entry.traced === undefined) return null;
  const key: unknown = JSON.parse(text); // what is traced has such a key
  if (!Array.isArray(key)) return null;
  const parts = key as (string | number)[]; // `askOnce` and the calls of tools make no others
  const [path, tried, kind, turn] = parts;
  if (typeof path !== 'string' || typeof tried !== 'number') return null;
  const isOfTurn = (kind === 'turn' || kind === 'tool') && typeof turn === 'number';
  return { scope, key: parts, path, tried, turn: isOfTurn ? turn : null, entry, traced: entry.traced };
}

interface TurnSpan {
  span: Span;
  scope: string;
  path: string;
}

/** A turn is there from its first question to the end of what its answer asks for. */
function addTurns(tree: TraceTree, calls: Call[]): Map<string, TurnSpan> {
  const turns = new Map<string, TurnSpan>();
  for (const { scope, key, path, tried, turn, traced, entry } of calls) {
    if (turn === null) continue;
    const name = turnName(scope, path, turn);
    const [start, end] = [Date.parse(traced.since), Date.parse(entry.at)];
    const known = turns.get(name)?.span;
    if (known !== undefined) {
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
    } else if (key[2] === 'turn') {
      const span: Span = {
        id: spanId(scope, spanParts.journalled([path, tried, 'turn', turn])),
        parent: placeOf(tree, path, scope).id,
        name: `turn ${String(turn)}`,
        kind: 'internal',
        start,
        end,
        attributes: { 'perdure.step.path': path, 'perdure.turn': turn },
      };
      turns.set(name, { span, scope, path });
      tree.spans.push(span);
    }
  }
  return turns;
}

function turnName(scope: string, path: string, turn: number): string {
  return JSON.stringify([scope, path, turn]);
}

function callName(scope: string, path: string, turn: number, call: number): string {
  return JSON.stringify([scope, path, turn, call]);
}

function toolPlace({ key, scope, path, turn }: Call): [string, string][] | null {
  const [, , kind, , call] = key;
  if (kind !== 'tool' || turn === null || typeof call !== 'number' || key.length !== 5) return null;
  return [[callName(scope, path, turn, call), spanId(scope, spanParts.journalled(key))]];
}

function parentOf(tree: TraceTree, { scope, path, turn }: Call, turns: Map<string, TurnSpan>): string {
  const own = turn === null ? undefined : turns.get(turnName(scope, path, turn));
  return (own?.span ?? placeOf(tree, path, scope)).id;
}

/** The span at a path, else the nearest one around it; of an earlier try of a nested run, that of its step. */
function placeOf(tree: TraceTree, path: string, scope: string): Span {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const found = tree.places.get(placeName(scope, at));
    if (found !== undefined) return found;
    if (at === '') break;
  }
  const owner = tree.scopes.get(scope);
  if (owner === undefined) throw new Error(`A trace has no run of the scope ${scope}`);
  return owner;
}

function described({ traced }: Call): Pick<Span, 'name' | 'kind'> {
  switch (traced.what) {
    case 'model':
      return { name: `chat ${traced.name}`, kind: 'client' };
    case 'program':
      return { name: `invoke_agent ${traced.name}`, kind: 'client' };
    case 'tool':
      return { name: `execute_tool ${traced.name}`, kind: 'internal' };
  }
}

function attributesOf({ traced, tried, path, entry: { response } }: Call): Record<string, Attribute> {
  const common = { 'perdure.step.path': path, 'perdure.try': tried };
  const { name, provider, usd, call_id } = traced;
  switch (traced.what) {
    case 'model':
      return {
        'gen_ai.operation.name': 'chat',
        ...(provider === undefined ? {} : { 'gen_ai.provider.name': provider }),
        'gen_ai.request.model': name,
        ...answerAttributes(response),
        ...(typeof usd === 'number' ? { 'perdure.cost.usd': usd } : {}),
        ...common,
      };
    case 'program':
      return {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        ...programAttributes(response),
        ...(typeof usd === 'number' ? { 'perdure.cost.usd': usd } : {}),
        ...common,
      };
    case 'tool':
      return {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        ...(call_id === undefined ? {} : { 'gen_ai.tool.call.id': call_id }),
        ...common,
      };
  }
}

function answerAttributes(response: Json): Record<string, Attribute> {
  if (!isObject(response)) return {};
  const { usage, stop } = response as unknown as ModelAnswer; // `askOnce` kept it
  return { 'gen_ai.response.finish_reasons': [stop], ...usageAttributes(usage) };
}

function programAttributes(response: Json): Record<string, Attribute> {
  if (!isObject(response)) return {};
  const { model, spent } = response as unknown as { model?: string | null; spent: { usage: Usage } }; // likewise
  return { ...(model ? { 'gen_ai.response.model': model } : {}), ...usageAttributes(spent.usage) };
}

function usageAttributes(usage: Usage): Record<string, Attribute> {
  const { cache_read, cache_write_5m, cache_write_1h } = usage;
  const written = cache_write_5m + cache_write_1h;
  return {
    'gen_ai.usage.input_tokens': inAndOut(usage).input,
    'gen_ai.usage.output_tokens': usage.output,
    ...(cache_read === 0 ? {} : { 'gen_ai.usage.cache_read.input_tokens': cache_read }),
    ...(written === 0 ? {} : { 'gen_ai.usage.cache_creation.input_tokens': written }),
  };
}

function failureIn({ traced, entry: { response } }: Call): { failure?: string } {
  if (traced.failure !== undefined) return { failure: traced.failure };
  const failed = traced.what === 'tool' && isObject(response) && response['is_error'] === true;
  return failed ? { failure: 'tool-failed' } : {};
}

/** What encloses others is there at least as long as they are: clocks of several processes made the times. */
function stretch(spans: Span[]): void {
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (const span of spans)
    for (let above = byId.get(span.parent ?? ''); above !== undefined; above = byId.get(above.parent ?? '')) {
      if (above.start <= span.start && above.end >= span.end) break;
      above.start = Math.min(above.start, span.start);
      above.end = Math.max(above.end, span.end);
    }
}
