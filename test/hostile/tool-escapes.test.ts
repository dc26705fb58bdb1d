// @module-tag sandbox
// @module-tag git
// @module-tag python3
// @seconds 50
import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/activities/tools/shell/sandbox.js';
import { isPublicAddress } from '../../src/activities/tools/web/address.js';
import type { JsonObject } from '../../src/plan/values/json.js';
import type { BuiltinTool } from '../../src/plan/tools/tool.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

/*
 * A catalogue of escapes, against the real handlers as the turn loop calls them: judged, then run. What must not get
 * out is a secret beside the workspace, in the environment or on this machine; what must not change is a file beside
 * it.
 */

const SECRET = 'canary-7f3a91';
let context: Awaited<ReturnType<typeof toolContext>>;
let outside: string;
let port: number;
const MARK = '1';
let marks: (string | string[] | undefined)[] = [];
const server = createServer((request, response) => {
  marks.push(request.headers['x-perdure-tool']);
  if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port}/` }).end();
  else if (request.url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  else response.end(SECRET);
});

beforeAll(async () => {
  // Without one everything is denied, and the cases below would show nothing.
  expect(await findSandbox()).not.toBeNull();
  process.env['PERDURE_CANARY'] = SECRET;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  port = (server.address() as AddressInfo).port; // it listens on a port
  context = await toolContext({}, await mkdtemp(join(tmpdir(), 'perdure-escapes-')));
  const { workspace } = context;
  const inside = (...parts: string[]): string => join(workspace, ...parts);
  outside = join(dirname(workspace), 'outside');
  await mkdir(outside);
  await mkdir(`${workspace}-evil`);
  await writeFile(join(outside, 'secret.txt'), SECRET);
  await writeFile(`${workspace}-evil/secret.txt`, SECRET);
  await mkdir(inside('.perdure'));
  await writeFile(inside('.perdure', 'secret.txt'), SECRET);
  await mkdir(inside('definitions'));
  execFileSync('git', ['init', '-q', workspace]);
  await symlink(outside, inside('folder-link'));
  await symlink(join(outside, 'secret.txt'), inside('file-link'));
  await symlink('.perdure/secret.txt', inside('state-link'));
  await symlink('/proc/self/environ', inside('environ-link'));
  await link(join(outside, 'secret.txt'), inside('hard-link'));
  execFileSync('mkfifo', [inside('pipe')]);
  await writeFile(inside('a.txt'), 'a\n');
  await writeFile(inside('git'), '#!/bin/sh\necho shadowed\n', { mode: 0o755 });
});

afterAll(async () => {
  delete process.env['PERDURE_CANARY'];
  await new Promise((resolve) => server.close(resolve));
  await rm(dirname(context.workspace), { recursive: true, force: true });
});

const call = async (name: BuiltinTool, args: JsonObject): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name }, args, context));

/** Nothing got out, and nothing beside the workspace was changed. */
async function expectContained(result: string): Promise<void> {
  expect(result + context.logged.splice(0).join('')).not.toContain(SECRET);
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  expect(await readFile(`${context.workspace}-evil/secret.txt`, 'utf8')).toBe(SECRET);
}

describe('paths that lead out of the workspace', () => {
  const WS = '<workspace>';
  it.each([
    '../outside/secret.txt',
    `${WS}/../outside/secret.txt`,
    'a/../../outside/secret.txt',
    './/.././outside/secret.txt',
    '<outside>/secret.txt',
    '/etc/shadow',
    '/proc/self/environ',
    '/proc/self/root/etc/passwd',
    '/dev/stdin',
    `${WS}-evil/secret.txt`,
    '../ws-evil/secret.txt',
    'folder-link/secret.txt',
    'file-link',
    'hard-link',
    'state-link',
    'environ-link',
    'pipe',
    '.perdure/secret.txt',
    '.PERDURE/secret.txt',
    'x/../.perdure/secret.txt',
    '~/secret.txt',
    '%2e%2e/outside/secret.txt',
    '..\\outside\\secret.txt',
    'a.txt\0../outside/secret.txt',
    'file:///etc/passwd',
  ])('%j is neither read, nor listed, nor searched', async (written) => {
    const path = written.replace(WS, context.workspace).replace('<outside>', outside);
    for (const [tool, args] of [
      ['read_file', { path }],
      ['list_files', { path }],
      ['search_files', { path, pattern: 'canary' }],
    ] as const)
      await expectContained(await call(tool, args));
  });

  it.each([
    '../outside/secret.txt',
    '<outside>/secret.txt',
    `${WS}-evil/secret.txt`,
    'folder-link/secret.txt',
    'file-link',
    'hard-link',
    'folder-link/new.txt',
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git/hooks/post-checkout',
    '.GIT/config',
    '.github/workflows/x.yml',
    'definitions/agents/general-purpose.yml',
    'perdure.yml',
    '.claude/settings.json',
    '.perdure/runs/x.json',
    '.mcp.json',
    '.vscode/tasks.json',
  ])('%j is not written', async (written) => {
    const path = written.replace(WS, context.workspace).replace('<outside>', outside);
    const before = await readFile(join(context.workspace, '.git', 'config'), 'utf8');
    const result = await call('write_file', { path, content: 'changed' });
    if (written !== 'hard-link') expect(result).toMatch(/denied|"is_error":true/);
    await expectContained(result);
    expect(await readFile(join(context.workspace, '.git', 'config'), 'utf8')).toBe(before);
  });
});

describe('commands that do more than they say', () => {
  it.each<string[]>([
    ['sh', '-c', 'cat ../outside/secret.txt'],
    ['bash', '-lc', 'env'],
    ['env'],
    ['xargs', 'cat'],
    ['sudo', 'cat', '/etc/shadow'],
    ['/bin/cat', '../outside/secret.txt'],
    ['./git', 'status'],
    ['unknown-program'],
    ['find', '.', '-exec', 'sh', '-c', 'cat {}', ';'],
    ['find', '.', '-delete'],
    ['find', '.', '-fprintf', '../outside/secret.txt', 'x'],
    ['find', '.', '-okdir', 'true', ';'],
    ['git', '-c', 'core.pager=cat ../outside/secret.txt', 'log'],
    ['git', '-c', 'core.sshCommand=x', 'status'],
    ['git', '--exec-path=.', 'status'],
    ['git', 'log', '--output=../outside/secret.txt'],
    ['git', 'diff', '--ext-diff'],
    ['git', 'grep', '-O', 'x'],
    ['git', 'diff', '--no-index', 'a.txt', 'b'],
    ['git', 'diff', '--outp=x'],
    ['git', 'push', 'origin'],
    ['git', 'clone', 'ext::sh -c x'],
    ['sort', '-o', '../outside/secret.txt', 'a.txt'],
    ['sort', '-ro', 'x', 'a.txt'],
    ['sort', '--compress-prog=sh', 'a.txt'],
    ['rg', '--pre', 'sh', 'x'],
    ['fd', '-x', 'sh'],
    ['date', '-s', '2000-01-01'],
    ['curl', 'http://127.0.0.1/'],
    ['wget', 'x'],
    ['npx', 'x'],
    ['npm', 'install', 'x'],
    ['pip', 'install', 'x'],
    ['python3', '-m', 'pip', 'install', 'x'],
    ['docker', 'ps'],
    ['temporal', 'workflow', 'list'],
    ['perdure', 'approve', 'x'],
    ['ls', 'a\0b'],
    [''],
  ])('%j is not run', async (...argv) => {
    const result = await call('shell', { argv });
    expect(result).toContain('denied');
    await expectContained(result);
  });

  it('is not run in a folder outside', async () => {
    for (const cwd of ['..', '../outside', 'folder-link', '/', '/tmp'])
      expect(await call('shell', { argv: ['ls'], cwd })).toMatch(/denied|"is_error":true/);
  });

  it.each<string[]>([
    ['cat', '../outside/secret.txt'],
    ['cat', 'file-link'],
    ['cat', 'folder-link/secret.txt'],
    ['cat', '.perdure/secret.txt'],
    ['cat', 'state-link'],
    ['grep', '-rs', 'canary', '/tmp', '/root', '/home', '/var', '/etc'],
    ['grep', '-rh', 'canary', '..'],
    ['cat', '/etc/shadow'],
    ['head', '/proc/1/environ'],
    ['cat', 'environ-link'],
    ['python3', '-c', 'import os; print(os.environ)'],
    ['python3', '-c', 'import glob\nfor f in glob.glob("/proc/*/environ"): print(open(f, "rb").read())'],
    ['python3', '-c', 'print(open("../outside/secret.txt").read())'],
    ['python3', '-c', 'open("../outside/secret.txt", "w").write("x")'],
    ['python3', '-c', 'open("folder-link/secret.txt", "w").write("x")'],
    ['tar', '--to-command=cat ../outside/secret.txt', '-xf', 'a.tar'],
    ['tar', 'cf', '-', '../outside'],
    ['cp', '../outside/secret.txt', '.'],
    ['mv', 'a.txt', '../outside/secret.txt'],
    ['rm', '-rf', '../outside'],
    ['ln', '../outside/secret.txt', 'stolen'],
    ['sed', '-n', 'p', '../outside/secret.txt'],
    ['awk', 'BEGIN { system("cat ../outside/secret.txt") }'],
    ['node', '-e', 'console.log(process.env, require("fs").readFileSync("../outside/secret.txt", "utf8"))'],
  ])('%j sees nothing of the machine beside the workspace', async (...argv) => {
    await expectContained(await call('shell', { argv }));
  });

  it('reaches no network, not even this machine', async () => {
    const url = `http://127.0.0.1:${port}/`;
    const program = `import urllib.request; print(urllib.request.urlopen("${url}", timeout=2).read())`;
    await expectContained(await call('shell', { argv: ['python3', '-c', program] }));
  });

  it('changes nothing of what git and Perdure start, also where it was not there before', async () => {
    const program =
      'import os\nos.makedirs(".github", exist_ok=True)\nfor path in ["perdure.yml", ".git/hooks/pre-commit", ' +
      '".git/config", ".mcp.json", "definitions/x.yml"]:\n  try: open(path, "a").write("x")\n  except OSError ' +
      'as error: print(error)';
    const result = await call('shell', { argv: ['python3', '-c', program] });
    expect(result).toContain('which is protected; it was put back');
    for (const path of ['perdure.yml', '.mcp.json', '.git/hooks/pre-commit', 'definitions/x.yml'])
      await expect(readFile(join(context.workspace, path))).rejects.toThrow('ENOENT');
  });

  it('takes git from the system, though the workspace has one of that name', async () => {
    expect(await call('shell', { argv: ['git', 'status', '--short', 'a.txt'] })).not.toContain('shadowed');
  });
});

