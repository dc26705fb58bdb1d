import { literalText } from '../../../plan/values/expression.js';
import type { Gathering } from './context-steps.js';
import { beforePart } from '../parts/before.js';
import { manifestPart } from '../parts/manifest.js';
import { subjectOf, TASK } from './task-step.js';
import { WISH } from './trouble.js';

/** Who mends what is found, and how often before a person is asked. */
export interface Mending {
  /** The agent's name in the made workflow, and in the spec. */
  agent: string;
  name: string;
  rounds: number;
}

/** What a build keeps for itself is none of what it makes. */
const WITHOUT = ['.elisa', '.perdure'];

/** The step that looks at the files before the first task. */
export const BEGUN = {
  id: 'begun',
  tool: 'compare_workspace',
  inputs: { without: WITHOUT },
  on_error: 'continue',
};

/** An expression of a loop with `mendSteps`: who mended has changed nothing, or only taken back what was changed. */
export function inVain(mend: Mending | null): string {
  return mend === null ? 'false' : '(steps.mended.output.again ?? false)';
}

/** What a person is shown, below why nobody mends any further where that is so: a template. */
export function shownWith(mend: Mending | null, shown: string): string {
  return mend === null ? shown : `\${steps.mended.output.reason ?? ""}\n\n${shown}`;
}

const TOLD = [beforePart('gathered'), manifestPart('gathered')];

const CHANGED =
  'What was changed before that:\n<changes>\n' +
  '${steps.mended.output.diff ?? steps.found.output.diff ?? ""}\n</changes>';

/**
 * The steps with which each round of a loop but the first begins: an agent mends what the last one found, between two
 * looks at the files. None where nobody mends. `prompt` is a template; below it stand what has changed since the round
 * before, or since the build began, and `wish`, a template of what a person wished. With `gather`, what happened in the
 * build before that. What is mended is committed as `what`.
 */
export function mendSteps(
  mend: Mending | null,
  {
    prompt,
    what,
    wish = WISH,
    gather = null,
  }: { prompt: string; what: string; wish?: string; gather?: Gathering | null },
): object[] {
  if (mend === null) return [];
  const look = (id: string, after: string): object => ({
    id,
    when: '${index > 0}',
    tool: 'compare_workspace',
    inputs: { after, without: WITHOUT },
    on_error: 'continue',
  });
  return [
    look('found', '${steps.mended.output ?? steps.begun.output ?? ""}'),
    ...(gather === null
      ? []
      : [
          {
            id: 'gathered',
            when: '${index > 0}',
            tool: 'gather_context',
            // Of each round by itself: the files are others.
            inputs: { for: `${literalText(what)} \${index}`, ...gather },
            on_error: 'continue',
          },
        ]),
    {
      id: 'mend',
      when: '${index > 0}',
      agent: mend.agent,
      prompt: [prompt, ...(gather === null ? [] : TOLD), CHANGED, wish].join('\n\n'),
      timeout: TASK.timeout,
      retry: { attempts: TASK.attempts },
      on_error: 'continue',
      commit: subjectOf(mend.name, what),
    },
    look('mended', '${steps.found.output ?? ""}'),
  ];
}
