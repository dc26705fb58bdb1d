import { LABEL, MOST_LABELS } from '../../plan/placement/requirement.js';
import { UnavailableError } from '../errors.js';

/** Labels as a person writes them: `gpu,lab`. Throws an UnavailableError for what is none. */
export function labelsIn(text: string): string[] {
  const labels = [...new Set(text.split(',').map((label) => label.trim()))].filter((label) => label !== '');
  for (const label of labels)
    if (!LABEL.test(label))
      throw new UnavailableError(
        `Expected a label of up to 40 lower-case letters, digits, \`.\`, \`_\` and \`-\`, got \`${label}\`.`,
        'Labels stand one after the other, with commas between: --labels gpu,lab',
      );
  if (labels.length > MOST_LABELS)
    throw new UnavailableError(
      `Expected at most ${String(MOST_LABELS)} labels, got ${String(labels.length)}.`,
      'Give the worker those that steps require.',
    );
  return labels;
}
