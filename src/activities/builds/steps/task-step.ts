import type { Task } from '../../../plan/builds/task.js';
import { DECIDED, TAKEN, troubleStep, WISH } from './trouble.js';

/** What carries out one task of a build: limit of a try, and tries in all. */
export const TASK = { timeout: '300s', attempts: 3 };
/** Rounds that a loop of a build has at most, with those that people ask for. */
export const MOST_ROUNDS = 12;
const MOST_CHARACTERS = 100;
/** Why the round before failed; nothing in the first. */
const FAULT = '${steps.work.error ?? ""}';

/** A task as a step of the made workflow. */
export interface TaskStep {
  task: Task;
  id: string;
  /** Its agent's name in the made workflow, and in the spec. */
  agent: string;
  name: string;
  /** A template. */
  prompt: string;
  /** The part of the prompt that tells what happened before; null for nothing. */
  before: string | null;
  /** Ids of the steps that come before. */
  needs: string[];
}

/**
 * A task that its agent carries out, and commits. When all its tries have failed a person decides what becomes of it:
 * taken as it is, what it left is committed. Its output is the agent's summary.
 */
export function workStep({ task, id, agent, name, prompt, needs }: TaskStep): object {
  const subject = subjectOf(name, task.name);
  return {
    id,
    needs,
    on_error: 'stop',
    loop: { until: `\${steps.work.status == 'success' || ${DECIDED}}`, max: MOST_ROUNDS, at_max: 'continue' },
    steps: [
      {
        id: 'work',
        agent,
        prompt: `${prompt}\n\n${FAULT}\n\n${WISH}`,
        timeout: TASK.timeout,
        retry: { attempts: TASK.attempts },
        on_error: 'continue',
        commit: subject,
      },
      troubleStep(task.name, { when: "steps.work.status != 'success'", shown: '${steps.work.error}' }),
      {
        id: 'taken',
        when: `\${${TAKEN}}`,
        set: { summary: 'A person took it as it is. ${steps.work.error ?? ""}' },
        commit: { of: 'work', subject },
      },
    ],
    yields: '${steps.work.output ?? "It did not succeed."}',
  };
}

/** The subject of a commit: `<agent>: <what>`, one line of at most 100 characters. */
export function subjectOf(agent: string, what: string): string {
  const line = `${agent}: ${what}`.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').replaceAll('${', '$ {');
  return [...line.trim()].slice(0, MOST_CHARACTERS).join('');
}
