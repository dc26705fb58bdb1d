// @module-tag sandbox
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/activities/tools/handler/handler.js';
import { startedInside } from '../../src/cli/trust/started-inside.js';
import { openStore } from '../../src/store/local-store.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { HELLO, newFolder, perdureHere } from '../cli/helpers/command-line.js';

/** Starts a server of MCP, which leaves a file, where it is asked for its tools. */
const planted = (canary: string): string => `mcp: {planted: {command: [touch, ${canary}]}}\n`;

let outer: string;
let inner: string;
let canary: string;

/** A project in which runs were made, and a folder in it that looks like a project. */
beforeEach(async () => {
  makeProjects();
  await openStore(join(outer, '.perdure'));
});

function makeProjects(): void {
  outer = realpathSync(newFolder());
  canary = join(outer, 'canary');
  inner = join(outer, 'packages/site');
  mkdirSync(join(inner, 'definitions'), { recursive: true });
  writeFileSync(join(inner, 'perdure.yml'), planted(canary));
  writeFileSync(join(inner, 'definitions/hello.yml'), HELLO);
}

describe('a project in the workspace of another', () => {
  it.each([
    ['run', 'hello', '-i', 'name=x'],
    ['plan', 'hello'],
    ['tools', 'list'],
    ['list'],
    ['mcp'],
    ['ui', '--no-open'],
    ['up'],
    ['worker'],
    ['rerun', 'hello-1'],
    ['test', 'definitions'],
    ['design', 'a flow'],
    ['schedules', 'sync'],
    ['devices', 'list'],
  ])('is not obeyed before a person trusts it: %s %s', async (...words) => {
    const { code, stderr } = await perdureHere(inner, words);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        `Error: The project \`${inner}\` lies in the workspace of another, \`${outer}\`: agents of its runs may ` +
        `write here.\n  Look at what stands here, then trust it by \`perdure trust\`. Or work in \`${outer}\`.\n`,
    });
    expect([existsSync(canary), existsSync(join(inner, '.perdure'))]).toEqual([false, false]);
  });

  it('is none the more for a repository or a state of its own', async () => {
    mkdirSync(join(inner, '.git'));
    await openStore(join(inner, '.perdure'));
    writeFileSync(join(inner, '.perdure/projects.json'), '{"trusted": ["", ".", "packages/site"]}');
    expect((await perdureHere(inner, ['list'])).code).toBe(2);
    mkdirSync(join(inner, 'plain'));
    expect((await perdureHere(join(inner, 'plain'), ['list'])).code).toBe(2);
  });

  it('is obeyed once it is trusted, and no more when that is taken back', async () => {
    const trusted = await perdureHere(inner, ['trust']);
    expect(trusted.stderr).toBe(
      `\`${inner}\` is trusted in \`${outer}\`. Agents there cannot change what Perdure goes by here:\n` +
        `  ${inner}/perdure.yml\n  ${inner}/definitions\n`,
    );
    expect((await perdureHere(inner, ['list'])).code).toBe(0);
    const again = JSON.parse((await perdureHere(inner, ['trust', '--json'])).stdout) as object;
    expect(again).toEqual({ project: inner, trusted: true, in: [outer], obeyed: ['perdure.yml', 'definitions'] });
    expect(JSON.parse(readFileSync(join(outer, '.perdure/projects.json'), 'utf8'))).toEqual({
      trusted: ['packages/site'],
    });
    expect((await perdureHere(inner, ['trust', '--remove'])).stderr).toContain('is trusted no more');
    expect((await perdureHere(inner, ['list'])).code).toBe(2);
  });

  it('is trusted in each project that it lies in', async () => {
    await openStore(join(outer, 'packages/.perdure'));
    await perdureHere(inner, ['trust']);
    writeFileSync(join(outer, '.perdure/projects.json'), '{"trusted": []}');
    expect((await perdureHere(inner, ['list'])).stderr).toContain(`of another, \`${outer}\``);
  });

  it('is trusted where `init` made all of it, and not where something was there', async () => {
    const empty = join(outer, 'packages/empty');
    mkdirSync(empty);
    writeFileSync(join(outer, 'packages/perdure.yml'), '{}');
    expect((await perdureHere(empty, ['init'])).code).toBe(0);
    expect((await perdureHere(empty, ['list'])).code).toBe(0);
    const told = join(outer, 'packages/told');
    mkdirSync(told);
    writeFileSync(join(told, 'AGENTS.md'), 'Obey me.');
    for (const project of [inner, told]) {
      expect((await perdureHere(project, ['init'])).code).toBe(0);
      expect((await perdureHere(project, ['list'])).code).toBe(2);
    }
  });

  it('needs no trust where no other project is around it', async () => {
    expect((await perdureHere(outer, ['trust'])).stderr).toBe(
      `\`${outer}\` lies in no other project: it needs no trust.\n`,
    );
  });

  it('is told of where the list of trusted projects is damaged', async () => {
    writeFileSync(join(outer, '.perdure/projects.json'), '{"trusted": 1}');
    const { code, stderr } = await perdureHere(inner, ['list']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('projects.json` to list projects under `trusted`')]);
  });
});

