import type { Payload } from '@temporalio/common';
import { isObject, utf8Bytes } from '../../plan/values/json.js';
import { namesContent, withContents } from '../../plan/gates/shown-content.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { lengthenPlan } from '../../plan/packing/packed-plan.js';
import type { ShortStored } from '../../plan/packing/short-value.js';
import { isShortStored, longStored } from '../../plan/packing/short-value.js';
import type { Hash } from '../../plan/values/value.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import type { Store } from '../../store/store.js';
import { createPayloadCodec } from '../encryption/payload-codec.js';

/** In the answer to the SDK's own question of a run. */
const DETAILS = 'currentDetails';
const SHOWN_BYTES = 1024 * 1024;
const HASH = /^sha256:[0-9a-f]{64}$/;
/** What a payload that we can better has in it: a stored value by its whole or its short name, or a Plan. */
const OURS = /"sha256:|\["[\w-]{43}",|"short":|What it shows is sha256:/;

/** What payloads are made readable with. Without a store values stay named; without keys what is encrypted stays so. */
export interface Reader {
  store: Pick<Store, 'get'> | null;
  keys: KeyRing | null;
}

/**
 * A Temporal payload in its JSON form (metadata and data are base64) as people can read it: decrypted, and with the
 * stored values and Plans that it names. One that we cannot better stays as it is; one whose key is not here says so.
 */
export async function readable(payload: JsonObject, { store, keys }: Reader): Promise<JsonObject> {
  try {
    const [plain] =
      keys === null
        ? [payload]
        : await createPayloadCodec(keys)
            .decode([toPayload(payload)])
            .then((all) => all.map(toJson));
    return await withStored(plain ?? payload, store);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    return jsonPayload({ encrypted: error.message });
  }
}

/** A payload in its JSON form, encrypted where there are keys. */
export async function sealed(payload: JsonObject, keys: KeyRing | null): Promise<JsonObject> {
  if (keys === null) return payload;
  const [encrypted] = await createPayloadCodec(keys).encode([toPayload(payload)]);
  return encrypted === undefined ? payload : toJson(encrypted);
}

function toPayload({ metadata, data }: JsonObject): Payload {
  const named = Object.entries(isObject(metadata) ? metadata : {});
  return {
    metadata: Object.fromEntries(named.map(([name, value]) => [name, bytesOf(value)])),
    data: bytesOf(data),
  };
}

function toJson({ metadata, data }: Payload): JsonObject {
  const named = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(named.map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}

function jsonPayload(value: Json): JsonObject {
  return toJson({ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(value)) });
}

async function withStored(payload: JsonObject, store: Reader['store']): Promise<JsonObject> {
  const { metadata, data } = payload;
  if (!isObject(metadata) || typeof data !== 'string' || fromBase64(metadata['encoding']) !== 'json/plain')
    return payload;
  const text = fromBase64(data);
  if (!OURS.test(text)) return payload;
  const value = parse(text);
  if (value === undefined) return payload;
  const shown = await show(value, { store, left: SHOWN_BYTES });
  return { ...payload, data: Buffer.from(JSON.stringify(shown)).toString('base64') };
}

interface Budget {
  store: Reader['store'];
  left: number;
}

/** Shows a JSON value with every stored value it names beside its name, as long as there is room. */
async function show(value: Json, budget: Budget): Promise<Json> {
  if (isShortStored(value)) return show(inNamed(value), budget);
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(await show(item, budget));
    return items;
  }
  if (!isObject(value)) return value;
  if (typeof value['planVersion'] === 'number' && typeof value['short'] === 'string')
    return readablePlan(value['short']) ?? value;
  const hash = storedName(value);
  if (hash !== null) return showStored(value, hash, budget);
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value))
    members.push([key, key === DETAILS ? await showDetails(member, budget) : await show(member, budget)]);
  return Object.fromEntries(members);
}

/** The details of a run are Markdown, in which what its gates show stands by name. */
async function showDetails(details: Json, budget: Budget): Promise<Json> {
  if (typeof details !== 'string' || !namesContent(details)) return show(details, budget);
  return withContents(details, async (ref, bytes) => {
    const loaded = await load(ref, bytes, budget).catch(() => null); // its name stays
    return loaded?.value ?? null;
  });
}

/** What `shortStored` shortened, with its members named. */
function inNamed(value: Json): JsonObject {
  return { ...longStored(value as ShortStored) }; // isShortStored said so
}

function readablePlan(short: string): Json | null {
  try {
    return lengthenPlan({ short }) as unknown as Json; // parsed from JSON
  } catch {
    return null;
  }
}

async function showStored(named: JsonObject, hash: Hash, budget: Budget): Promise<Json> {
  const { preview: _, ...name } = named;
  try {
    const loaded = await load(hash, Number(named['bytes']), budget);
    return loaded === null ? named : { ...name, value: loaded.value };
  } catch (error) {
    return { ...named, missing: error instanceof Error ? error.message : String(error) };
  }
}

/** A stored value where there is room for it; null where there is none, by what its name says or by what it is. */
async function load(hash: Hash, said: number, budget: Budget): Promise<{ value: Json } | null> {
  if (budget.store === null || said > budget.left) return null;
  const value = await budget.store.get(hash);
  const bytes = Math.max(said, utf8Bytes(JSON.stringify(value)));
  const fits = bytes <= budget.left;
  // Whoever wrote a name may have written another size: nothing more is loaded for a payload that says too little.
  budget.left = fits ? budget.left - bytes : 0;
  return fits ? { value } : null;
}

/** A `StoredValue` has its hash under `ref`, a `Text` of a Plan under `text`; both have `bytes`. */
function storedName(value: JsonObject): Hash | null {
  const hash = value['ref'] ?? value['text'];
  const isName = typeof value['bytes'] === 'number' && typeof hash === 'string' && HASH.test(hash);
  return isName ? (hash as Hash) : null; // the pattern has just been checked
}

function fromBase64(text: Json | undefined): string {
  return bytesOf(text).toString('utf8');
}

function bytesOf(text: Json | undefined): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'base64') : Buffer.alloc(0);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse yields nothing else
  } catch {
    return undefined;
  }
}
