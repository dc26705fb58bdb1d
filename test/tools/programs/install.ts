import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAMS } from '../../../src/plan/agents/program.js';
import { cacheFolder } from '../../../src/store/cache-folder.js';
import { errorCode } from '../../../src/store/store-failure.js';

/** The programs that the adapters were written against; all run on Node 20. */
const PACKAGES = { '@anthropic-ai/claude-code': '2.1.197', '@openai/codex': '0.169.0', '@google/gemini-cli': '0.61.0' };

/**
 * The folder with the real `claude`, `codex` and `gemini`. They are installed once into the user's cache, by npm and
 * apart from the project: they are 740 MB, and no dependency of it. They are linked, for no program that plays an agent
 * is taken from a folder of packages.
 */
export function agentPrograms(): string {
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES });
  const cache = cacheFolder();
  const folder = join(cache, `agent-programs-${createHash('sha256').update(manifest).digest('hex').slice(0, 12)}`);
  if (!existsSync(folder)) install(cache, folder, manifest);
  const links = join(folder, 'bin');
  mkdirSync(links, { recursive: true });
  for (const name of PROGRAMS) link(join(folder, 'node_modules', '.bin', name), join(links, name));
  return links;
}

/** Another test run may have made it. */
function link(program: string, place: string): void {
  try {
    symlinkSync(program, place);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Whole or not at all: another test run may install at the same time. */
function install(cache: string, folder: string, manifest: string): void {
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, 'installing-'));
  try {
    writeFileSync(join(made, 'package.json'), manifest);
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'], made);
    // npm runs no scripts unasked, and this one puts the program for this machine in its place.
    run(process.execPath, ['node_modules/@anthropic-ai/claude-code/install.cjs'], made);
    renameSync(made, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(status)}: ${stderr}`);
}