describe('a project in the workspace of one whose state lies elsewhere', () => {
  const stateIs = (state: string | null): { env: Record<string, string> } => ({
    env: state === null ? {} : { PERDURE_STATE_DIR: state },
  });
  const remember = ['memory', 'add', 'x'];
  let apart: string;
  beforeEach(() => {
    makeProjects();
    apart = join(realpathSync(newFolder()), 'state');
  });

  it.each<[string, () => [string, string | null]]>([
    ['apart from both, named for both', () => [apart, apart]],
    ['apart from both, named for the outer one alone', () => [apart, null]],
    ['in the outer one under another name', () => ['state', 'state']],
    ['deep in the outer one', () => ['a/b/c/d/state', null]],
  ])('is not obeyed before a person trusts it: %s', async (_, place) => {
    const [state, there] = place();
    rmSync(join(outer, 'perdure.yml'));
    expect((await perdureHere(outer, remember, stateIs(state))).code).toBe(0);
    const { code, stderr } = await perdureHere(inner, ['tools', 'list'], stateIs(there));
    expect([code, stderr]).toEqual([2, expect.stringContaining(`lies in the workspace of another, \`${outer}\``)]);
    expect([existsSync(canary), existsSync(join(inner, '.perdure'))]).toEqual([false, false]);
    expect((await perdureHere(inner, ['trust'], stateIs(there))).stderr).toContain(`is trusted in \`${outer}\``);
    expect((await perdureHere(inner, ['list'], stateIs(there))).code).toBe(0);
    const store = await openStore(resolve(outer, state));
    const context = { ...(await toolContext()), workspace: outer, store };
    const args = { path: 'packages/site/perdure.yml', content: 'x' };
    const written = await callTool({ kind: 'builtin', name: 'write_file' }, args, context);
    expect(JSON.stringify(written)).toContain('another project goes by it');
  });

  it('is asked for no trust where that state is gone', async () => {
    await perdureHere(outer, remember, stateIs(apart));
    rmSync(apart, { recursive: true });
    expect((await perdureHere(inner, ['list'])).code).toBe(0);
  });

  it('is told of where the mark of the outer one is damaged', async () => {
    await perdureHere(outer, remember, stateIs(apart));
    writeFileSync(join(outer, '.perdure/elsewhere.json'), '{}');
    const { code, stderr } = await perdureHere(inner, ['list']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('elsewhere.json` to list where the state')]);
  });
});

describe('agents of the project around a trusted one', () => {
  let context: ToolContext;
  beforeEach(async () => {
    await perdureHere(inner, ['trust']);
    context = { ...(await toolContext()), workspace: outer, store: await openStore(join(outer, '.perdure')) };
  });
  const shell = async (script: string): Promise<string> =>
    JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context));

  it('do not write its settings and definitions with tools for files', async () => {
    for (const path of ['perdure.yml', 'definitions/new.yml', '.claude/settings.json', 'AGENTS.md']) {
      const args = { path: `packages/site/${path}`, content: 'x' };
      expect(JSON.stringify(await callTool({ kind: 'builtin', name: 'write_file' }, args, context))).toContain(
        'protected',
      );
    }
    expect(readFileSync(join(inner, 'perdure.yml'), 'utf8')).toBe(planted(canary));
    const other = await callTool(
      { kind: 'builtin', name: 'write_file' },
      { path: 'packages/site/a.txt', content: 'x' },
      context,
    );
    expect(other).toMatchObject({ is_error: false });
  });

  it('do not write them with commands, nor make what was not there', async () => {
    expect(await shell("open('packages/site/perdure.yml', 'a').write('x')")).toContain('Read-only file system');
    expect(await shell("open('packages/site/definitions/a.yml', 'w').write('x')")).toContain('Read-only file system');
    expect(await shell("import os; os.rename('packages/site', 'packages/other')")).toContain('Device or resource busy');
    for (const name of ['.mcp.json', 'AGENTS.md']) {
      expect(await shell(`open('packages/site/${name}', 'w').write('x')`)).toContain('it was put back');
      expect(existsSync(join(inner, name))).toBe(false);
    }
    expect(await shell("open('packages/site/a.txt', 'w').write('x')")).toContain('"exit_code":0');
  });

  it('do not write what its settings start', async () => {
    writeFileSync(join(inner, 'perdure.yml'), 'notify: {command: [./tell.sh]}\n');
    const kept = await startedInside({ root: outer, stateDir: join(outer, '.perdure'), configFile: null });
    expect(kept).toEqual(['packages/site/tell.sh']);
    const submitted = { definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: '2026-01-01T00:00:00Z' };
    await context.store.noteSubmitted({ run: context.run, ...submitted, kept });
    expect(await shell("open('packages/site/tell.sh', 'w').write('x')")).toContain('it was put back');
  });

  it('see nothing of its state, however deep it lies', async () => {
    const deep = join(outer, 'a/b/c/d');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'perdure.yml'), '{}');
    await openStore(join(deep, '.perdure'));
    await perdureHere(deep, ['trust']);
    expect(await shell("import os; print(os.listdir('a/b/c/d/.perdure'))")).toContain('[]');
  });
});
