// @seconds 60
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant } from '../../src/activities/gates/grant.js';
import { issueGrant, readGrant } from '../../src/activities/gates/grant.js';
import type { Decision, Gate } from '../../src/plan/gates/gate.js';
import { DECIDE, MEMO } from '../../src/plan/names.js';
import type { Store } from '../../src/store/store.js';
import { openStore } from '../../src/store/local-store.js';
import type { Finished, Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { Outsider } from './connect.js';
import { connect } from './connect.js';

const GATED = `name: gated
steps:
  - id: ok
    approval: "Save this?"
    content: "what is saved"
`;
const TWO = `name: two
steps:
  - id: ok
    approval: {message: "Save this?", quorum: 2}
    content: "a draft"
`;
const LOOPS = `name: loops
steps:
  - id: draft
    command: [sh, "-c", "echo title; date +%s%N"]
  - id: ok
    approval: "Good?"
    content: "\${steps.draft.output}"
    rework: {step: draft, max: 5}
`;
const KEY_CHARACTERS = 43;

let project: Project;
let outsider: Outsider;
let store: Store;
beforeAll(async () => {
  project = await openProject({
    'perdure.yml': 'ui: {public_url: "https://runs.example.com"}\n',
    ...{ 'gated.yml': GATED, 'two.yml': TWO, 'loops.yml': LOOPS },
  });
  await project.run('server', 'start');
  outsider = await connect(project);
  store = await openStore(join(project.folder, '.perdure'));
});
afterAll(async () => {
  await outsider.close();
  await project.close();
});

/** A run that waits at its gate. */
async function waiting(run: string, file = 'gated.yml'): Promise<{ handle: WorkflowHandle; gate: Gate }> {
  expect((await project.run('run', file, '--id', run, '--no-wait')).code).toBe(4);
  const handle = outsider.client.workflow.getHandle(run);
  return { handle, gate: await gateOf(handle) };
}

function gateOf(handle: WorkflowHandle, is: (gate: Gate) => boolean = () => true): Promise<Gate> {
  return until(async () => ((await handle.describe()).memo?.[MEMO.waiting] as Gate[] | undefined)?.find(is));
}

async function granted(run: string, ...args: string[]): Promise<{ token: string; link: string | null }> {
  const done = await project.run('grant', `${run}/ok`, '--to', 'ana', '--json', ...args);
  expect(done.code, done.stderr).toBe(0);
  return JSON.parse(done.stdout) as { token: string; link: string | null };
}

function by(token: string, more: Partial<Decision> = {}): Decision {
  const { hash = '', to = '', gate = '' } = readGrant(token) ?? {};
  return { gate, decision: 'approve', hash: hash as Decision['hash'], by: to, grant: token, ...more };
}

/** What the run itself said when it refused a decision that an outsider sent. */
async function refusal(handle: WorkflowHandle, decision: Decision): Promise<string> {
  const error: unknown = await handle.executeUpdate(DECIDE, { args: [decision] }).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowUpdateFailedError)) throw new Error('The run did not refuse', { cause: error });
  return error.cause?.message ?? '';
}

/** Expects what people read of it later: what came by a signal is written down in a moment. */
async function expectRefused(run: string, told: RegExp): Promise<void> {
  await expect.poll(async () => (await project.run('show', run)).stdout).toMatch(told);
  expect((await project.run('logs', run)).stdout).toContain('refused: a decision of');
}

/** The same claims with others put in, signed by nobody. */
function forged(token: string, claims: Partial<Grant>): string {
  const [, signature = ''] = token.split('.');
  const text = JSON.stringify({ ...readGrant(token), ...claims });
  return `${Buffer.from(text).toString('base64url')}.${signature}`;
}

