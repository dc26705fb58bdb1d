import type { Device } from '../../plan/devices/device.js';
import { isSimulated } from '../../plan/devices/device.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, utf8Bytes } from '../../plan/values/json.js';
import type { FoundDevice, Line, StoreAnswers, StoreRequest } from '../../plan/calls/store-questions.js';
import { ACCESS_BYTES } from '../../plan/calls/store-questions.js';
import type { RunRecord } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Dependencies, DeviceFolders } from '../dependencies.js';
import { explainPort } from '../devices/port/explain-port.js';
import { findPort } from '../devices/port/ports.js';
import { stepFailure } from '../failures.js';
import { choosePlayers } from '../agents/choose-players.js';
import { placeOf } from '../../store/folders/places.js';

/** A page of a log is a megabyte of text; as JSON in JSON it is more. Temporal takes 2 MiB. */
const ANSWER_BYTES = ACCESS_BYTES * 1.75;
/** Of a value that is sent in parts; a character is at most six bytes of JSON. */
const PART_CHARACTERS = Math.floor(ACCESS_BYTES / 6);

/**
 * Answers a CLI or a worker that has not this worker's store (decision 11). What is too big to be sent is refused,
 * never cut.
 */
export function createAccessStore(deps: Dependencies): Activities['accessStore'] {
  return async (request) => {
    const answer = (await answerOf(deps, request)) as unknown as Json; // every answer is plain JSON
    const bytes = utf8Bytes(JSON.stringify(answer));
    if (bytes > ANSWER_BYTES)
      throw stepFailure(
        'internal',
        `This has ${bytes.toLocaleString('en-US')} bytes, too many to be sent: look at it where the store ` +
          `\`${deps.store.id}\` is.`,
      );
    return answer;
  };
}

async function answerOf(deps: Dependencies, request: StoreRequest): Promise<StoreAnswers[StoreRequest['op']]> {
  const { store } = deps;
  switch (request.op) {
    case 'listWorkers':
      return store.listWorkers();
    case 'takeHookPlace':
      return store.takeHookPlace(request.hook, request.wish);
    case 'closedRuns':
      return closedPage(store, request);
    case 'readNarration':
      return store.readNarration(request.run);
    case 'followers':
      requireNoChange(request);
      return store.readFollowers();
    case 'changeFollowers':
      return store.changeFollowers(request.change);
    default:
      return answerTo(deps, request);
  }
}

/** A CLI of before changes followers by a question that only reads today. */
function requireNoChange({ op, ...more }: Extract<StoreRequest, { op: 'followers' }>): void {
  if (Object.keys(more).length > 0)
    throw stepFailure(
      'internal',
      `This worker takes no changes by \`${op}\`: expected a command of its own version of Perdure.`,
    );
}

async function answerTo(
  { store, credentials, root, deviceFolders }: Dependencies,
  request: Exclude<
    StoreRequest,
    { op: 'listWorkers' | 'takeHookPlace' | 'closedRuns' | 'readNarration' | 'followers' | 'changeFollowers' }
  >,
): Promise<StoreAnswers[StoreRequest['op']]> {
  switch (request.op) {
    case 'where':
      return { root: placeOf(store, root ?? process.cwd()), id: store.id };
    case 'get':
      return store.get(request.ref);
    case 'getPart':
      return partOf(canonicalJson(await store.get(request.ref)), request.at);
    case 'put':
      return putAll(store, request);
    case 'getPlan':
      return store.getPlan(request.plan);
    case 'putPlan':
      await store.putPlan(request.plan);
      return null;
    case 'readRun':
      return store.readRun(request.run);
    case 'listRuns':
      return store.listRuns(request.below);
    case 'listLogs':
      return store.listLogs(request.run);
    case 'readLog':
      return store.readLog(request.run, request.path, request.offset);
    case 'addLog':
      return addLog(store, request);
    case 'findDevice':
      return findDevice(request.device, deviceFolders);
    case 'choosePlayers': {
      const { plan, options, providers, rehearse, also, usual } = request;
      return choosePlayers({
        plan,
        options,
        providers,
        env: { PATH: process.env['PATH'], ...credentials() },
        rehearse,
        also,
        usual,
      });
    }
  }
}

function putAll(store: Store, { values, always }: Extract<StoreRequest, { op: 'put' }>): Promise<Value[]> {
  return Promise.all(values.map((value) => (always ? store.putAlways(value) : store.put(value))));
}

/** As many records as may be sent at once. */
async function closedPage(
  store: Store,
  { skip, most }: Extract<StoreRequest, { op: 'closedRuns' }>,
): Promise<RunRecord[]> {
  const page: RunRecord[] = [];
  let seen = 0;
  let bytes = 0;
  for await (const records of store.closedRuns(skip + most))
    for (const record of records) {
      seen += 1;
      if (seen <= skip) continue;
      bytes += utf8Bytes(JSON.stringify(record));
      if (page.length === most || (page.length > 0 && bytes > ACCESS_BYTES)) return page;
      page.push(record);
    }
  return page;
}

/**
 * Temporal asks again where an answer was lost: what the first asking has added is found from `at` on, and left as it
 * is.
 */
async function addLog(
  store: Store,
  { run, path, lines, at }: Extract<StoreRequest, { op: 'addLog' }>,
): Promise<StoreAnswers['addLog']> {
  let there = 0;
  const end = await endOfLog(store, { run, path, from: at ?? 0 }, (line) => {
    if (at !== null && isSame(line, lines[there])) there += 1;
  });
  const missing = lines.slice(there);
  if (missing.length === 0) return { next: end };
  const log = store.openLog(run, path);
  for (const line of missing) log.write(line.stream, line.text, line.at);
  await log.close();
  return { next: await endOfLog(store, { run, path, from: end }) };
}

async function endOfLog(
  store: Store,
  { run, path, from }: { run: string; path: string; from: number },
  see: (line: Line) => void = () => undefined,
): Promise<number> {
  for (let offset = from; ;) {
    const { lines, next } = await store.readLog(run, path, offset);
    lines.forEach(see);
    if (next === offset) return next;
    offset = next;
  }
}

function isSame(a: Line, b: Line | undefined): boolean {
  return b !== undefined && a.at === b.at && a.stream === b.stream && a.text === b.text;
}

function partOf(text: string, at: number): StoreAnswers['getPart'] {
  const next = at + PART_CHARACTERS;
  return { text: text.slice(at, next), next: next < text.length ? next : null };
}

async function findDevice(device: Device, folders?: DeviceFolders): Promise<FoundDevice> {
  if (isSimulated(device)) return { path: 'simulated', detail: `simulated ${device.board}`, fix: null };
  const [found, { detail, fix }] = await Promise.all([findPort(device, folders), explainPort(device, folders)]);
  return { path: 'path' in found ? found.path : null, detail, fix };
}
