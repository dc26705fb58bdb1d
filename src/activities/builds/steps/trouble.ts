import { literalText } from '../../../plan/values/expression.js';

/** What a person may choose when a part does not come right by itself. */
const CHOICES = ['try again', 'do without it', 'take it as it is', 'stop'] as const;

/** Of a loop's round that has `troubleStep`: nothing more is tried. */
export const DECIDED = "(steps.trouble.output[0].choice ?? 'try again') != 'try again'";

/** Of a loop's round that has `troubleStep`: a person takes what there is. */
export const TAKEN = "(steps.trouble.output[0].choice ?? '') == 'take it as it is'";

/** A template of what a person wished in the round before; nothing where none did. */
export const WISH = '${steps.trouble.output[0].wish ?? ""}';

/**
 * A step of a loop's body that asks a person what becomes of a part, where `when` holds: an expression. `shown` is a
 * template of what they decide by. `stop` ends the build. Without people the build stops here, also with `--yes`.
 */
export function troubleStep(part: string, { when, shown }: { when: string; shown: string }): object {
  return {
    id: 'trouble',
    when: `\${${when}}`,
    foreach: [literalText(part)],
    steps: [
      {
        id: 'decide',
        approval: {
          message: literalText(`We're having trouble with this part: ${part}`),
          content: shown,
          options: CHOICES,
          edit: false,
          fallback: 'abort',
        },
      },
      {
        id: 'wish',
        when: "${steps.decide.output == 'try again'}",
        ask: literalText(`What should be different this time: ${part}?`),
        default: '',
      },
      {
        id: 'go_on',
        when: "${steps.decide.output == 'stop'}",
        set: { message: literalText(`A person stopped the build at this part: ${part}`) },
        require: false,
      },
    ],
    yields: { choice: '${steps.decide.output}', wish: '${steps.wish.output ?? ""}' },
  };
}
