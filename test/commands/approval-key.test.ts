// @seconds 30
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, projectAt } from '../faults/project.js';

const ASKS = `name: asks
steps:
  - {id: seen, command: [env]}
  - {id: ok, approval: "Save this?", content: "a report", after: [seen]}
`;
/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const KEY = randomBytes(32);
let project: Project;
/** The same folder, where the variable holds another key. */
let other: Project;
beforeAll(async () => {
  const files = { 'asks.yml': ASKS, 'perdure.yml': 'ui: {public_url: "https://runs.example.com"}\n' };
  project = await openProject(files, { PERDURE_APPROVAL_KEY: KEY.toString('base64') });
  other = projectAt(project.folder, { PERDURE_APPROVAL_KEY: randomBytes(32).toString('base64') });
});
afterAll(() => project.close());

async function waiting(id: string): Promise<string> {
  expect((await project.run('run', 'asks.yml', '--id', id, '--no-wait')).code).toBe(4);
  const token = await project.run('grant', `${id}/ok`, '--to', 'ana', '--json');
  expect(token.code, token.stderr).toBe(0);
  return (JSON.parse(token.stdout) as { token: string }).token;
}

describe('PERDURE_APPROVAL_KEY', () => {
  it('signs grants and receipts instead of a key of the store, and no command of a run sees it', async () => {
    const token = await waiting('given');
    const decided = await project.run('approve', '--token', token);
    expect(decided.code, decided.stderr).toBe(0);
    expect((await project.run('watch', 'given')).code).toBe(0);
    expect(existsSync(join(project.folder, '.perdure', 'approval.key'))).toBe(false);
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, KEY]), format: 'der', type: 'pkcs8' });
    const { stdout } = await project.run('receipt', '--public-key');
    expect(stdout.trim()).toBe(createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString().trim());
    const shown = (await project.run('show', 'given', '--json')).stdout;
    expect(shown).toContain('PATH=');
    for (const hidden of ['PERDURE_APPROVAL_KEY', KEY.toString('base64')]) expect(shown).not.toContain(hidden);
    const receipt = JSON.parse((await project.run('receipt', 'given', '--json')).stdout) as unknown;
    expect(JSON.stringify(receipt)).toContain('"grant"');
  });

  it('that holds another key makes grants of the first one void, and that holds none signs nothing', async () => {
    const token = await waiting('changed');
    const decided = await other.run('approve', '--token', token);
    expect(decided.code).not.toBe(0);
    expect(JSON.parse((await project.run('show', 'changed', '--json')).stdout)).toMatchObject({ status: 'waiting' });
    const broken = projectAt(project.folder, { PERDURE_APPROVAL_KEY: 'c2hvcnQ=' });
    const refused = await broken.run('grant', 'changed/ok', '--to', 'ana');
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toContain('Expected `PERDURE_APPROVAL_KEY` to hold 32 bytes in base 64.');
    const again = await project.run('approve', '--token', token);
    expect(again.code, again.stderr).toBe(0);
  });
});
