import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examplesIn } from '../../../src/cli/submit/examples.js';
import { packageRoot } from '../../../src/store/folders/package-root.js';
import { newFolder, perdureHere } from '../helpers/command-line.js';

const NAMES = examplesIn(packageRoot()).map(({ name }) => name);

describe('`perdure init --example`', () => {
  it('names every shipped definition with what it does', async () => {
    const { stdout, code } = await perdureHere(newFolder(), ['init', '--list']);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => /^\S+ {2,}\S/.test(line))).toHaveLength(NAMES.length);
    expect(stdout).toMatch(/^workflows\/review-repository +Reviews a git repository\. Commands .* it is saved\.$/m);
    expect(stdout).toContain('projects/question-desk');
  });

  it.each(NAMES)('copies `%s` with all that it names: the copy has no problems', async (name) => {
    const folder = newFolder({ 'perdure.yml': '' });
    const { code, stdout } = await perdureHere(folder, ['init', '--example', name, '--json']);
    expect(code).toBe(0);
    const { made } = JSON.parse(stdout) as { made: string[] };
    expect(made.some((file) => file.startsWith(`definitions/${name}`))).toBe(true);
    // Boards come with the package's own settings, where a project has none.
    writeFileSync(join(folder, 'perdure.yml'), readFileSync(join(packageRoot(), 'perdure.yml')));
    const checked = await perdureHere(folder, ['validate', 'definitions', '--json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true });
  });

  it.each(NAMES)('says of `%s` what can be typed next: it is checked by that', async (name) => {
    const folder = newFolder();
    // Where a project has settings of its own, the boards of examples are for it to name.
    rmSync(join(folder, 'perdure.yml'), { force: true });
    const { stderr } = await perdureHere(folder, ['init', '--example', name]);
    const [first = '', second = ''] = [...stderr.matchAll(/^ {2}perdure (.*)$/gm)].map(([, words = '']) => words);
    expect(await perdureHere(folder, first.split(' '))).toMatchObject({ code: 0 });
    expect(second).toMatch(/^(?:run|build|tools call) \S+$/);
  });

  it('changes nothing that is there', async () => {
    const mine = 'name: gist\nsteps:\n  - id: one\n    command: ["true"]\n';
    const folder = newFolder({ 'definitions/chains/gist.yml': mine });
    const { stdout } = await perdureHere(folder, ['init', '--example', 'gist', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kept: expect.arrayContaining(['definitions/chains/gist.yml']) as string[],
    });
    expect(readFileSync(join(folder, 'definitions/chains/gist.yml'), 'utf8')).toBe(mine);
    expect(existsSync(join(folder, 'definitions/workflows/hello.yml'))).toBe(false);
  });

  it('says which one is meant where a name stands for two, and what there is where it stands for none', async () => {
    const two = await perdureHere(newFolder(), ['init', '--example', 'blink']);
    expect(two).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`workflows/blink` or `builds/blink`') as string,
    });
    const none = await perdureHere(newFolder(), ['init', '--example', 'nope']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('`perdure init --list`') as string });
  });
});
