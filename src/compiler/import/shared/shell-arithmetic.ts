import type { Stretch } from './shell-quotes.js';

/**
 * Tells of a place of a script whether bash takes for arithmetic what stands there. In arithmetic bash runs what a text
 * names: the subscript of `a[$(rm x)]` (Bash Reference Manual, Shell Arithmetic). The place is `start` up to `end`.
 */
export function arithmeticOf(
  script: string,
  stretches: readonly Stretch[],
): (place: { start: number; end: number }) => boolean {
  const code = codeOf(script, stretches);
  const isOpen = (sign: string, closing: string, at: number): boolean =>
    code.lastIndexOf(sign, at - 1) > code.lastIndexOf(closing, at - 1);
  return ({ start, end }) => {
    const before = script.slice(Math.max(0, start - 200), start);
    return (
      isOpen('((', '))', start) ||
      isOpen('$[', ']', start) ||
      (isOpen('[[', ']]', start) &&
        (COMPARED_BEFORE.test(before) || COMPARED_BEHIND.test(script.slice(end, end + 40)))) ||
      LET.test(code.slice(Math.max(0, start - 200), start)) ||
      WHOLE_NUMBER.test(before) ||
      SUBSCRIPT.test(before)
    );
  };
}

const COMPARED_BEFORE = /\s-(?:eq|ne|lt|le|gt|ge)\s+["']?$/;
const COMPARED_BEHIND = /^["'}]*\s+-(?:eq|ne|lt|le|gt|ge)\s/;
const LET = /(?:^|[\s;&|(])let\s[^\n;&|]*$/;
const WHOLE_NUMBER = /(?:^|[\s;&|(])(?:declare|local|typeset|readonly|export)\s+-\w*i\w*\s+\w+=["']?$/;
/** `${list[…]}`, `list[…]=` and `${text:…}`, but no `${text:-…}`. */
const SUBSCRIPT = /(?:\$\{[#!]?|(?:^|[\s;&|(]))\w+\[[^\]\n]*$|\$\{\w+:(?![-=?+])[^}\n]*$/;

/** A script with spaces in place of what is no code of its own. */
function codeOf(script: string, stretches: readonly Stretch[]): string {
  return stretches
    .map(({ quoting, start, end }) => (quoting === 'code' ? script.slice(start, end) : ' '.repeat(end - start)))
    .join('');
}

/** The variable that a script gives just the value of a place: `N` of `N=$x.output`; null for none. */
export function assignedTo(script: string, { start, end }: { start: number; end: number }): string | null {
  const before = ASSIGNED.exec(script.slice(Math.max(0, start - 80), start));
  return before !== null && /^["']?(?=[\s;&|)]|$)/.test(script.slice(end)) ? (before[1] ?? null) : null;
}

const ASSIGNED = /(?:^|[\s;&|(])([A-Za-z_]\w*)=["']?$/;

/** Every place where a script names a variable. */
export function namesOf(script: string, variable: string): { start: number; end: number }[] {
  return [...script.matchAll(new RegExp(`\\$?\\{?\\b${variable}\\b(?!=)`, 'g'))].map(({ index, 0: text }) => ({
    start: index,
    end: index + text.length,
  }));
}
