const ESCAPE = '\u001b';
const BELL = '\u0007';

/**
 * Where a sequence stands: `started` after an escape, `opened` after `ESC [`, `control` further in that, `one` before
 * the last character (`ESC [ [ A` is F1 on a Linux console), `string` in one that ends with a bell or `ESC \`, `ending`
 * after an escape in that.
 */
type State = 'none' | 'started' | 'opened' | 'control' | 'one' | 'string' | 'ending';

/** No sequence is held up for so long between its escape and the rest. */
const LONE_MS = 1_000;

/** What a character after an escape begins. */
const BEGINS: Partial<Record<string, State>> = {
  '[': 'opened',
  O: 'one',
  ']': 'string',
  P: 'string',
  X: 'string',
  '^': 'string',
  _: 'string',
};

/**
 * Takes what a terminal sends, in pieces that may be cut anywhere, and gives the keys in it. Arrows, function keys and
 * what a terminal answers when a program asks it (its colours, its version) are sequences after an escape (ECMA-48, 5
 * and 8.3): none of their characters was typed, so none may decide anything. A key right after Esc is one with Alt, and
 * is left out too. A control character such as Ctrl-C ends a sequence, and counts.
 */
export function createKeyParser(now = Date.now): (text: string) => string[] {
  let state: State = 'none';
  let at = 0;
  const take = (char: string): boolean => {
    const before = state;
    state = after(before, char);
    return char < ' ' ? char !== ESCAPE && !(char === BELL && before === 'string') : before === 'none';
  };
  return (text) => {
    // Esc was pressed alone: what is typed later is no part of a sequence, which comes within less, over any line.
    if (state === 'started' && now() - at > LONE_MS) state = 'none';
    at = now();
    return [...text].filter(take);
  };
}

function after(state: State, char: string): State {
  if (char === ESCAPE) return state === 'string' ? 'ending' : 'started';
  if (char < ' ') return 'none';
  switch (state) {
    case 'none':
    case 'one':
    case 'ending':
      return 'none';
    case 'started':
      return BEGINS[char] ?? (char < '0' ? 'started' : 'none');
    case 'opened':
      return char === '[' ? 'one' : after('control', char);
    case 'control':
      return char >= '@' ? 'none' : 'control';
    case 'string':
      return 'string';
  }
}
