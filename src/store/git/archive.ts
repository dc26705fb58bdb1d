import { realpathSync } from 'node:fs';
import { bareSandbox } from '../processes/bare-sandbox.js';
import { runProgram } from '../processes/run-program.js';
import { rights } from './copy-folder.js';
import { sandboxProgram } from './enclosure.js';

const TIMEOUT_MS = 10 * 60_000;
/** A system may add files of its own to an archive: it does not. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', COPYFILE_DISABLE: '1' };

/** Writes what stands at paths of a folder to a file, as `tar` does; of a folder among them no more than itself. */
export async function packPaths(folder: string, paths: string[], file: string): Promise<void> {
  const input = paths.map((path) => `./${path}\0`).join('');
  const words = ['-c', '--no-recursion', '--null', '-T', '-', '-f', '-'];
  await tar(folder, words, { shown: '--ro-bind', streams: { input, stdout: { file } } });
}

/** Puts what such a file holds into a folder; it belongs to us then, whoever it belonged to. */
export async function unpackInto(folder: string, file: string): Promise<void> {
  const words = ['-x', '-p', '--no-same-owner', '-f', '-'];
  await tar(folder, words, { shown: '--bind', streams: { inputFile: file } });
}

/** What it reads, and where it writes. */
type Streams = { input: string; stdout: { file: string } } | { inputFile: string };

/** In a sandbox that shows the folder and nothing else, so that no link in an archive leads out of it. */
async function tar(
  folder: string,
  words: string[],
  { shown, streams }: { shown: '--bind' | '--ro-bind'; streams: Streams },
): Promise<void> {
  const at = realpathSync(folder);
  const options = { ...streams, env: ENVIRONMENT, cwd: at, timeout: TIMEOUT_MS };
  const bwrap = sandboxProgram();
  if (bwrap !== null) {
    const sandbox = [...bareSandbox({ network: false }), ...rights(), shown, at, at, '--chdir', at, '--'];
    const { failed, stderr } = await runProgram(bwrap, [...sandbox, 'tar', ...words], options);
    if (!failed) return;
    if (!String(stderr).startsWith('bwrap: '))
      throw new Error(`\`tar\` failed in \`${folder}\`: ${String(stderr).trim()}`);
  }
  const { failed, stderr, shortMessage } = await runProgram('tar', words, options);
  if (failed) throw new Error(`\`tar\` failed in \`${folder}\`: ${String(stderr).trim() || (shortMessage ?? '')}`);
}
