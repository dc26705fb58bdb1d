import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Opens files until this process may open no more. */
export function fillDescriptors(): { free: () => void } {
  const limit = (files: number): unknown =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${files}:`]);
  const before = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  limit(readdirSync('/proc/self/fd').length + 50);
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    // there is room for none
  }
  const free = (): void => {
    files.forEach(closeSync);
    limit(before);
  };
  return { free };
}
