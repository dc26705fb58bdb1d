import type { NarrationLine } from '../../plan/narration/record.js';
import { narrationOf } from '../../plan/narration/narration.js';
import type { Palette } from '../text/colors.js';
import { formatCount, formatUsd, plural } from '../text/format.js';
import { safeLine } from '../text/safe-text.js';
import { wrap } from '../text/width.js';

const MARK = '  ~ ';

/** What narrator or teacher said, as people are shown it; nothing for what they asked. */
export function narrationLines(line: NarrationLine, width: number, palette: Palette): string[] {
  switch (line.kind) {
    case 'message':
      return block(`narrator, ${line.mood}`, line.text, width, palette);
    case 'lesson':
      return block(`lesson, ${safeLine(line.concept)}`, `${line.headline}: ${line.explanation}`, width, palette);
    case 'asked':
    case 'answered':
      return [];
  }
}

/** All that was said of a run, and what that cost beside it; nothing for a run that nobody has told of. */
export function narratedLines(
  lines: NarrationLine[],
  { width, palette }: { width: number; palette: Palette },
): string[] {
  const narration = narrationOf(lines);
  if (narration === null) return [];
  const { narrator, teacher } = narration.spend;
  const costs = Object.entries({ narrator, teacher }).map(
    ([by, { usd, tokens, steps }]) =>
      `${by} ${plural(steps, 'call')}, ${usd === null ? 'at an unknown price' : formatUsd(usd)}, ` +
      `${formatCount(tokens)} tokens`,
  );
  return [
    '',
    ...lines.flatMap((line) => narrationLines(line, width, palette)),
    ...wrap(`Beside the run: ${costs.join('; ')}`, Math.max(2, width - 2)).map((line) => `  ${palette.dim(line)}`),
  ];
}

/** Each line begins as no other does, so that nothing in a text passes for something else. */
function block(whose: string, text: string, width: number, palette: Palette): string[] {
  const lines = wrap(`${whose}: ${safeLine(text)}`, Math.max(2, width - MARK.length));
  return lines.map((line) => `${palette.dim(MARK)}${line}`);
}
