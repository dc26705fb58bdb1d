import { closeSync, readFileSync, readdirSync } from 'node:fs';

/** `O_CLOEXEC` in `/proc/self/fdinfo`. */
const CLOSES_ON_EXEC = 0o2000000;
const STANDARD = 2;

/**
 * Closes what this process has inherited beside its standard streams, on Linux. Whoever started it had it open, and
 * each program that is started here would have it too: in an agent's sandbox an open folder is a way out. What Node
 * has opened itself closes for programs anyway, and stays. To be called before anything is started.
 */
export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name);
    if (descriptor > STANDARD && staysOpen(descriptor)) closeSync(descriptor);
  }
}

/** Does a program get it that is started here? */
function staysOpen(descriptor: number): boolean {
  try {
    const told = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s*([0-7]+)$/m.exec(told)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
  } catch {
    return false; // It was the look at the folder itself.
  }
}
