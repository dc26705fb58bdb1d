import { join } from 'node:path';
import type { Json } from '../../../plan/values/json.js';
import { readLines } from '../../line-files.js';
import { copiedLines, copyLines } from '../logs.js';
import { linesOf } from '../records.js';
import type { Copying } from './copying.js';
import { appendMissing, namesIn, readOrLeave, textOfName } from './copying.js';

/** Copies what steps said, from where the last copy of the folder has ended. */
export async function copyLogs(copying: Copying): Promise<void> {
  const { stateDir, source, note, leave } = copying;
  for (const entry of await namesIn(copying, join(stateDir, 'logs'), '')) {
    const run = textOfName(entry);
    if (run === null) {
      leave(`the logs \`${entry}\`: their folder does not say whose they are`);
      continue;
    }
    const paths = await readOrLeave(copying, `the logs of \`${run}\``, () => source.listLogs(run));
    for (const path of paths ?? []) if (await copyLog(copying, run, path)) note('logs');
  }
}

/** Tells whether it had lines that were not there. A log only grows, so they are its last ones. */
async function copyLog(copying: Copying, run: string, path: string): Promise<boolean> {
  const { source, database } = copying;
  const known = await copiedLines(database, { run, path }, source.id);
  let read = 0;
  for (let offset = 0; ;) {
    const from = offset;
    const part = await readOrLeave(copying, `the log of \`${path}\` of \`${run}\``, () =>
      source.readLog(run, path, from),
    );
    if (part === null || part.next === offset) return read > known;
    const lines = part.lines.slice(Math.max(0, known - read));
    read += part.lines.length;
    const token = `${source.id} line ${String(read - lines.length)}`;
    if (lines.length > 0) await copyLines(database, { run, path, lines }, token);
    offset = part.next;
  }
}

/** Copies sessions, memories and narration: of each the lines that are not there. */
export async function copyTalk(copying: Copying): Promise<void> {
  await copySessions(copying);
  const { stateDir, database, note } = copying;
  const memories = linesOf(database, 'memory');
  const file = join(stateDir, 'memory', 'memories.ndjson');
  const remembered = (await readOrLeave(copying, 'the memories', () => readLines(file))) ?? [];
  const added = await appendMissing(memories, '', remembered, await memories.read(''));
  if (added > 0) note('memories', added);
  await copyNarrations(copying);
}

async function copySessions(copying: Copying): Promise<void> {
  const { stateDir, source, database, note, leave } = copying;
  const sessions = linesOf(database, 'session');
  for (const id of await namesIn(copying, join(stateDir, 'sessions'), '.ndjson')) {
    const what = `the session \`${id}\``;
    const file = join(stateDir, 'sessions', `${id}.ndjson`);
    const lines = await readOrLeave(copying, what, async () =>
      (await source.readSession(id)) === null ? [] : (readLines(file) ?? []),
    );
    if (lines?.length === 0) leave(`${what}: its file is damaged`);
    const added = await appendMissing(sessions, id, lines ?? [], await sessions.read(id));
    if (added > 0) note('sessions');
  }
}

async function copyNarrations(copying: Copying): Promise<void> {
  const { stateDir, source, target, database, note } = copying;
  const narration = linesOf(database, 'narration');
  for (const name of await namesIn(copying, join(stateDir, 'narration'), '.ndjson')) {
    const run = textOfName(name);
    if (run === null) continue;
    const what = `the narration of \`${run}\``;
    const told = (await readOrLeave(copying, what, () => source.readNarration(run))) ?? [];
    const known = await target.readNarration(run);
    // JSON-safe
    const added = await appendMissing(narration, run, told as unknown as Json[], known as unknown as Json[]);
    if (added > 0) note('narrations');
    const concepts = await readOrLeave(copying, what, () => source.listConcepts(run));
    for (const concept of concepts ?? []) await target.claimConcept(run, concept);
  }
}
