import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../src/cli/package-version.js';
import { packageRoot } from '../../src/store/folders/package-root.js';

const ROOT = packageRoot();
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/**
 * A project that has the packed package, as `npm install` of it puts it there; its dependencies are those of this
 * checkout.
 */
let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'perdure-package-'));
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', project], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  const installed = join(project, 'node_modules', 'perdure');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', join(project, packed.split('\n').at(-1) ?? ''), '-C', installed, '--strip-components=1']);
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  // As the README says.
  for (const name of ['definitions', 'perdure.yml'])
    cpSync(join(installed, name), join(project, name), { recursive: true });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function perdure(args: string[], node: string[] = []): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...node, join(project, 'node_modules', 'perdure', 'dist', 'cli', 'main.js'), ...args],
    { cwd: project, encoding: 'utf8' },
  );
  return { code: status, stdout, stderr };
}

describe('the package as it is published', () => {
  it('has every definition that the README names, all sound', () => {
    const named = [
      ...new Set(
        [...README.matchAll(/\(?\b(definitions\/[\w./-]+)/g)].map(([, path = '']) => path.replace(/[.)]+$/, '')),
      ),
    ];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([]);
    expect(perdure(['validate', 'definitions'])).toMatchObject({ code: 0 });
  });

  it.each([...README.matchAll(/^npx perdure run (definitions\/\S+)/gm)].map(([, path]) => [path ?? '']))(
    'runs what the README types: %s',
    (path) => {
      expect(perdure(['plan', path])).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('has every file that a link of its documents leads to', () => {
    const installed = join(project, 'node_modules', 'perdure');
    const documents = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.md') && !path.startsWith('node_modules'),
    );
    expect(documents.length).toBeGreaterThan(30);
    const dead = documents.flatMap((path) =>
      [...readFileSync(join(installed, path), 'utf8').matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)]
        .map(([, link = '']) => join(dirname(path), link))
        .filter((link) => !existsSync(join(installed, link))),
    );
    expect(dead).toEqual([]);
  });

  it('has no files that are for its makers alone', () => {
    const names = execFileSync('tar', ['tzf', join(project, `perdure-${packageVersion()}.tgz`)], {
      encoding: 'utf8',
    }).split('\n');
    expect(names.filter((name) => /package\/(?:src|test|bench|scripts|definitions\/invalid)\//.test(name))).toEqual([]);
  });

  it.each([['18.20.4'], ['20.18.3'], ['16.0.0']])('says in one sentence that Node %s is too old', (version) => {
    const old = [
      'data:text/javascript',
      `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`,
      `Object.defineProperty(process,'version',{value:'v${version}'})`,
    ].join(',');
    const { code, stdout, stderr } = perdure(['list'], ['--import', old]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^Error: Perdure needs Node 20\\.19 or later; this is v${version.replaceAll('.', '\\.')}\\.\n`),
    );
    expect(stderr.split('\n')).toHaveLength(3);
  });
});