describe('requests to what is not public', () => {
  it.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:10.0.0.1',
    'fc00::1',
    'fe80::1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    'localhost',
  ])('%s is no public address', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '127.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    'localhost',
    'localhost.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::]',
    '0.0.0.0',
  ])('http://%s is refused, though the network is open', async (host) => {
    context.permissions.network = true;
    const result = await call('http_request', { url: `http://${host}:${port}/` });
    context.permissions.network = false;
    expect(result).toMatch(/not public|denied|cannot be reached/);
    await expectContained(result);
  });

  it.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'http://user:pass@127.0.0.1/',
    'javascript:1',
    'not an address',
  ])('%s is no address to ask', async (url) => {
    context.permissions.network = true;
    await expectContained(await call('http_request', { url }));
    context.permissions.network = false;
  });

  it('is denied everywhere while the network is closed', async () => {
    expect(await call('http_request', { url: 'https://example.com/' })).toContain('denied');
  });

  it('is held to the hosts that are named, after a redirect too', async () => {
    context.permissions.network = [`127.0.0.1:${port}`];
    expect(await call('http_request', { url: `http://127.0.0.1:${port}/` })).toContain(SECRET);
    for (const path of ['away', 'file'])
      await expectContained(await call('http_request', { url: `http://127.0.0.1:${port}/${path}` }));
    expect(await call('http_request', { url: `http://127.0.0.1:${port}/`, headers: { host: 'x' } })).toContain(
      'no header that may be set',
    );
    expect(
      await call('http_request', { url: `http://127.0.0.1:${port}/`, headers: { 'x-a': 'b\r\nx-c: d' } }),
    ).toContain('characters that headers do not have');
    context.permissions.network = false;
  });

  it('reaches of this machine only ports that are named, by whatever name it goes', async () => {
    for (const host of ['localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::ffff:7f00:1]', '127.9.9.9']) {
      // An IPv4 address in the form of IPv6 is judged as itself.
      context.permissions.network = [host.replace('[::ffff:7f00:1]', '127.0.0.1')];
      const result = await call('http_request', { url: `http://${host}:${port}/` });
      expect(result).toContain('that of this machine with its port');
      await expectContained(result);
    }
    context.permissions.network = [`localhost:${port}`];
    expect(await call('http_request', { url: `http://localhost:${port}/` })).toContain(SECRET);
    expect(await call('http_request', { url: `http://localhost:${port + 1}/` })).toContain('denied');
    context.permissions.network = false;
  });

  it('says that a tool asks, which no header of its own hides', async () => {
    context.permissions.network = [`localhost:${port}`];
    marks = [];
    await call('http_request', { url: `http://localhost:${port}/away` });
    expect(marks).toEqual([MARK, MARK]);
    for (const headers of [{ 'x-perdure-tool': '' }, { 'X-Perdure-Tool': '0' }])
      expect(await call('http_request', { url: `http://localhost:${port}/`, headers })).toContain(
        'no header that may be set',
      );
    context.permissions.network = false;
  });
});
