// `npm run mutants:hand [name…]`: breaks four promises in a copy of the repository, one at a time, and runs the tests
// that must notice: they are run by `npm test`, and fail here. Exit code 1 where one does not.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './hand-mutants-table.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const named = process.argv.slice(2);
const unknown = named.filter((name) => MUTANTS[name] === undefined);
if (unknown.length > 0) {
  console.error(`Expected some of ${Object.keys(MUTANTS).join(', ')}, got \`${unknown.join(' ')}\``);
  process.exit(2);
}
const survived = (named.length > 0 ? named : Object.keys(MUTANTS)).filter((name) => !isFound(name, MUTANTS[name]));
if (survived.length > 0) console.error(`not found: ${survived.join(', ')}`);
process.exitCode = survived.length === 0 ? 0 : 1;

/** Whether the tests fail on a copy with the change, and not without tests. */
function isFound(name, { what, file, from, to, tier, test }) {
  const copy = mkdtempSync(join(tmpdir(), 'perdure-mutant-'));
  try {
    for (const part of [
      'src',
      'test',
      'scripts',
      'definitions',
      'schemas',
      'docs',
      'bench',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'vitest.config.ts',
      'perdure.yml',
      'README.md',
    ])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const text = readFileSync(join(copy, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`Expected \`${file}\` to have once: ${from}`);
    writeFileSync(
      join(copy, file),
      text.replace(from, () => to),
    );
    const built = spawnSync(process.execPath, [join(copy, 'scripts', 'build.mjs')], {
      cwd: copy,
      stdio: ['ignore', 2, 2],
    });
    if (built.status !== 0) throw new Error('The copy could not be built.');
    const report = join(copy, 'report.json');
    spawnSync(
      process.execPath,
      [
        join(root, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--project',
        tier,
        test,
        '--reporter=json',
        `--outputFile.json=${report}`,
      ],
      { cwd: copy, stdio: ['ignore', 'ignore', 'ignore'] },
    );
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'failed');
    console.log(`${failed.length > 0 ? 'found' : 'NOT FOUND'}  ${name}: ${what}`);
    for (const { fullName } of failed.slice(0, 5)) console.log(`    by: ${fullName}`);
    return failed.length > 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
