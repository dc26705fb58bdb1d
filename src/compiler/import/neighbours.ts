import { extname } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { at, all, either, has, item, text } from '../text/match-document.js';
import type { Matcher } from '../text/match-document.js';
import type { NeighbourName } from './shared/loss.js';

/** What documents of each format look like. */
const SIGNS: [NeighbourName, Matcher][] = [
  [
    'archon',
    item(
      'nodes',
      either(
        has('depends_on', 'loop_group', 'trigger_rule'),
        all(has('id'), has('command', 'prompt', 'bash', 'script', 'loop', 'approval', 'cancel', 'include', 'workflow')),
      ),
    ),
  ],
  ['conductor', all(at('workflow', has('entry_point')), has('agents', 'parallel', 'for_each'))],
  [
    'goose',
    either(
      all(text('title'), has('description', 'version'), has('instructions', 'prompt')),
      at('recipe', all(text('title'), has('instructions', 'prompt'))),
    ),
  ],
];

/** The neighbour whose file it seems to be; null for any other. */
export function neighbourOf(value: Json, file: string): NeighbourName | null {
  if (!isObject(value)) return null;
  if (extname(file) === '.md') return null;
  const known = SIGNS.find(([, matches]) => matches(value));
  if (known !== undefined) return known[0];
  return /\/\.archon\/workflows\//.test(file) ? 'archon' : null;
}
