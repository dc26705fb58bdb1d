/** A file with `steps` as a list at its top, cut where its steps begin. */
export interface SplitText {
  /** All above the first step: the head of the file, and `steps:`. */
  head: string;
  /** One text for each step, with the lines below it that are empty or comments. */
  steps: string[];
  /** All below the last step. */
  tail: string;
  /** Spaces before the `-` of each step. */
  indent: number;
}

/** Files with fewer steps are read whole: there is nothing to gain. */
const FEWEST_STEPS = 8;

/**
 * Cuts a file where its steps seem to begin, by lines alone; null where it has few or none. Whether YAML sees them
 * there is for the parser to say.
 */
export function splitSteps(text: string): SplitText | null {
  const start = startOfSteps(text);
  if (start === null) return null;
  let indent = -1;
  const begins: number[] = [];
  let end = text.length;
  for (let at = start; at < text.length; at = nextLine(text, at)) {
    let first = at;
    while (text.charCodeAt(first) === SPACE) first += 1;
    const code = text.charCodeAt(first);
    // Empty lines and comments belong to the step above.
    if (first >= text.length || code === NEWLINE || code === RETURN || code === HASH) continue;
    const depth = first - at;
    const isItem = code === DASH && isBlank(text.charCodeAt(first + 1));
    if (indent === -1) {
      if (!isItem) return null;
      indent = depth;
    }
    if (depth === indent && isItem) begins.push(at);
    else if (depth <= indent) {
      end = at;
      break;
    }
  }
  if (begins.length < FEWEST_STEPS) return null;
  const steps = begins.map((begin, index) => text.slice(begin, begins[index + 1] ?? end));
  return { head: text.slice(0, begins[0]), steps, tail: text.slice(end), indent };
}

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const HASH = 35;
const DASH = 45;

function isBlank(code: number): boolean {
  return Number.isNaN(code) || code === SPACE || code === NEWLINE || code === RETURN;
}

function nextLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline + 1;
}

/** Where the line below `steps:` begins; null where there is no such line, or more than one. */
function startOfSteps(text: string): number | null {
  const found = [...text.matchAll(/^steps:[ \t]*(?:#.*)?\r?$/gm)];
  const [only] = found;
  return only === undefined || found.length > 1 ? null : nextLine(text, only.index);
}
