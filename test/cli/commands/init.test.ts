import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { wantedModel } from '../../../src/plan/agents/model-names.js';
import type { Plan } from '../../../src/plan/plan.js';
import { newFolder, perdureHere } from '../helpers/command-line.js';

describe('init', () => {
  it('makes a project whose example is valid', async () => {
    const folder = newFolder();
    await perdureHere(folder, ['init']);
    const { code, stdout } = await perdureHere(folder, ['validate', 'definitions']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No problems in 1 file\n' });
  });

  it('gives settings that hold when their comment signs are taken away', async () => {
    const folder = newFolder();
    rmSync(join(folder, 'perdure.yml'));
    await perdureHere(folder, ['init']);
    const file = join(folder, 'perdure.yml');
    expect((await perdureHere(folder, ['plan', 'hello'])).code).toBe(0);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^# (?=\S+:| {2})/gm, ''));
    const { code, stdout } = await perdureHere(folder, ['plan', 'hello']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('in parallel · 30m · $5.00')]);
  });

  it('changes nothing that is there, and adds one line to .gitignore once', async () => {
    const folder = newFolder({ 'perdure.yml': '# mine\n', '.gitignore': 'node_modules' });
    mkdirSync(join(folder, '.claude/agents'), { recursive: true });
    const first = JSON.parse((await perdureHere(folder, ['init', '--json'])).stdout) as object;
    const second = JSON.parse((await perdureHere(folder, ['init', '--json'])).stdout) as object;
    expect(first).toEqual({
      made: ['definitions/workflows/hello.yml', '.gitignore'],
      kept: ['perdure.yml'],
      found: ['.claude/agents'],
    });
    expect(second).toMatchObject({ made: [] });
    expect(readFileSync(join(folder, 'perdure.yml'), 'utf8')).toBe('# mine\n');
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('node_modules\n.perdure/\n');
  });
});

describe('every shipped agent', () => {
  const names = readdirSync(fileURLToPath(new URL('../../../definitions/agents', import.meta.url))).map((file) =>
    file.replace(/\.yml$/, ''),
  );
  it.each(names)('%s follows `models.default`', async (name) => {
    const agent = fileURLToPath(new URL(`../../../definitions/agents/${name}.yml`, import.meta.url));
    // as docs/cli.md says
    const { agents } = JSON.parse((await perdureHere(newFolder(), ['plan', agent, '--json'])).stdout) as Plan;
    expect(Object.values(agents).map(({ model }) => wantedModel(model ?? '', { default: 'openai:ours' }, {}))).toEqual([
      'openai:ours',
    ]);
  });
});
