import { ID } from '../../plan/names.js';
import { meansPerhaps, nearest } from '../problems/did-you-mean.js';
import type { Place } from '../problems/problem.js';
import type { Fix } from '../problems/fix.js';
import type { WrittenReference } from './parse-expression.js';

/** What stands around a name that is taken for an input. */
export interface Around {
  /** Names that it may have been meant for. */
  known: Iterable<string>;
  inputs: ReadonlySet<string>;
  /** Names that cannot be inputs: words of the language, and ids of steps. */
  isTaken: (name: string) => boolean;
}

/** What to do about a name that is most likely no input. */
interface Hint {
  suggestion: string;
  fix?: Fix | null;
}

/** So many names are compared with one. */
const MOST_COMPARED = 200;
/** Words that other languages write before an input's name, where an input of that name is declared. */
const BEFORE_INPUTS = new Set(['params', 'parameters', 'args', 'arguments', 'vars', 'variables']);
const FOREIGN_ROOTS = new Map([
  ['env', 'variables of the environment are no part of a definition: declare an input'],
  ['secrets', 'secrets are no part of a definition: a command takes them from its `env:`'],
]);
/** Words of the language that a path begins with. */
const ROOTS = ['steps', 'parallel_group'];
const LITERALS = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['none', 'null'],
  ['nil', 'null'],
]);

/** What to do about a name that is taken for an input; null where it is one: it is like nothing else there is. */
export function hintOfInput({ path, source }: WrittenReference, at: Place, around: Around): Hint | null {
  const [root, ...rest] = path;
  const foreign = FOREIGN_ROOTS.get(root);
  if (foreign !== undefined) return { suggestion: foreign };
  const [inner] = rest;
  const isBefore =
    typeof inner === 'string' && (root === 'input' || (BEFORE_INPUTS.has(root) && around.inputs.has(inner)));
  if (root === 'inputs' || isBefore) return byItsName(rest, source, at, around);
  const literal = rest.length === 0 ? LITERALS.get(root.toLowerCase()) : undefined;
  if (literal !== undefined) return { suggestion: meansPerhaps(literal), fix: inPlaceOf(at, source, literal) };
  const known = [...around.known].slice(0, MOST_COMPARED);
  const near = nearest(root, rest.length === 0 ? known : [...ROOTS, ...known]);
  return near === null ? null : { suggestion: meansPerhaps(near) };
}

/** `inputs.target` is `target` here. */
function byItsName(rest: (string | number)[], source: string, at: Place, { isTaken }: Around): Hint {
  const [name, ...deeper] = rest;
  const isName = typeof name === 'string' && ID.test(name) && !isTaken(name);
  const written = isName ? `${name}${deeper.map(segmentText).join('')}` : 'target';
  return {
    suggestion: `an input is written by its name alone: \`\${${written}}\``,
    fix: isName && !written.includes('"') ? inPlaceOf(at, source, written) : null,
  };
}

function segmentText(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  return ID.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}

/** A reference that stands in its file as it was read may be written over. */
export function inPlaceOf(at: Place, source: string, text: string): Fix | null {
  return at.source.text.slice(at.start, at.end) === source ? { at, text } : null;
}
