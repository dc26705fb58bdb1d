import type { Tone } from '../../cli/text/colors.js';
import type { ListedStatus } from '../../cli/observe/listed-status.js';
import type { StepView } from '../../cli/observe/view/view.js';
import { RUN_MARKS } from '../../cli/render/lists.js';

/** Any state of a run or a step. */
export type Status = ListedStatus | StepView['status'];

const MARKS: Record<Status, { mark: string; tone: Tone }> = {
  ...RUN_MARKS,
  pending: { mark: '○', tone: 'quiet' },
  skipped: { mark: '–', tone: 'quiet' },
  unknown: { mark: '?', tone: 'quiet' },
};

/** The class of a colour by meaning. */
export function toneClass(tone: Tone): string {
  return `tone-${tone}`;
}

/** A state as a mark and its word: never a colour alone. */
export function StatusChip({ status }: { status: Status }) {
  const { mark, tone } = MARKS[status];
  return (
    <span class={`chip ${toneClass(tone)}`}>
      <span aria-hidden="true">{mark}</span> {status}
    </span>
  );
}