describe('a grant', () => {
  it('decides once, as who it was made for, without a name or a key of who uses it', async () => {
    const { handle } = await waiting('once');
    const { token, link } = await granted('once');
    expect(link).toBe(`https://runs.example.com/granted/${token}`);
    const done = await project.run('approve', '--token', link ?? '', '--comment', 'go on');
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain('what is saved');
    expect(await handle.result()).toMatchObject({ status: 'success' });
    expect((await project.run('show', 'once')).stdout).toContain('approved by ana: go on');
    const again = await project.run('reject', '--token', token);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('has ended') as string });
    await expectRefused('once', /1 decision refused:\n.*by ana: The run `once` has ended: success\./);
  });

  it('used by two processes at once is used by one of them, and the other is told and kept', async () => {
    await waiting('race', 'two.yml');
    const { token } = await granted('race');
    const use = (): Promise<Finished> => project.run('approve', '--token', token);
    const ends = await Promise.all([use(), use()]);
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(ends.find(({ code }) => code === 1)?.stderr).toMatch(/already decided by ana|was used before/);
    await expectRefused('race', /\b1 decision refused/);
  });

  it('that was used is of no use again where an edit has made what was said void', async () => {
    const { handle } = await waiting('again', 'two.yml');
    const { token } = await granted('again', '--decisions', 'approve');
    await handle.executeUpdate(DECIDE, { args: [by(token)] });
    const { hash } = await gateOf(handle, ({ votes }) => votes?.length === 1);
    const edit = await store.put('another draft');
    await handle.executeUpdate(DECIDE, { args: [{ gate: 'ok', decision: 'approve', hash, by: 'bo', edit }] });
    const edited = await gateOf(handle, (gate) => gate.hash !== hash);
    expect(await refusal(handle, by(token))).toContain('shows other content');
    expect(await refusal(handle, by(token, { hash: edited.hash }))).toContain('a grant for other content');
    // Somebody edits it back to what the grant is for.
    const back = await store.put('a draft');
    await handle.executeUpdate(DECIDE, {
      args: [{ gate: 'ok', decision: 'approve', hash: edited.hash, by: 'cy', edit: back }],
    });
    await gateOf(handle, (gate) => gate.hash === hash);
    expect(await refusal(handle, by(token))).toContain('was used before: each decides once');
  });

  it('is void once it expires, for another gate, at another time, and for what it does not allow', async () => {
    const { handle, gate } = await waiting('void');
    const other = await waiting('other');
    const { token } = await granted('void', '--decisions', 'reject');
    const claims = readGrant(token);
    if (claims === null) throw new Error('expected a grant');
    const issued = (more: Partial<Grant>): Promise<string> =>
      issueGrant({ ...claims, may: ['approve'], ...more }, store);
    expect(await refusal(handle, by(await issued({ exp: 1 })))).toContain('expired at 1970-01-01');
    expect(await refusal(handle, by(await issued({ since: '2026-01-01T00:00:00.000Z' })))).toContain('an earlier time');
    expect(await refusal(handle, by(await issued({ first: 'x' })))).toContain('an earlier time');
    expect(await refusal(other.handle, by(await issued({})))).toContain('another gate, `ok` of `void`');
    expect(await refusal(handle, by(await issued({ to: 'bo' }), { by: 'eve' }))).toContain(
      'a grant for bo, not for eve',
    );
    expect(await refusal(handle, by(token))).toContain('does not allow `approve`: it allows reject');
    const edit = await store.put('something else');
    expect(await refusal(handle, by(await issued({}), { edit }))).toContain('does not allow `edit`');
    expect(await gateOf(handle)).toEqual(gate);
    await expectRefused('void', /\b6 decisions refused, the last 5 here/);
    await expectRefused('other', /\b1 decision refused/);
  });

  it('that nobody signed is refused, by update and by signal, whatever it says', async () => {
    const { handle, gate } = await waiting('forged');
    const { token } = await granted('forged', '--decisions', 'reject');
    const [text = '', signature = ''] = token.split('.');
    const receipt = `${text}.${await store.sign(text)}`;
    const forgeries = [
      forged(token, { may: ['approve'] }),
      forged(token, { to: 'eve' }),
      forged(token, { exp: 8_000_000_000_000 }),
      ...[`${text}.`, text, '.', 'x.y', `${text}.${signature}x`, `${text}.${signature}=`, `${token}.${signature}`],
      receipt,
    ];
    for (const one of forgeries) {
      const decision = { gate: 'ok', decision: 'reject' as const, hash: gate.hash, by: 'ana', grant: one };
      expect(await refusal(handle, decision), one).toContain('forged or damaged');
      await handle.signal(DECIDE, decision);
    }
    expect(await gateOf(handle)).toEqual(gate);
    const { code, stderr } = await project.run('reject', '--token', forged(token, { to: 'eve' }));
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('forged or damaged') as string });
    await expectRefused('forged', new RegExp(`\\b${2 * forgeries.length + 1} decisions refused`));
  });

  it('that is none, or is for another gate than is named, is kept as refused with that gate', async () => {
    const { handle, gate } = await waiting('none');
    await waiting('named');
    const { token } = await granted('named');
    const use = (what: string): Promise<Finished> => project.run('approve', 'none/ok', '--token', what);
    for (const damaged of ['x', token.slice(20), `${Buffer.from('{}').toString('base64url')}.x`])
      expect(await use(damaged)).toMatchObject({ code: 1, stderr: expect.stringContaining('is no token') as string });
    const other = await use(token);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('for the gate `named/ok`') as string });
    await expectRefused('none', /\b4 decisions refused/);
    const { stdout } = await project.run('logs', 'none');
    expect(stdout.match(/of `ok` by \S+: What was given is no token/g)).toHaveLength(3);
    expect(stdout).not.toContain(token);
    expect(await gateOf(handle)).toEqual(gate);
  });

  it('is void once what it was made for was asked anew with other content', async () => {
    const { handle, gate } = await waiting('loops', 'loops.yml');
    const { token } = await granted('loops');
    await handle.executeUpdate(DECIDE, {
      args: [{ gate: gate.path, decision: 'reject', hash: gate.hash, by: 'bo', comment: 'again' }],
    });
    await gateOf(handle, ({ since }) => since !== gate.since);
    const { code, stderr } = await project.run('approve', '--token', token);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('other content') as string });
    expect(await refusal(handle, by(token))).toMatch(/already decided|shows other content|No gate/);
    await expectRefused('loops', /\b2 decisions refused/);
  });

  it('takes the place of a token where decisions want one, and its key is in no history and no value', async () => {
    await writeFile(join(project.folder, 'perdure.yml'), 'approvals: {require_token: true}\n');
    const { handle, gate } = await waiting('kept');
    const { token, link } = await granted('kept');
    expect(link).toBeNull();
    expect(await refusal(handle, { gate: 'ok', decision: 'approve', hash: gate.hash, by: 'ana' })).toContain(
      'wants a token with each decision',
    );
    await handle.executeUpdate(DECIDE, { args: [by(token)] });
    await handle.result();
    const file = join(project.folder, '.perdure', 'approval.key');
    const key = (await readFile(file, 'utf8')).trim();
    expect(key).toHaveLength(KEY_CHARACTERS);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(await handle.fetchHistory())).not.toContain(key);
    expect((await project.run('logs', 'kept')).stdout).not.toContain(key);
  });
});
