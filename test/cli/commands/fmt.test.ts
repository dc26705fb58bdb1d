import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HELLO, MAIN, newFolder, perdureHere } from '../helpers/command-line.js';

describe('fmt', () => {
  it('passes by what in a folder has no canonical form: permissions, devices, texts for people', async () => {
    const folder = newFolder({
      'definitions/permissions/small.yml': 'commands:\n  - [git]\n',
      'definitions/devices/board.yml': 'name: board\n',
      'definitions/README.md': '# Ours\n',
      'definitions/workflows/hello.yml': HELLO.replace('  - ', '- ').replace(/^ {4}/m, '  '),
    });
    const { code, stdout, stderr } = await perdureHere(folder, ['fmt', '--check', 'definitions', '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ ok: false, problems: [], changed: ['definitions/workflows/hello.yml'] });
  });

  it('says that it has written nothing where one of the files has a problem', async () => {
    const written = HELLO.replace('  - ', '- ').replace(/^ {4}/m, '  ');
    const folder = newFolder({ 'good.yml': written, 'bad.yml': 'steps: [\n' });
    const said = await perdureHere(folder, ['fmt', 'good.yml', 'bad.yml']);
    expect(said).toMatchObject({ code: 2, stdout: '' });
    expect(said.stderr).toContain('Nothing was written: all files that are named must be sound.');
    const { stdout } = await perdureHere(folder, ['fmt', 'good.yml', 'bad.yml', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, changed: [] });
    expect(readFileSync(join(folder, 'good.yml'), 'utf8')).toBe(written);
  });

  it('leaves the file and nothing else on a full disk, and says so', () => {
    const written = HELLO.replace('  - ', '- ').replace(/^ {4}/m, '  ');
    const folder = newFolder({ 'definitions/workflows/hello.yml': written });
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, MAIN, 'fmt', 'definitions'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/^Error: Cannot write `.*hello\.yml`: the file would be too large \(EFBIG\)\.\n/),
    });
    const at = join(folder, 'definitions', 'workflows');
    expect([readdirSync(at), readFileSync(join(at, 'hello.yml'), 'utf8')]).toEqual([['hello.yml'], written]);
  });
});
