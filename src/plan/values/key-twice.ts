/** What begins or ends something in JSON, or parts two of its values. */
const MARK = /["{}[\],]/g;

/** A map or a list that has begun: the keys that it has so far, and where in it the reading is. */
interface Level {
  keys: Set<string> | null;
  /** How many values of a list are over. */
  passed: number;
  /** The last key of a map. */
  key: string;
  /** Whether the next text is a key. */
  isBefore: boolean;
}

/**
 * What keeps a text that is JSON from being taken, in words that follow "without": a key that one of its maps has
 * twice; null where none has. Only the last value would count, and nobody would see which one that was.
 */
export function keyTwice(text: string): string | null {
  const levels: Level[] = [];
  MARK.lastIndex = 0;
  for (let found = MARK.exec(text); found !== null; found = MARK.exec(text)) {
    const level = levels.at(-1);
    switch (found[0]) {
      case '"': {
        MARK.lastIndex = endOfText(text, found.index);
        if (level?.keys == null || !level.isBefore) break;
        level.key = JSON.parse(text.slice(found.index, MARK.lastIndex)) as string; // a text in quotes
        level.isBefore = false;
        if (level.keys.has(level.key)) return `a key that is written twice, such as \`${pathOf(levels)}\``;
        level.keys.add(level.key);
        break;
      }
      case ',':
        if (level === undefined) break;
        level.passed++;
        level.isBefore = true;
        break;
      case '{':
      case '[':
        levels.push({ keys: found[0] === '{' ? new Set() : null, passed: 0, key: '', isBefore: true });
        break;
      default:
        levels.pop();
    }
  }
  return null;
}

/** Where a text ends that begins at a quote: behind the next one that no backslash keeps. */
function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ keys, key, passed }) => (keys === null ? `[${passed}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}
