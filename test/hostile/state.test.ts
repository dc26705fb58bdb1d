// @seconds 45
import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findSandbox } from '../../src/activities/tools/shell/sandbox.js';
import { staysInside } from '../../src/activities/tools/shell/plain.js';
import type { JsonObject } from '../../src/plan/values/json.js';
import type { BuiltinTool } from '../../src/plan/tools/tool.js';
import { openStore } from '../../src/store/local-store.js';
import { placesOf } from '../../src/store/folders/state-folders.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { openProject } from '../faults/project.js';

let context: Awaited<ReturnType<typeof toolContext>>;
let key: string;

/** A store wherever it is wanted, with a key that was used. */
async function openAt(folder: string): Promise<void> {
  const store = await openStore(folder);
  await store.sign('x');
  key = (await readFile(join(folder, 'approval.key'), 'utf8')).trim();
  context = { ...context, store };
}
const call = async (name: BuiltinTool, args: JsonObject): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name }, args, context));
const inWorkspace = (...parts: string[]): string => join(context.workspace, ...parts);

/** Every tool that there is, at every path by which the state may be seen. */
async function expectHidden(...paths: string[]): Promise<void> {
  const store = await readFile(join(context.store.folder ?? '', 'store.json'), 'utf8');
  const said: string[] = [];
  for (const path of paths) {
    for (const file of ['approval.key', 'store.json', 'logs/x']) {
      said.push(
        await call('read_file', { path: `${path}/${file}` }),
        await call('write_file', { path: `${path}/${file}`, content: 'CHANGED' }),
        await call('edit_file', { path: `${path}/${file}`, find: store.slice(0, 4), replace: 'CHANGED' }),
      );
      said.push(
        await call('shell', { argv: ['cat', `${path}/${file}`] }),
        await call('shell', {
          argv: ['python3', '-c', `open(${JSON.stringify(`${path}/${file}`)}, 'w').write('CHANGED')`],
        }),
      );
    }
    said.push(await call('list_files', { path }), await call('search_files', { path, pattern: '.' }));
  }
  said.push(
    await call('list_files', { pattern: '**' }),
    await call('search_files', { pattern: '.' }),
    await call('shell', { argv: ['grep', '-rs', '.', '.'] }),
    await call('shell', { argv: ['find', '.', '-name', 'approval.key'] }),
  );
  const all = said.join('\n');
  expect(all).not.toContain(key);
  expect(
    all.replaceAll(/No such file[^"]*|does not exist[^"]*|\S*is the state of Perdure itself|\S+: No such\S*/g, ''),
  ).not.toMatch(/[^/\w]approval\.key\\n/);
  expect(await readFile(join(context.store.folder ?? '', 'store.json'), 'utf8')).toBe(store);
  expect((await readFile(join(context.store.folder ?? '', 'approval.key'), 'utf8')).trim()).toBe(key);
}

