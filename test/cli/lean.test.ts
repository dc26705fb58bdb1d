import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HELLO, newFolder, perdure } from './command-line.js';

/** Notes every module that is imported, then goes on as if it were not there. */
const HOOK = `import { appendFileSync } from 'node:fs';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  appendFileSync(process.env.MODULES, found.url + '\\n');
  return found;
}`;

async function modulesOf(args: string[]): Promise<string[]> {
  const folder = newFolder({ 'hello.yml': HELLO });
  const [hook, register, list] = ['hook.mjs', 'register.mjs', 'modules.txt'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(hook, HOOK);
  writeFileSync(register, `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hook).href)});`);
  await perdure(folder, args, { node: ['--import', register], env: { MODULES: list } });
  return readFileSync(list, 'utf8').split('\n').flatMap((url) => (/\/dist\/cli\/.+\.js$/.test(url) ? [url, ...sourcesOf(url)] : [url]));
}

/** What a chunk of the bundled command line is made of. */
function sourcesOf(chunk: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${fileURLToPath(chunk)}.map`, 'utf8')) as { sources: string[] }; // source maps' format
  return sources;
}

/** What a model is called and costs are tables, which `plan` reads. */
const HEAVY = /@temporalio|@grpc|@anthropic|\/(src|dist)\/(workers|workflows|activities\/(?!models\/(?:names|prices|price-table|provider)\.))/;

describe('commands that need no server load none of it', () => {
  it.each([[['--help']], [['--version']], [['run', '--help']], [['validate', 'hello.yml']], [['plan', 'hello.yml']], [['schema', 'workflow']], [['run', 'none.yml']], [['rnu']]])('%j', async (args) => {
    const modules = await modulesOf(args);
    expect(modules.some((url) => url.includes('/dist/cli/main.js'))).toBe(true);
    expect(modules.filter((url) => HEAVY.test(url))).toEqual([]);
  });

  it('help does not even load the compiler', async () => {
    expect((await modulesOf(['--help'])).filter((url) => /\/src\/compiler\/|node_modules\/(zod|yaml)\//.test(url))).toEqual([]);
  });
});
