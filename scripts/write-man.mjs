// Writes the manual page from the table of commands, to `man/perdure.1` or the file that is named. `npm pack` runs it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = resolve(process.argv[2] ?? join(root, 'man', 'perdure.1'));
const FACTS = {
  exits: [
    [0, 'Success.'],
    [1, 'The run ended otherwise (partial too), or what was asked was refused.'],
    [2, 'The definition or the usage is wrong, or there is no such run; nothing was started.'],
    [3, 'No server, worker, model provider or usable state folder.'],
    [4, 'The run waits for a person (--no-wait).'],
    [5, 'A key of the encryption is missing, wrong or cannot be read.'],
    [130, 'Interrupted; a run that was started goes on.'],
  ],
  files: [
    ['perdure.yml', 'Settings of the project.'],
    ['definitions/', 'Its workflows, agents and tools.'],
    ['.perdure/', 'Its state: values, journal, records of runs, logs, the database of the server.'],
  ],
};

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { COMMANDS, manPage } = await load();
const text = manPage(COMMANDS, { version, ...FACTS });
mkdirSync(dirname(page), { recursive: true });
writeFileSync(page, text);

/** The sources are TypeScript, and of the build only the whole command line is left. */
async function load() {
  const outfile = join(root, 'node_modules', '.cache', `perdure-man.${process.pid}.mjs`);
  const contents = `export { COMMANDS } from './src/cli/commands/index.ts';
export { manPage } from './src/cli/render/man-page.ts';`;
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  try {
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(outfile, { force: true });
  }
}
