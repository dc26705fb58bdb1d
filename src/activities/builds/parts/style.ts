import { mapIn, textIn } from '../../../plan/builds/build-spec.js';
import type { Json } from '../../../plan/values/json.js';
import { toText } from '../../../plan/values/json.js';
import { dataBlock } from '../../../plan/text/data-block.js';
import { ownOf } from '../../../plan/values/own.js';

/** What a spec's level asks of the structure. */
const LEVEL: Record<string, string> = {
  explorer: 'Keep it small: few files, each of which can be followed from top to bottom.',
  builder: 'Give each file one purpose, and a name that says it.',
  architect: 'Show the structure: parts with clear borders, and a word in your answer on how they work together.',
};

/** Part 6: how the result looks and speaks, and how much structure it shows. */
export function stylePart(spec: Json): string | null {
  const style = Object.entries(mapIn(spec, 'style')).filter(([, value]) => value !== null && value !== '');
  const level = ownOf(LEVEL, textIn(mapIn(spec, 'workflow'), 'system_level'));
  if (style.length === 0 && level === undefined) return null;
  const lines = style.map(([key, value]) => `${key}: ${toText(value)}`).join('\n');
  return [
    '## Style',
    ...(style.length === 0 ? [] : [`The result looks and speaks so:\n\n${dataBlock('style', lines)}`]),
    ...(level === undefined ? [] : [level]),
  ].join('\n\n');
}
