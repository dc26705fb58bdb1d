import { execFileSync } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { startProgram } from '../fakes/start-program.js';
import { until } from '../faults/project.js';

/** Debian's package arduino-core-avr. */
const BOOTLOADER = '/usr/share/arduino/hardware/arduino/avr/bootloaders/optiboot/optiboot_atmega328.hex';
const SOURCE = fileURLToPath(new URL('simavr-board.c', import.meta.url));

/** A board of simavr on a pseudo terminal until the test ends. Needs Debian's packages libsimavr-dev and libelf-dev. */
export async function startSimavr(): Promise<string> {
  const folder = await temporaryFolder();
  const [program, link] = [join(folder, 'board'), join(folder, 'tty')];
  execFileSync('gcc', ['-O2', '-Wall', '-o', program, SOURCE, '-lsimavr', '-lelf', '-lutil', '-lm']);
  const board = await startProgram(program, [BOOTLOADER, link]);
  onTestFinished(() => void board.kill('SIGKILL'));
  await until(() => (board.exitCode === null ? realpath(link).catch(() => null) : 'ended'));
  if (board.exitCode !== null) throw new Error(`The board of simavr ended with ${board.exitCode}.`);
  return link;
}
