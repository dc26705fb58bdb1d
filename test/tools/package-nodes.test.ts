// @seconds 120
// @module-tag git
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/store/folders/package-root.js';
import { until } from '../faults/project.js';
import { FULL, random } from '../faults/seed.js';

const ROOT = packageRoot();
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const VERSIONS = ['20.19', '22', '24'];
const drawn = FULL ? VERSIONS : [VERSIONS[Math.floor(random('node')() * VERSIONS.length)] ?? '22'];

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'perdure-nodes-'));
  // Its scripts build what has changed, and write the manual page.
  execFileSync('npm', ['pack', '--pack-destination', base], { cwd: ROOT, stdio: 'ignore' });
});
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder in which the packed package is installed, and command lines are typed under one version of Node. */
interface Installed {
  folder: string;
  said: string;
  start: (line: string) => Promise<Ended>;
  type: (line: string) => Ended;
}

function install(version: string): Installed {
  const node = join(base, `node-${version}`);
  const folder = join(base, `project-${version}`);
  for (const path of [node, folder]) {
    mkdirSync(path);
    writeFileSync(join(path, 'package.json'), '{"private": true}');
  }
  execFileSync('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: node, stdio: 'ignore' });
  const env = {
    PATH: [join(node, 'node_modules', 'node', 'bin'), process.env['PATH']].join(delimiter),
    HOME: process.env['HOME'],
    PERDURE_TEMPORAL_BIN: process.env['PERDURE_TEMPORAL_BIN'],
    PERDURE_TEST_RUN: process.env['PERDURE_TEST_RUN'],
    OLLAMA_HOST: 'http://127.0.0.1:9',
  };
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const type = (line: string): Ended => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], options);
    return { code: status, stdout, stderr };
  };
  // npm may need more of the environment: where its registry is.
  const installed = spawnSync('bash', ['-c', `npm install --no-audit --no-fund ${base}/perdure-*.tgz`], {
    ...options,
    env: { ...process.env, PATH: env.PATH },
    timeout: 240_000,
  });
  expect(installed.status, installed.stderr).toBe(0);
  const start = (line: string): Promise<Ended> => {
    const child = spawn('bash', ['-c', line], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return new Promise((resolve) => child.on('close', (ended) => resolve({ code: ended, stdout: out, stderr: err })));
  };
  return { folder, said: installed.stdout + installed.stderr, start, type };
}

/** The file and the command lines of README's five minutes. */
function fiveMinutes(): { file: string; lines: string[] } {
  const part = README.slice(README.indexOf('## Five minutes'), README.indexOf('## What is shipped'));
  const [, file = ''] = /Write `hello.yml`:\n\n```yaml\n([^]*?)```/.exec(part) ?? [];
  return { file, lines: [...part.matchAll(/^(npx perdure [^#\n]*?)\s*(?:#.*)?$/gm)].map(([, line = '']) => line) };
}

describe.each(drawn)('the packed package, installed in an empty folder under Node %s', (version) => {
  it("works as README's five minutes type it, over a kill of all that runs", async () => {
    const { folder, said, start, type } = install(version);
    expect(type('node --version').stdout).toMatch(new RegExp(`^v${version.replace('.', '\\.')}\\.`));
    expect(said).not.toMatch(/perdure@|EBADENGINE|prepare/);
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'Begin', '--allow-empty'], {
      cwd: folder,
    });
    expect(existsSync(join(folder, 'node_modules/perdure/man/perdure.1'))).toBe(true);
    const { file, lines } = fiveMinutes();
    expect(lines.map((line) => line.split(' ')[2])).toEqual(['validate', 'plan', 'run', 'list', 'show', 'watch']);
    writeFileSync(join(folder, 'hello.yml'), file);
    const [validate = '', plan = '', run = '', list = '', show = '', watch = ''] = lines;
    expect(type(validate)).toMatchObject({ code: 0 });
    expect(type(plan)).toMatchObject({ code: 0, stdout: expect.stringContaining('3 approve') as string });

    try {
      const running = start(`${run} --rehearse`);
      const gate = await until(() => /hello-\w+\/approve/.exec(type('npx perdure list --waiting').stdout)?.[0]);
      const id = gate.split('/')[0] ?? '';
      const { host, server } = JSON.parse(readFileSync(join(folder, '.perdure/host.json'), 'utf8')) as Record<
        'host' | 'server',
        { pid: number }
      >;
      for (const { pid } of [host, server]) process.kill(pid, 'SIGKILL');
      const watching = start(watch.replace(/hello-\w+/, id));
      // Also where it was heard, and the server was lost before it could say so.
      await until(() => {
        const { code, stderr } = type(`npx perdure approve ${gate} --as ana`);
        return code === 0 || /already decided|has ended/.test(stderr);
      });
      const [ran, watched] = await Promise.all([running, watching]);
      expect(watched, watched.stderr).toMatchObject({ code: 0 });
      expect(ran.code, ran.stderr).toBe(0);
      expect(existsSync(join(folder, 'summary.txt'))).toBe(true);
      expect(type(list).stdout).toContain(id);
      const shown = type(show.replace(/hello-\w+/, id));
      expect(shown.stdout).toMatch(/✓ 0 files[^]*✓ 1 history[^]*✓ 4 save/);
      expect(type('npx perdure show nope').stderr).toContain('`npx perdure list`');
      expect(type('npx perdure completion runs').stdout).toBe(`${id}\n`);
    } finally {
      type('npx perdure server stop');
    }
  });
});
