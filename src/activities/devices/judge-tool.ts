import type { Device, DeviceKind, Meaning } from '../../plan/devices/device.js';
import type { FailureType } from '../../plan/failure.js';
import { stepFailure } from '../failures.js';
import type { ToolEnd } from './tool.js';

const FAILURE_OF: Record<Meaning, FailureType> = {
  mute: 'device-mute',
  mismatch: 'device-mismatch',
  'wrong-part': 'device-wrong',
  unreadable: 'image-invalid',
  missing: 'device-missing',
  refused: 'device-refused',
  busy: 'device-busy',
};

const SUMMARY: Record<Meaning, string> = {
  mute: 'does not answer',
  mismatch: 'holds something else than was written',
  'wrong-part': 'is another chip than expected',
  unreadable: 'was not written: the tool cannot read the image',
  missing: 'cannot be reached',
  refused: 'may not be opened by this user',
  busy: 'is in use by another program',
};

/** What a tool's words mean: its exit code says nothing (ecosystem.md, section 5). Null for words that nobody knows. */
export function meaningOf({ texts }: Pick<DeviceKind, 'texts'>, said: string): { means: Meaning; line: string } | null {
  const known = texts.find(({ text }) => said.includes(text));
  if (known === undefined) return null;
  const line = said.split(/[\r\n]+/).find((candidate) => candidate.includes(known.text)) ?? known.text;
  return { means: known.means, line: line.trim() };
}

/**
 * The failure that a tool's end is. `hasWritten`: a port that is lost by then is a board that died, and may come back.
 */
export function toolFailure({ name, kind }: Device, program: string, end: ToolEnd, hasWritten: boolean): Error {
  const found = meaningOf(kind, end.said);
  if (found === null)
    return stepFailure(
      'flash-failed',
      `\`${name}\`: ${program} ended with ${end.code ?? 'a signal'}: ${lastLines(end.said)}`,
    );
  const means = hasWritten && found.means === 'missing' ? 'mute' : found.means;
  return stepFailure(FAILURE_OF[means], `\`${name}\` ${SUMMARY[means]}. ${program} says: ${found.line}`);
}

function lastLines(said: string): string {
  const lines = said
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(-4).join(' · ') || 'it said nothing';
}

/** Follows a tool's words, and tells how far it is. */
export function createProgress({ progress: { mark, count, phases } }: DeviceKind): {
  add: (text: string) => void;
  now: () => { phase: string; percent: number } | null;
} {
  let tail = '';
  let phase: string | null = null;
  let percent = 0;

  const add = (text: string): void => {
    tail += text;
    const [start, name] = Object.entries(phases).reduce<[number, string | null]>(
      (best, [words, named]) => {
        const at = tail.lastIndexOf(words);
        return at > best[0] ? [at, named] : best;
      },
      [-1, null],
    );
    if (name !== null) {
      phase = name;
      percent = 0;
      tail = tail.slice(start);
    }
    percent =
      mark === null
        ? (lastPercent(tail) ?? percent)
        : Math.min(100, Math.round((100 * marks(tail, mark)) / Math.max(1, count)));
    if (tail.length > 4_096) tail = tail.slice(-2_048);
  };

  return { add, now: () => (phase === null ? null : { phase, percent }) };
}

function marks(text: string, mark: string): number {
  return text.split(/[\r\n]/, 1)[0]?.split(mark).length ?? 1;
}

function lastPercent(text: string): number | null {
  const found = [...text.matchAll(/(\d{1,3})(?:\.\d+)? ?%/g)].at(-1)?.[1];
  return found === undefined ? null : Math.min(100, Number(found));
}
