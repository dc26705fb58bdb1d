// @module-tag git
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/store/hash.js';
import { openStore } from '../../src/store/local-store.js';
import type { ShippedProject, Voices } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

const path = (file: string): string => join(project.folder, file);
const agent = (name: string, prompt: string): string =>
  `---\nname: ${name}\nbase: general-purpose\ndescription: Looks at words.\nmodel: haiku\ncreated: ` +
  `2026-11-22\n---\n${prompt}\n`;

/** Writes a file, and remembers it as one that the designer made. */
async function make(file: string, text: string): Promise<void> {
  mkdirSync(path('temp-agents'), { recursive: true });
  writeFileSync(path(file), text);
  await (
    await openStore(path('.perdure'))
  ).writeMade({ file: path(file), hash: sha256(text), made_at: '2026-11-22T00:00:00Z' });
}

const VOICES: Voices = {
  'You count words': () => ({ text: 'RESULT: passed' }),
  'You judge words': () => ({ text: 'fine' }),
  'You were written by hand': () => ({ text: 'kept' }),
};
const FLOW = `$judge := {base: "general-purpose", prompt: "You judge words in src/a.ts.", model: "haiku"}
@wait -> $word-counter:"Count":n (if passed)~> $judge:"Judge {n}" -> by-hand:"Look"`;

describe('the life of temporary agents', () => {
  it('made files are there while a run that uses them is open, and then gone; those of people stay', async () => {
    await make('temp-agents/word-counter.md', agent('word-counter', 'You count words.'));
    await make('temp-agents/unused.md', agent('unused', 'You are not used.'));
    await make('temp-agents/changed.md', agent('changed', 'You were made.'));
    writeFileSync(path('temp-agents/changed.md'), agent('changed', 'You were made, and a person has changed you.'));
    writeFileSync(path('temp-agents/by-hand.md'), agent('by-hand', 'You were written by hand.'));
    writeFileSync(path('words.flow'), FLOW.replace('-> by-hand', '-> changed:"Look" -> by-hand'));

    expect(
      (
        await project.run('../../words.flow', ['--id', 'words', '--no-wait'], {
          ...VOICES,
          'You were made': () => ({ text: 'changed' }),
        })
      ).code,
    ).toBe(4);
    expect(existsSync(path('temp-agents/word-counter.md'))).toBe(true);
    await project.perdure('approve', 'words/wait');
    expect((await project.perdure('watch', 'words')).stdout.trim()).toBe('kept');
    expect(
      ['word-counter', 'unused', 'changed', 'by-hand'].filter((name) => existsSync(path(`temp-agents/${name}.md`))),
    ).toEqual(['unused', 'changed', 'by-hand']);
  });

  it('promotion judges those of a closed run from its Plan, and writes what a person keeps', async () => {
    const listed = await project.perdure('agents', 'promote', '--run', 'words', '--json');
    expect(JSON.parse(listed.stdout)).toEqual([
      expect.objectContaining({ name: 'by-hand', status: 'listed' }),
      expect.objectContaining({ name: 'changed', status: 'listed' }),
      expect.objectContaining({
        name: 'judge',
        reusable: false,
        reason: 'it names a file of this project',
        status: 'listed',
      }),
      expect.objectContaining({ name: 'word-counter', status: 'listed' }),
    ]);
    expect((await project.perdure('agents', 'promote', 'word-counter', '--run', 'words')).code).toBe(0);
    const written = readFileSync(path('definitions/agents/word-counter.yml'), 'utf8');
    expect(written).toContain('You count words.');
    expect(written).not.toContain('RESULT:');
    expect(JSON.parse(readFileSync(path('definitions/agents/registry.json'), 'utf8'))).toMatchObject({
      version: 1,
      agents: {
        'word-counter': { file: 'definitions/agents/word-counter.yml', run: 'words', description: 'Looks at words.' },
      },
    });
    expect(JSON.parse((await project.perdure('agents', 'list', '--json')).stdout)).toContainEqual({
      name: 'word-counter',
      source: 'native',
      description: 'Looks at words.',
    });
    expect((await project.perdure('validate', 'definitions/agents')).code).toBe(0);
  });

  it('a name that is taken wants to be renamed, overwritten or skipped', async () => {
    const promote = (...args: string[]) =>
      project.perdure('agents', 'promote', 'word-counter', '--run', 'words', ...args);
    const refused = await promote();
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('`--rename word-counter-2`, `--overwrite` or `--skip`') as string,
    });
    expect(JSON.parse((await promote('--skip', '--json')).stdout)).toMatchObject([{ status: 'skipped', to: null }]);
    expect((await promote('--rename', 'counter')).code).toBe(0);
    expect(readFileSync(path('definitions/agents/counter.yml'), 'utf8')).toContain('name: counter\n');
    expect((await promote('--rename', 'code-reviewer')).code).toBe(2);
    expect((await promote('--overwrite')).code).toBe(0);
  });
});
