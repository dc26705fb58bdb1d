import { realpathSync } from 'node:fs';
import type { Streams } from './run-enclosed.js';
import { runBare, runEnclosed } from './run-enclosed.js';

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

async function tar(
  folder: string,
  args: string[],
  { shown, streams }: { shown: '--bind' | '--ro-bind'; streams: Streams },
): Promise<void> {
  const at = realpathSync(folder);
  const words = ['tar', ...args];
  const ended = await runEnclosed(words, { shown: [shown, at, at], cwd: at, streams });
  const { failed, said } = ended ?? (await runBare(words, at, streams));
  if (failed) throw new Error(`\`tar\` failed in \`${folder}\`: ${said}`);
}
