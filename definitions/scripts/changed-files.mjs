// Prints a JSON list of the files that changed after a revision and still exist: [{path, lines}].
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const [revision = 'HEAD~1', suffix = ''] = process.argv.slice(2);
const listed = execFileSync('git', ['diff', '--name-only', '-z', '--end-of-options', revision, 'HEAD'], {
  encoding: 'utf8',
});
const files = listed
  .split('\0')
  .filter((path) => path !== '' && path.endsWith(suffix) && existsSync(path))
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));
process.stdout.write(JSON.stringify(files));
