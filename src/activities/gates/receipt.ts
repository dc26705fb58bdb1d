import { createHash } from 'node:crypto';
import type { GateEnd } from '../../plan/gates/gate.js';
import type { ReceiptCall } from '../../plan/gates/gate-calls.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';

/** What was decided, and the proof: whoever has the public key can verify it with nothing else. */
export interface Receipt {
  /** One line of canonical JSON. What is signed is this line with its end. */
  statement: string;
  /** Ed25519, in base 64. */
  signature: string;
}

/** What a statement says. */
export interface Statement {
  kind: 'perdure-receipt-1';
  /** The root run, and the id of its first Temporal run: of another run under the same name it is another. */
  run: string;
  first: string;
  /** The gate's address. */
  gate: string;
  /** The question. */
  message: string;
  /** When it was asked and decided; ISO 8601, UTC. */
  since: string;
  at: string;
  decision: GateEnd['decision'];
  /** SHA-256 of what was asked, and of what was decided on: another where somebody edited it. */
  asked: string;
  hash: string;
  by: string[];
  /** By which way each of them decided; null where nobody says. */
  via: (string | null)[];
  comment: string | null;
  /** What later steps get: the value, or the hash of a stored one. */
  output: Json;
  /** The public key, by the first 16 digits of the SHA-256 of its DER form. */
  key: string;
}

const PREFIX = 'receipt ';

/** Signs how a gate ended: the same end gives the same receipt, however often that is asked for. */
export function createKeepReceipt({ store }: Dependencies): Activities['keepReceipt'] {
  return async (call) => {
    const statement = canonicalJson(statementOf(call, keyName(await store.publicKey())));
    const signed = Buffer.from(await store.sign(`${statement}\n`), 'base64url').toString('base64');
    const receipt: Receipt = { statement, signature: signed };
    const { scope, gate, end } = call;
    const request = sha256(statement);
    const key = { scope, key: `${PREFIX}${canonicalJson([gate.path, gate.since])}` };
    await store.writeJournal(key, { request, response: { ...receipt }, at: end.at }, true);
    return request;
  };
}

/** All receipts of a tree of runs, in the order of their decisions. `scope` is that of its journal. */
export async function receiptsIn(store: Pick<Store, 'listJournal'>, scope: string): Promise<Receipt[]> {
  const entries = await store.listJournal(scope, PREFIX);
  return entries.map(([, { response }]) => response as unknown as Receipt); // the activity above wrote it
}

/** What a receipt says. */
export function statementIn({ statement }: Receipt): Statement {
  return JSON.parse(statement) as Statement; // written above
}

/** Tells whether a key has signed a receipt. */
export function isGenuine({ statement, signature }: Receipt, key: ApprovalKey): Promise<boolean> {
  return key.isSigned(`${statement}\n`, Buffer.from(signature, 'base64').toString('base64url'));
}

/** A public key as statements name it. */
export function keyName(pem: string): string {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

function statementOf({ run, scope, gate, end }: ReceiptCall, key: string): Statement {
  const { decision, by, via, hash, comment, output, at } = end;
  // A deadline decides by itself, in the name of nobody.
  const ways = via ?? by.map((name) => (name === 'default' ? 'deadline' : null));
  return {
    ...{ kind: 'perdure-receipt-1', run, first: scope, gate: `${run}/${gate.path}`, message: gate.message },
    ...{ since: gate.since, at, decision, asked: gate.hash, hash, by, via: ways, comment },
    ...{ output: namedOnly(output), key },
  };
}

/** Without the preview of a stored value. */
function namedOnly(value: Value | null): Json {
  if (value === null) return null;
  return isStored(value) ? { ref: value.ref, bytes: value.bytes } : { value: value.value };
}
