import type { Task } from '../../../plan/builds/task.js';
import { DECIDED, troubleStep, WISH } from './trouble.js';

/** What carries out one task of a build: limit of a try, and tries in all. */
export const TASK = { timeout: '300s', attempts: 3 };
/** Rounds that a loop of a build has at most, with those that people ask for. */
export const MOST_ROUNDS = 12;

/** A task as a step of the made workflow. */
export interface TaskStep {
  task: Task;
  id: string;
  /** Its agent's name. */
  agent: string;
  /** A template. */
  prompt: string;
  /** Ids of the steps that come before. */
  needs: string[];
}

/**
 * A task that its agent carries out. When all its tries have failed a person decides what becomes of it. Its output is
 * the agent's summary.
 */
export function workStep({ task, id, agent, prompt, needs }: TaskStep): object {
  return {
    id,
    needs,
    on_error: 'stop',
    loop: { until: `\${steps.work.status == 'success' || ${DECIDED}}`, max: MOST_ROUNDS, at_max: 'continue' },
    steps: [
      {
        id: 'work',
        agent,
        prompt: `${prompt}\n\n${WISH}`,
        timeout: TASK.timeout,
        retry: { attempts: TASK.attempts },
        on_error: 'continue',
      },
      troubleStep(task.name, { when: "steps.work.status != 'success'", shown: '${steps.work.error}' }),
    ],
    yields: '${steps.work.output ?? "It did not succeed."}',
  };
}
