import type { Options, ResultPromise } from 'execa';
import { execa } from 'execa';
import { systemProgram } from './find-on-path.js';

/**
 * What is fixed for each program: it gets the environment it is given and no more, its output is left as it is, and one
 * that takes too long is killed at once.
 */
type Fixed = { extendEnv: false; stripFinalNewline: false; reject: false; killSignal: 'SIGKILL' };
const FIXED: Fixed = { extendEnv: false, stripFinalNewline: false, reject: false, killSignal: 'SIGKILL' };

/**
 * Starts a program that belongs to no step: git, editors, pagers, `go`, `ps`. A bare name is a program of the system,
 * wherever PATH leads: an agent may write in a folder of PATH. Its result never rejects: `exitCode` is undefined where
 * it could not be started, was killed or took longer than `timeout` milliseconds. One that printed more than
 * `maxBuffer` has `failed`, whatever its exit code: what it printed is cut. What steps start is
 * `activities/processes/`: it carries a run's tag and ends with its group.
 */
export function runProgram<O extends Options & { env: NodeJS.ProcessEnv }>(
  file: string,
  args: string[],
  options: O,
): ResultPromise<O & Fixed> {
  const path = file.includes('/') ? file : (systemProgram(file) ?? `/usr/bin/${file}`);
  return execa(path, args, { ...options, ...FIXED });
}
