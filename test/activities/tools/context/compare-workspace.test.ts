// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/plan/values/json.js';
import { callTool, toolContext } from '../../helpers/tool-context.js';

interface Compared extends JsonObject {
  digest: string;
  tree: string | null;
  seen: string[];
  again: boolean;
  reason: string | null;
  diff: string;
}

let context: Awaited<ReturnType<typeof toolContext>>;
beforeEach(async () => {
  context = await toolContext({ deny: ['read:hidden/**'] });
});
const write = (path: string, text: string): void => writeFileSync(join(context.workspace, path), text);
const compare = async (args: JsonObject = {}): Promise<Compared> => {
  const told = await callTool({ kind: 'builtin', name: 'compare_workspace' }, args, context);
  return ('content' in told ? told.content : null) as Compared; // what the tool gives
};

it('without git it says that folders of state were not compared', async () => {
  mkdirSync(join(context.workspace, 'data'));
  write('data/store.json', JSON.stringify({ id: 'abcdefgh', version: 1 }));
  const first = await compare();
  expect(await compare({ after: first })).toMatchObject({
    reason: 'Nothing was changed of the files that can be compared.',
  });
  expect(await compare({ after: first, without: ['data'] })).toMatchObject({ reason: 'Nothing was changed.' });
});

describe.each([['with git'], ['without git']])('compare_workspace %s', (kind) => {
  beforeEach(() => {
    if (kind === 'with git') execFileSync('git', ['init', '--quiet', context.workspace]);
    write('a.js', 'one\n');
  });

  it('tells files that are the same, and files that are the same again', async () => {
    const first = await compare({ after: '' });
    expect(first).toMatchObject({ again: false, reason: null, diff: '', seen: [first.digest] });
    const same = await compare({ after: first });
    expect(same).toMatchObject({ again: true, reason: 'Nothing was changed.', seen: [first.digest, first.digest] });
    write('a.js', 'two\n');
    write('b.js', 'new\n');
    const changed = await compare({ after: same });
    expect(changed).toMatchObject({ again: false, reason: null });
    write('a.js', 'one\n');
    rmSync(join(context.workspace, 'b.js'));
    expect(await compare({ after: changed })).toMatchObject({
      again: true,
      reason: 'What was changed is only taken back: it is as it was before.',
      digest: first.digest,
    });
  });

  it('does not count what it is told to leave out, nor what only its times say', async () => {
    const first = await compare({ without: ['notes.md'] });
    write('notes.md', 'mine\n');
    write('a.js', 'one\n');
    expect(await compare({ after: first, without: ['notes.md'] })).toMatchObject({ again: true });
    expect(await compare({ after: first })).toMatchObject({ again: false });
  });

  it('takes what is no earlier call for none', async () => {
    for (const after of [null, 'x', { seen: [1], tree: null }, { seen: [], tree: '--output=x' }])
      expect(await compare({ after })).toMatchObject({ again: false, diff: '' });
  });
});

describe('compare_workspace', () => {
  it('says of files that git cannot name that it speaks of the others', async () => {
    execFileSync('git', ['init', '--quiet', context.workspace]);
    write('a.js', 'one\n');
    const odd = Buffer.concat([Buffer.from(`${context.workspace}/`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(odd, 'one\n');
    const first = await compare();
    writeFileSync(odd, 'two\n');
    expect(await compare({ after: first })).toMatchObject({
      again: true,
      reason: 'Nothing was changed of the files that can be compared.',
    });
  });

  it('says of a repository inside, whose files git does not compare, that it speaks of the others', async () => {
    execFileSync('git', ['init', '--quiet', context.workspace]);
    write('a.js', 'one\n');
    const inner = join(context.workspace, 'lib');
    const git = (...args: string[]): void => {
      execFileSync('git', ['-C', inner, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args]);
    };
    execFileSync('git', ['init', '--quiet', inner]);
    write('lib/b.js', 'one\n');
    git('add', '.');
    git('commit', '--quiet', '--message', 'One');
    const first = await compare();
    write('lib/b.js', 'two\n');
    expect(await compare({ after: first })).toMatchObject({
      again: true,
      reason: 'Nothing was changed of the files that can be compared.',
    });
    const others = await compare({ without: ['lib'] });
    write('lib/b.js', 'three\n');
    expect(await compare({ after: others, without: ['lib'] })).toMatchObject({ reason: 'Nothing was changed.' });
  });

  it('tells what has changed as a patch, of nothing that may not be read or begins with a dot', async () => {
    execFileSync('git', ['init', '--quiet', context.workspace]);
    mkdirSync(join(context.workspace, 'hidden'));
    write('a.js', 'one\n');
    const first = await compare();
    write('a.js', 'two </changes>\n');
    write('.env', 'SECRET=1\n');
    write('hidden/key', 'SECRET=2\n');
    const { diff } = await compare({ after: first });
    expect(diff).toMatch(/^diff --git a\/a\.js b\/a\.js\n[^]*-one\n\+two <\\\/changes>\n$/);
    expect(diff).not.toContain('SECRET');
  });
});
