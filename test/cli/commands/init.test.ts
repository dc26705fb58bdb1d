import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { initBuild } from '../../../src/cli/build/init-build.js';
import { openWorkspace } from '../../../src/cli/session.js';
import type { Terminal } from '../../../src/cli/terminal.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { wantedModel } from '../../../src/plan/agents/model-names.js';
import type { Plan } from '../../../src/plan/plan.js';
import { MAIN, newFolder, perdureHere } from '../helpers/command-line.js';

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

describe('init on a full disk', () => {
  /** As a disk without room does, a limit of no byte lets files be made, and nothing be written to them. */
  const initWithoutRoom = (folder: string, args: string[], room = '0'): { status: number | null; stderr: string } =>
    spawnSync('sh', ['-c', `ulimit -f ${room}; exec "$@"`, 'sh', process.execPath, MAIN, 'init', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });

  it.each([
    ['a project', []],
    ['an example', ['--example', 'review-repository']],
  ])('leaves nothing of %s that would pass for a file of the person', async (_, args) => {
    const folder = newFolder();
    rmSync(join(folder, 'perdure.yml'));
    expect(initWithoutRoom(folder, args)).toMatchObject({ status: 3 });
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual([]);
    const { code, stdout } = await perdureHere(folder, ['init', ...args, '--json']);
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 0, kept: [] });
  });

  it('keeps every byte of a `.gitignore`, and who may read and write it', async () => {
    const folder = newFolder({});
    const file = join(folder, '.gitignore');
    writeFileSync(file, Buffer.from('Gr\xf6\xdfe/\n', 'latin1'));
    chmodSync(file, 0o664);
    const { code } = await perdureHere(folder, ['init']);
    expect(code).toBe(0);
    expect(readFileSync(file).toString('latin1')).toBe('Gr\xf6\xdfe/\n.perdure/\n');
    expect(statSync(file).mode & 0o777).toBe(0o664);
  });

  it('leaves a `.gitignore` that is there as it is', () => {
    const ignored = '# what a build leaves\n'.repeat(1000);
    const folder = newFolder({ '.gitignore': ignored });
    const { status, stderr } = initWithoutRoom(folder, [], '16');
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/^Error: Cannot write `.*\.gitignore`: the file would be too large \(EFBIG\)\.\n/),
    });
    expect([readdirSync(folder).sort(), readFileSync(join(folder, '.gitignore'), 'utf8')]).toEqual([
      ['.gitignore', 'definitions', 'perdure.yml'],
      ignored,
    ]);
  });
});

