import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { RunRecord } from '../../plan/result.js';
import type { Hash, StoredValue, Value } from '../../plan/values/value.js';
import { fitsInline, inline, isStored } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { createLruCache } from '../../store/lru-cache.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import type { MemoryFiles } from '../../store/records/memory-files.js';
import type { NarrationFiles } from '../../store/records/narration-files.js';
import type { Pruning } from '../../store/records/prune-files.js';
import type { ProviderFiles } from '../../store/records/provider-files.js';
import type { SessionFiles } from '../../store/records/session-files.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { MadeFiles } from '../../store/records/made-files.js';
import type { Store } from '../../store/store.js';
import type { RecordedFiles } from '../../store/records/recorded-files.js';
import type { Snapshots } from '../../store/snapshots/snapshots.js';
import type { SubmittedFiles } from '../../store/records/submitted-files.js';
import type { TaintFiles } from '../../store/records/taint-files.js';
import type { StorePlace } from './ask-store.js';
import { askStore, inPacks } from './ask-store.js';

/** Bytes of JSON that are kept, so that nothing is asked for twice. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Records of closed runs that are asked for at once. */
const PAGE = 1_000;

/**
 * The store of workers elsewhere, as a CLI uses it (decision 11): what is read or written goes through a worker, a
 * megabyte at most at a time. What only workers do is refused.
 */
export function createStoreElsewhere(place: StorePlace): Store {
  const cache = createLruCache<Json>(CACHE_BYTES);
  const putAll = createPacker(place);
  const putAlways = async (value: Json): Promise<StoredValue> => {
    const stored = await putAll(value);
    if (!isStored(stored))
      throw new StoreFailure('internal', 'Expected a stored value, got one that travels by itself.');
    return stored;
  };
  const get = async (ref: Hash): Promise<Json> => {
    const kept = cache.get(ref);
    if (kept !== undefined) return kept;
    const value = await askStore(place, { op: 'get', ref });
    const text = canonicalJson(value);
    if (sha256(text) !== ref)
      throw new StoreFailure('store-missing', `The value that came for \`${ref}\` is another one.`);
    cache.set(ref, value, text.length);
    return value;
  };
  const listRuns: Store['listRuns'] = (below) =>
    askStore(place, { op: 'listRuns', ...(below === undefined ? {} : { below }) });
  return {
    id: place.id,
    get,
    putAlways,
    put: async (value): Promise<Value> => (fitsInline(value) ? inline(value) : putAlways(value)),
    getText: async (text) => (typeof text === 'string' ? text : String(await get(text.text))),
    getPlan: (plan) => askStore(place, { op: 'getPlan', plan }),
    putPlan: async (plan) => {
      await askStore(place, { op: 'putPlan', plan });
    },
    readRun: (run) => askStore(place, { op: 'readRun', run }),
    listRuns,
    countRuns: async () => (await listRuns()).length,
    closedRuns: (atOnce = PAGE) => closedRuns(place, atOnce),
    listLogs: (run) => askStore(place, { op: 'listLogs', run }),
    readNarration: (run) => askStore(place, { op: 'readNarration', run }),
    readLog: (run, path, offset) => askStore(place, { op: 'readLog', run, path, offset }),
    readFollowers: () => askStore(place, { op: 'followers' }),
    changeFollowers: (change) => askStore(place, { op: 'changeFollowers', change }),
    takeHookPlace: (hook, wish) => askStore(place, { op: 'takeHookPlace', hook, wish }),
    listWorkers: () => askStore(place, { op: 'listWorkers' }),
    ...onlyWorkers(place.id),
  };
}

/** Whoever ends meanwhile moves the others back: those are seen again, and told once. */
async function* closedRuns(place: StorePlace, most: number): AsyncGenerator<RunRecord[]> {
  const seen = new Set<string>();
  for (let skip = 0; ;) {
    const page = await askStore(place, { op: 'closedRuns', skip, most });
    if (page.length === 0) return;
    skip += page.length;
    const fresh = page.filter(({ run }) => !seen.has(run));
    for (const { run } of fresh) seen.add(run);
    yield fresh;
  }
}

