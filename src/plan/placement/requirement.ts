import type { Requirement } from '../names.js';
import type { Plan } from '../plan.js';
import { everyStepOf } from '../plan.js';
import type { WorkerRecord } from './worker-record.js';

/** A label: so written it fits in the name of a queue, and is no program. */
export const LABEL = /^[a-z0-9][a-z0-9._-]{0,39}$/;
/** A program, as it is called. */
export const PROGRAM = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,59}$/;
/** Of one worker, and of one step. */
export const MOST_LABELS = 16;

const PROGRAM_WORD = 'program:';
/** Asks for a worker that has a sandbox. */
const SANDBOX_WORD = 'sandbox:';

/** What is written at a step as one requirement. */
export function requirementOf(asked: {
  labels?: string[] | undefined;
  programs?: string[] | undefined;
  sandbox?: boolean | undefined;
}): Requirement {
  const { labels = [], programs = [], sandbox = false } = asked;
  const words = [...labels, ...programs.map((name) => `${PROGRAM_WORD}${name}`), ...(sandbox ? [SANDBOX_WORD] : [])];
  return [...new Set(words)].sort();
}

/** One text for one requirement; it names a queue, and no part of it has a comma. */
export function requirementKey(requires: Requirement): string {
  return requires.join(',');
}

/** The requirement of a key. */
export function requirementIn(key: string): Requirement {
  return key.split(',');
}

/** The keys of requirements that a memo names: it may hold anything, and a key becomes the name of a queue. */
export function requirementKeysIn(memo: unknown): string[] {
  return Array.isArray(memo) ? memo.filter((key): key is string => typeof key === 'string' && isKey(key)) : [];
}

function isKey(key: string): boolean {
  return requirementIn(key).every(
    (word) =>
      word === SANDBOX_WORD ||
      (word.startsWith(PROGRAM_WORD) ? PROGRAM.test(word.slice(PROGRAM_WORD.length)) : LABEL.test(word)),
  );
}

/** The queue of the workers that meet a requirement, beside the one that all workers of the store poll. */
export function queueFor(base: string, requires: Requirement): string {
  return `${base}/needs/${requirementKey(requires)}`;
}

/** What a worker has: labels that it was given, and what is looked for when it is required. */
export interface Ability {
  labels: ReadonlySet<string>;
  hasProgram: (name: string) => boolean;
  hasSandbox: () => Promise<boolean>;
}

/** Tells whether a worker can do what requires this: it has all of it. */
export async function meets(requires: Requirement, ability: Ability): Promise<boolean> {
  for (const word of requires) if (!(await has(word, ability))) return false;
  return true;
}

async function has(word: string, { labels, hasProgram, hasSandbox }: Ability): Promise<boolean> {
  if (word === SANDBOX_WORD) return hasSandbox();
  return word.startsWith(PROGRAM_WORD) ? hasProgram(word.slice(PROGRAM_WORD.length)) : labels.has(word);
}

/** The labels of a requirement alone. */
export function labelsOf(requires: Requirement): Requirement {
  return requires.filter((word) => !word.includes(':'));
}

/** The requirement in words, to follow "a worker with". */
export function requirementText(requires: Requirement): string {
  const parts = requires.map((word) => {
    if (word === SANDBOX_WORD) return 'a sandbox';
    return word.startsWith(PROGRAM_WORD)
      ? `the program \`${word.slice(PROGRAM_WORD.length)}\``
      : `the label \`${word}\``;
  });
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

/** Everything that steps of a Plan require, each requirement once. */
export function requirementsOf(plan: Plan): Requirement[] {
  const found = new Map<string, Requirement>();
  for (const { requires } of everyStepOf(plan)) if (requires) found.set(requirementKey(requires), requires);
  return [...found.values()];
}

/** Of these keys of requirements those that no worker meets that takes new work now. */
export function unservedOf(keys: readonly string[], workers: readonly WorkerRecord[]): string[] {
  const taking = workers.filter(({ draining }) => !draining);
  const isServed = (key: string): boolean =>
    taking.some(
      // One that was asked for this very moment is known by the labels alone.
      ({ serves, labels }) => serves.includes(key) || requirementIn(key).every((word) => labels.includes(word)),
    );
  return [...new Set(keys)].filter((key) => !isServed(key));
}

/** The worker in words that meets the requirement of a key, of those that may take it (`of the version …`). */
export function workerText(key: string, who = ''): string {
  return ['a worker', who, 'with', requirementText(requirementIn(key))].filter((word) => word !== '').join(' ');
}

/** What a step waits for whose requirement nobody meets; the worker in words. */
export function waitText(worker: string): string {
  return `waits for ${worker}; none serves now`;
}