describe('a state folder', () => {
  beforeEach(async () => {
    expect(await findSandbox()).not.toBeNull();
    context = await toolContext({}, await mkdtemp(join(tmpdir(), 'perdure-state-')));
    await writeFile(inWorkspace('a.txt'), 'a\n');
  });
  afterEach(() => rm(dirname(context.workspace), { recursive: true, force: true }));

  it.each(['state', '.perdure', 'deep/er/state', '.hidden', 'node_modules/.cache/state', 'Zustand und Schlüssel'])(
    'in the workspace at `%s` is out of reach of every tool',
    async (name) => {
      await openAt(inWorkspace(name));
      await expectHidden(name, `./${name}`, `x/../${name}`, inWorkspace(name));
    },
  );

  it('is out of reach by a link to it, to what is in it, and through a folder that holds it', async () => {
    await openAt(inWorkspace('state'));
    await symlink('state', inWorkspace('link'));
    await symlink(inWorkspace('state'), inWorkspace('absolute'));
    await symlink('state/approval.key', inWorkspace('key'));
    await symlink('.', inWorkspace('round'));
    await expectHidden('state', 'link', 'absolute', 'round/state');
    expect(await call('read_file', { path: 'key' })).not.toContain(key);
    expect(await call('shell', { argv: ['cat', 'key'] })).not.toContain(key);
  });

  it.each(['deep/er/state', 'packages/one/.perdure'])(
    'stays where it is (`%s`): no folder that holds it is moved away with it',
    async (name) => {
      await openAt(inWorkspace(name));
      const outer = name.split('/')[0] ?? '';
      const moved = name.replace(outer, 'moved');
      const renamed = await call('shell', { argv: ['mv', outer, 'moved'] });
      // In the same moment: what was found below the workspace before is not looked for again.
      await expectHidden(name, moved);
      expect(renamed).toContain('busy');
    },
  );

  it('is hidden from commands as the place of temporary files is, where that is in the workspace', async () => {
    vi.stubEnv('TMPDIR', inWorkspace('temporary'));
    onTestFinished(() => void vi.unstubAllEnvs());
    await mkdir(inWorkspace('temporary', 'perdure-hook-x'), { recursive: true });
    await mkdir(inWorkspace('other', 'folder'), { recursive: true });
    expect(await call('shell', { argv: ['find', 'other', 'temporary'] })).toContain(
      String.raw`"other\nother/folder\ntemporary`,
    );
    expect(await call('shell', { argv: ['find', 'temporary'] })).not.toContain('perdure-hook-x');
    expect(await call('shell', { argv: ['mv', 'temporary', 'moved'] })).toContain('busy');
  });

  it('of another project below the workspace is out of reach too', async () => {
    await openAt(inWorkspace('packages', 'one', 'runs'));
    context = { ...context, store: await openStore(join(dirname(context.workspace), 'own')) };
    const other = inWorkspace('packages', 'one', 'runs', 'approval.key');
    for (const [tool, args] of [
      ['read_file', { path: 'packages/one/runs/approval.key' }],
      ['search_files', { pattern: '.' }],
      ['shell', { argv: ['cat', 'packages/one/runs/approval.key'] }],
      ['shell', { argv: ['grep', '-r', '.', '.'] }],
    ] as const) {
      expect(await call(tool, args as JsonObject)).not.toContain(key);
    }
    expect((await readFile(other, 'utf8')).trim()).toBe(key);
  });

  it('is shown by no other folder that a program gets', async () => {
    const place = dirname(context.workspace);
    await openAt(join(place, 'tools', 'state'));
    await mkdir(join(place, 'tools', 'bin'));
    const path = process.env['PATH'];
    process.env['PATH'] = `${join(place, 'tools', 'bin')}:${path}`;
    try {
      expect(await call('shell', { argv: ['cat', join(place, 'tools', 'state', 'approval.key')] })).not.toContain(key);
      const said = await call('shell', {
        argv: [
          'python3',
          '-c',
          `import os; print(os.listdir('${place}/tools')); print(os.listdir('${place}/tools/state')); ` +
            `print(open('${place}/tools/state/approval.key').read())`,
        ],
      });
      expect(said).not.toContain(key);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it.each(['.', 'values', 'a/b'])('that the workspace is, or lies in (`%s`), lets no tool work', async (below) => {
    const state = join(dirname(context.workspace), 'around');
    await openAt(state);
    await mkdir(join(state, below), { recursive: true });
    await writeFile(join(state, below, 'note.txt'), 'note');
    context = { ...context, workspace: await realpath(join(state, below)) };
    for (const [tool, args] of [
      ['read_file', { path: 'note.txt' }],
      ['write_file', { path: 'new.txt', content: 'x' }],
      ['list_files', {}],
      ['search_files', { pattern: '.' }],
      ['shell', { argv: ['cat', 'note.txt'] }],
    ] as const) {
      expect(await call(tool, args as JsonObject)).toMatch(/is the state of Perdure itself/);
    }
  });

  it('is out of reach where it is mounted once more, whole or in part', { tags: ['tmpfs'] }, async () => {
    await openAt(join(dirname(context.workspace), 'state'));
    const points = ['whole', 'part', 'above'].map((name) => inWorkspace(name));
    for (const point of points) await mkdir(point);
    const from = [context.store.folder, join(context.store.folder ?? '', 'logs'), dirname(context.workspace)];
    await mkdir(from[1] ?? '', { recursive: true });
    const mounted: string[] = [];
    try {
      for (const [index, point] of points.entries()) {
        execFileSync('mount', ['--bind', from[index] ?? '', point]);
        mounted.push(point);
      }
      expect(placesOf(context.store.folder ?? '', context.workspace)).toEqual(
        expect.arrayContaining([points[0], points[1], join(points[2] ?? '', 'state')]),
      );
      await expectHidden('whole', 'above/state');
    } finally {
      for (const point of mounted.reverse()) execFileSync('umount', ['-l', point]);
    }
  });

  it('signs nothing by a key that has another name', async () => {
    await openAt(join(dirname(context.workspace), 'state'));
    await link(join(context.store.folder ?? '', 'approval.key'), inWorkspace('stolen'));
    await expect(context.store.sign('x')).rejects.toThrow(/has another name/);
    expect(await call('read_file', { path: 'stolen' })).not.toContain(key);
    await rm(inWorkspace('stolen'));
    await link(
      join(context.store.folder ?? '', 'approval.key'),
      join(context.store.folder ?? '', 'approval.key.0123456789ab'),
    ); // as a crash leaves it
    expect(await context.store.sign('x')).toBeTypeOf('string');
  });

  it('ends what reads without a sandbox, and goes through all that is below', async () => {
    await openAt(inWorkspace('state'));
    const { workspace } = context;
    const stays = (...argv: string[]): Promise<boolean> =>
      staysInside(argv, workspace, workspace, [context.store.folder ?? '']);
    expect(
      await Promise.all([
        stays('cat', 'a.txt'),
        stays('ls'),
        stays('grep', 'x', 'a.txt'),
        stays('grep', '-rn', 'x', 'a.txt'),
      ]),
    ).toEqual([true, true, true, false]);
    expect(
      await Promise.all([
        stays('cat', 'state/approval.key'),
        stays('grep', '-r', 'x'),
        stays('rg', 'x'),
        stays('find', '.'),
        stays('ls', '-R'),
        stays('ls', 'state'),
        stays('diff', '-r', '.', '.'),
      ]),
    ).toEqual([false, false, false, false, false, false, false]);
  });
});

describe('a run of the real program with its state in the workspace', () => {
  it('keeps key and store from a step that looks for them', async () => {
    const step = (id: string, tool: string, inputs: string): string =>
      `  - {id: ${id}, tool: ${tool}, inputs: ${inputs}, on_error: continue}\n`;
    const steps = [
      step('read', 'read_file', '{path: state/approval.key}'),
      step('write', 'write_file', '{path: state/store.json, content: "{}"}'),
      step('cat', 'shell', '{argv: [cat, state/approval.key]}'),
      step('grep', 'shell', '{argv: [grep, -r, ., .]}'),
    ];
    const work = `name: work\nsteps:\n${steps.join('')}`;
    const project = await openProject({ 'work.yml': work }, { PERDURE_STATE_DIR: './state' });
    try {
      await openStore(join(project.folder, 'state')).then((store) => store.sign('x'));
      const [secret, store] = [await project.read('state/approval.key'), await project.read('state/store.json')];
      const { code, stdout, stderr } = await project.run('run', 'work.yml', '--id', 'w', '--json');
      expect({ code, stderr }).not.toMatchObject({ code: 2 });
      const logs = await project.run('logs', 'w');
      expect(logs.stdout).toContain('is the state of Perdure itself');
      expect(stdout + stderr + logs.stdout).not.toContain(secret.trim());
      expect(await project.read('state/store.json')).toBe(store);
    } finally {
      await project.run('server', 'stop');
      await project.close();
    }
  });
});