/** Packs all that is put in one go into few questions. */
function createPacker(place: StorePlace): (value: Json) => Promise<Value> {
  let waiting: { value: Json; resolve: (stored: Value) => void; reject: (error: unknown) => void }[] = [];
  const send = async (): Promise<void> => {
    const sent = waiting;
    waiting = [];
    try {
      const stored: Value[] = [];
      for (const values of inPacks(sent.map(({ value }) => value)))
        stored.push(...(await askStore(place, { op: 'put', values, always: true })));
      for (const [index, { resolve }] of sent.entries()) resolve(stored[index] as Value); // as many as were sent
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  };
  return (value) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void send());
      waiting.push({ value, resolve, reject });
    });
}

/** Where the server is not running nobody asks a store that is reached through it. */
const NOTHING_NOTED: SubmittedFiles = {
  noteSubmitted: async () => false,
  readSubmitted: async () => [],
  listUnrecorded: async () => [],
  forgetSubmitted: async () => undefined,
};

/** Made files are known where they were written, and nowhere else. */
const NOTHING_MADE: MadeFiles = {
  writeMade: async () => undefined,
  listMade: async () => [],
  noteUse: async () => undefined,
  forgetUse: async () => undefined,
  forgetMade: async () => undefined,
};

/** Who tells of a run sits where its store is. */
const NOTHING_TOLD: Omit<NarrationFiles, 'readNarration'> = {
  addNarration: async () => undefined,
  claimConcept: async () => false,
  listConcepts: async () => [],
};

type OfWorkers =
  | 'folder'
  | 'homes'
  | 'copiedFrom'
  | 'beginPut'
  | 'readJournal'
  | 'claimQuestion'
  | 'beginOnce'
  | 'mergeJournal'
  | 'listAskedAgain'
  | 'listJournal'
  | 'prepareJournal'
  | 'writeJournal'
  | 'writeRun'
  | 'openLog'
  | 'logsWritten'
  | 'readDevice'
  | 'writeDevice'
  | 'deviceMemory'
  | 'keepAlive'
  | 'countAlive'
  | 'noteWorker'
  | 'forgetWorker'
  | 'forgetRun'
  | 'requireWorkers'
  | 'listRequired'
  | keyof ApprovalKey
  | keyof MadeFiles
  | keyof ProviderFiles
  | keyof Pruning
  | keyof SessionFiles
  | keyof MemoryFiles
  | Exclude<keyof NarrationFiles, 'readNarration'>
  | keyof RecordedFiles
  | keyof Snapshots
  | keyof SubmittedFiles
  | keyof TaintFiles;

function onlyWorkers(id: string): Pick<Store, OfWorkers> {
  const refuse = (): never => {
    throw new StoreFailure(
      'internal',
      `This needs the folder of the store \`${id}\`: run it on a machine that has it.`,
    );
  };
  return {
    folder: null,
    homes: null,
    copiedFrom: null,
    ...{ removeRun: refuse, listOldJournals: refuse, removeJournals: refuse, removeUnnamedFiles: refuse },
    ...{ readPause: refuse, writePause: refuse, claimProbe: refuse },
    ...{
      createSession: refuse,
      addMessage: refuse,
      readSession: refuse,
      listSessions: refuse,
      removeSession: refuse,
    },
    // What was learned on the store's machine is no part of a run that is submitted from another.
    ...{
      addMemory: refuse,
      removeMemory: refuse,
      searchMemories: async () => [],
      unreadMemories: async () => null,
      taint: refuse,
      taintedBy: async () => null,
    },
    // The folder that its runs work in is there too.
    keepSnapshot: async () => false,
    snapshotOf: refuse,
    leftOutOf: refuse,
    snapshotNow: refuse,
    snapshotElsewhere: refuse,
    snapshotGit: refuse,
    writeRecorded: refuse,
    readRecorded: refuse,
    beginPut: refuse,
    readJournal: refuse,
    claimQuestion: refuse,
    beginOnce: refuse,
    mergeJournal: refuse,
    listAskedAgain: async () => [],
    listJournal: refuse,
    prepareJournal: refuse,
    writeJournal: refuse,
    forgetRun: refuse,
    writeRun: refuse,
    openLog: refuse,
    logsWritten: refuse,
    readDevice: refuse,
    writeDevice: refuse,
    deviceMemory: refuse,
    keepAlive: refuse,
    countAlive: refuse,
    noteWorker: refuse,
    forgetWorker: refuse,
    requireWorkers: refuse,
    listRequired: refuse,
    // Whoever decides with a token sits where its key is.
    sign: refuse,
    isSigned: refuse,
    publicKey: refuse,
    ...NOTHING_MADE,
    ...NOTHING_NOTED,
    ...NOTHING_TOLD,
  };
}
