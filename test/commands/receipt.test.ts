// @module-tag openssl
// @seconds 45
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Statement } from '../../src/activities/gates/receipt.js';
import { canonicalJson } from '../../src/plan/values/json.js';
import { sha256 } from '../../src/store/hash.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const GATED = `name: gated
steps:
  - id: ok
    approval: "Save this?"
    content: "what is saved"
  - id: which
    ask: "Which?"
`;
const BELOW = `name: below
steps:
  - id: inner
    workflow: gated.yml
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'gated.yml': GATED, 'below.yml': BELOW });
  await done('receipt', '--public-key').then((pem) => writeFile(join(project.folder, 'perdure.pub'), pem));
});
afterAll(() => project.close());

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Waits until a run waits for its next decision. */
const waits = async (run: string): Promise<void> =>
  void expect((await project.run('watch', run, '--no-wait')).code).toBe(4);

/** The commands that docs/approvals.md gives, as they are typed there; what openssl says. */
async function verified(file: string): Promise<string> {
  const docs = await readFile('docs/approvals.md', 'utf8');
  const commands = /```\n(head -n 1 [\s\S]*?)```/.exec(docs)?.[1]?.replaceAll('notes.receipt', file) ?? 'false';
  try {
    return execFileSync('bash', ['-ec', commands], { cwd: project.folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch (error) {
    return String((error as { stdout: string }).stdout).trim(); // what it throws has its output
  }
}

it('of each decision of a run there is a receipt, which openssl alone verifies, and nobody can change', async () => {
  expect((await project.run('run', 'gated.yml', '--id', 'one', '--no-wait')).code).toBe(4);
  const { token } = JSON.parse(await done('grant', 'one', '--to', 'ana', '--json')) as { token: string };
  await done('approve', '--token', token, '--comment', 'go on');
  await waits('one');
  await done('answer', 'one', 'the second', '--as', 'bo');
  await done('receipt', 'one/ok', '-o', 'ok.receipt');
  expect(await verified('ok.receipt')).toBe('Signature Verified Successfully');
  const text = await project.read('ok.receipt');
  const [line = ''] = text.split('\n');
  expect(JSON.parse(line)).toMatchObject({
    ...{ kind: 'perdure-receipt-1', run: 'one', gate: 'one/ok', message: 'Save this?', decision: 'approve' },
    ...{ by: ['ana'], via: ['grant'], comment: 'go on', output: { value: 'what is saved' } },
    hash: sha256(canonicalJson({ message: 'Save this?', content: 'what is saved' })),
  });
  for (const [file, changed] of [
    ['other-person.receipt', text.replace('"ana"', '"eve"')],
    ['other-time.receipt', text.replace(/"at":"\d/, '"at":"3')],
    ['other-signature.receipt', text.replace(/\n(.)/, (_, first) => (first === 'A' ? '\nB' : '\nA'))],
  ] as const) {
    expect(changed).not.toBe(text);
    await writeFile(join(project.folder, file), changed);
    expect(await verified(file)).not.toContain('Successfully');
  }
  const all = JSON.parse(await done('receipt', 'one', '--json')) as Statement[];
  expect(all.map(({ gate, by, via, decision }) => [gate, decision, by, via])).toEqual([
    ['one/ok', 'approve', ['ana'], ['grant']],
    ['one/which', 'answer', ['bo'], ['terminal']],
  ]);
});

it('a nested gate has one with its own address, also of an edited content and of a rejection', async () => {
  expect((await project.run('run', 'below.yml', '--id', 'two', '--no-wait')).code).toBe(4);
  await writeFile(join(project.folder, 'edited.txt'), 'better');
  await done('approve', 'two', '--edit', 'edited.txt', '--as', 'ana');
  await waits('two');
  await done('answer', 'two', 'none', '--as', 'ana');
  const [first] = JSON.parse(await done('receipt', 'two', '--json')) as Statement[];
  expect(first).toMatchObject({ gate: 'two/inner/ok', output: { value: 'better' } });
  expect(first?.hash).toBe(sha256(canonicalJson({ message: 'Save this?', content: 'better' })));
  expect(first?.asked).toBe(sha256(canonicalJson({ message: 'Save this?', content: 'what is saved' })));
  expect((await project.run('run', 'gated.yml', '--id', 'three', '--no-wait')).code).toBe(4);
  await done('reject', 'three', '--comment', 'not like this');
  const rejected = JSON.parse(await done('receipt', 'three', '--json')) as Statement[];
  expect(rejected).toMatchObject([{ decision: 'reject', comment: 'not like this', output: null }]);
});

it('says that there is none where nobody has decided, and which of them another key has signed', async () => {
  expect((await project.run('run', 'gated.yml', '--id', 'four', '--no-wait')).code).toBe(4);
  const none = await project.run('receipt', 'four');
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no receipt') as string });
  await done('approve', 'four/ok');
  await writeFile(join(project.folder, '.perdure', 'approval.key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`);
  const { stderr } = await project.run('receipt', 'four');
  expect(stderr).toContain('1 receipt of these was not signed by the key of now');
});