describe('init in a folder that somebody else wrote', () => {
  it.each(['.gitignore', 'perdure.yml', 'definitions', 'definitions/workflows'])(
    'writes nothing through a link that stands there as %s',
    async (name) => {
      const [folder, outside] = [newFolder(), newFolder({ file: 'mine' })];
      rmSync(join(folder, 'perdure.yml'));
      if (name.includes('/')) mkdirSync(join(folder, 'definitions'));
      symlinkSync(name.startsWith('definitions') ? outside : join(outside, 'file'), join(folder, name));
      const before = readdirSync(outside, { recursive: true });
      const { code } = await perdureHere(folder, ['init']);
      expect(code).not.toBe(0);
      expect([readdirSync(outside, { recursive: true }), readFileSync(join(outside, 'file'), 'utf8')]).toEqual([
        before,
        'mine',
      ]);
    },
  );

  it('waits for no pipe', async () => {
    const folder = newFolder();
    execFileSync('mkfifo', [join(folder, '.gitignore')]);
    expect(await perdureHere(folder, ['init'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`.gitignore` is no file: nothing is written there.') as string,
    });
  });
});

describe('init build', () => {
  const DEVICES = 'devices:\n  uno: {kind: simulated}\n';
  const said = [
    '--goal',
    'A light: it blinks "twice".\n# no: {comment}',
    '--audience',
    '9 - 12',
    '--style',
    'calm & warm',
  ];

  it('writes a spec of what was said that validates, and compiles to a build for that board', async () => {
    const folder = newFolder({ 'perdure.yml': DEVICES });
    const { code, stderr } = await perdureHere(folder, ['init', 'build', ...said, '--board', 'uno']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('definitions/builds/light-it-blinks-twice-no-comment.yml');
    expect((await perdureHere(folder, ['validate', 'definitions'])).stdout).toBe('No problems in 1 file\n');
    const spec = parse(
      readFileSync(join(folder, 'definitions/builds/light-it-blinks-twice-no-comment.yml'), 'utf8'),
    ) as unknown;
    expect(spec).toEqual({
      goal: 'A light: it blinks "twice".\n# no: {comment}',
      type: 'hardware',
      audience: { ages: [9, 12] },
      style: { visual: 'calm & warm' },
      devices: [{ name: 'uno' }],
    });
  });

  it('needs a goal alone, and never overwrites', async () => {
    const folder = newFolder();
    const args = ['init', 'build', 'clock', '--goal', 'A clock.', '--json'];
    expect(JSON.parse((await perdureHere(folder, args)).stdout)).toEqual({ made: ['definitions/builds/clock.yml'] });
    const again = await perdureHere(folder, ['init', 'build', 'clock', '--goal', 'Another clock.']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is there, and stays as it is')]);
    expect(readFileSync(join(folder, 'definitions/builds/clock.yml'), 'utf8')).toContain('goal: A clock.');
  });

  it.each([
    ['Émile', 'emile'],
    ['Un café à Łódź, Straße 3', 'un-cafe-lodz-strasse-3'],
    ['A 3D maze', 'build-3d-maze'],
    ['Часы', 'build'],
    ['…', 'build'],
  ])('names the file after the goal %j: %s', async (goal, name) => {
    const { stdout } = await perdureHere(newFolder(), ['init', 'build', '--goal', goal, '--json']);
    expect(JSON.parse(stdout)).toEqual({ made: [`definitions/builds/${name}.yml`] });
  });

  it('gives a second goal that no Latin letter tells of a name of its own', async () => {
    const folder = newFolder();
    for (const goal of ['Часы', 'Кот'])
      expect((await perdureHere(folder, ['init', 'build', '--goal', goal])).code).toBe(0);
    expect(readdirSync(join(folder, 'definitions/builds'))).toEqual(['build-2.yml', 'build.yml']);
  });

  it.each(['8-14', '8 - 14', '8–14', '8 — 14', '8−14', '8 to 14', '8 14', 'ages 8–14', 'Ages 8 TO 14'])(
    'takes the ages %j',
    async (audience) => {
      const folder = newFolder();
      const { code, stderr } = await perdureHere(folder, ['init', 'build', 'x', '--goal', 'x', '--audience', audience]);
      expect(code, stderr).toBe(0);
      expect(parse(readFileSync(join(folder, 'definitions/builds/x.yml'), 'utf8'))).toMatchObject({
        audience: { ages: [8, 14] },
      });
    },
  );

  it.each([
    ['no goal where nobody can be asked', [], 'Expected `--goal`'],
    ['ages that are none', ['--goal', 'x', '--audience', '14-8'], 'Expected ages such as `8-14`'],
    ['ages that are no numbers', ['--goal', 'x', '--audience', '8–'], 'Expected ages such as `8-14`'],
    ['a board that is not known', ['--goal', 'x', '--board', 'unoo'], 'did you mean `uno`?'],
    ['a goal that is too long', ['--goal', 'x'.repeat(2001)], 'at most 2000 characters'],
    ['a name that is a path', ['../x', '--goal', 'x'], 'Expected a name of letters'],
  ])('refuses %s, and writes nothing', async (_, args, message) => {
    const folder = newFolder({ 'perdure.yml': DEVICES });
    const { code, stderr } = await perdureHere(folder, ['init', 'build', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual(['perdure.yml']);
  });

  it('asks for what was not said, again where the answer is none, and shows what is typed', async () => {
    const folder = newFolder({ 'perdure.yml': DEVICES });
    const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
    const stderr = new PassThrough();
    const palette = createPalette(false);
    // The parts of a terminal that questions use.
    const terminal = { stdin, stderr, palette, env: {}, cwd: folder, interactive: true } as unknown as Terminal;
    stdin.write('\rA clock.\rold\r10\r\rnone\runo\r');
    const made = await initBuild(
      null,
      { goal: null, audience: null, style: null, board: null },
      { workspace: await openWorkspace(terminal), asks: true },
      terminal,
    );
    expect(parse(readFileSync(join(folder, made), 'utf8'))).toEqual({
      goal: 'A clock.',
      type: 'hardware',
      audience: { ages: [10, 10] },
      devices: [{ name: 'uno' }],
    });
    expect(String(stderr.read())).toMatch(
      /Expected ages[^]*For which ages[^]*names no device `none`[^]*For which board/,
    );
  });

  it('writes nothing when it is given up', async () => {
    const folder = newFolder();
    const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
    const palette = createPalette(false);
    const terminal = {
      stdin,
      stderr: new PassThrough(),
      palette,
      env: {},
      cwd: folder,
      interactive: true,
    } as unknown as Terminal;
    stdin.write('A clock.\r\u0003');
    const nothing = { goal: null, audience: null, style: null, board: null };
    await expect(
      initBuild(null, nothing, { workspace: await openWorkspace(terminal), asks: true }, terminal),
    ).rejects.toThrow('Nothing was written.');
    expect(readdirSync(folder)).toEqual(['perdure.yml']);
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
