import { arithmeticOf, assignedTo, namesOf } from './shell-arithmetic.js';
import type { Stretch } from './shell-quotes.js';
import { shellStretches } from './shell-quotes.js';

/** A place of a script where another tool would put a value. */
export interface ShellReference {
  start: number;
  end: number;
  /** The variable of the environment that holds the value. */
  variable: string;
  /** Whether a model, a program or a person made the value: then it must not become code. */
  foreign: boolean;
  /** The script names the variable already: its text stays where the shell puts the value in. */
  own?: boolean;
}

export type ShellText =
  | {
      script: string;
      /** References inside double quotes. */ inDoubleQuotes: ShellReference[];
      /** References that are read as numbers. */ inArithmetic: ShellReference[];
    }
  | { refused: ShellReference; why: string };

const PROGRAMS = '(?:python[\\d.]*|node|bun|deno|ruby|perl|php|sh|bash|zsh|psql|sqlite3|mysql)';
const INTERPRETER = new RegExp(`(?:^|[\\s;&|(/])${PROGRAMS}(?=[\\s;|&]|$)`);
/** Where a command begins. */
const COMMAND = '(?:^|[;&|(\\n]|\\b(?:then|do|else))[ \\t]*';
const NAMING =
  '(?:trap|source|\\.|(?:read|unset|declare|local|typeset|readonly|export|mapfile|readarray)(?:[ \\t]+-\\w+)*)';
/** Before a text that a program takes for code, or that bash takes for a name: it runs the subscript of one. */
const AS_CODE = new RegExp(
  `(?:(?:^|[\\s;&|(/])${PROGRAMS}(?:\\s[^\\n;|&]*(?<=\\s)(?:-c|-e|--eval)|(?:[ \\t]+-s?)?[ \\t]*<<<)` +
    `|(?:${COMMAND}(?:source|\\.)|${PROGRAMS})[ \\t]+<\\([^)\\n]*` +
    `|(?:^|[\\s;&|(])eval|${COMMAND}${NAMING}|(?:\\[|\\btest|\\bprintf)[ \\t]+-v)[ \\t]*\\$?["']?$`,
);
/** Behind a text that a program reads which has no program of its own. */
const INTO_PROGRAM = new RegExp(
  `^[^\\n;&]*(?<!\\|)\\|(?!\\|)[ \\t]*(?:sudo[ \\t]+)?${PROGRAMS}(?:[ \\t]+-s?)?[ \\t]*(?=[;&|)\\n]|$)`,
);

/**
 * A script of bash in which values come from variables of the environment, one word each, whatever is in them: their
 * text is never read as code of the shell (nor, as far as it can be seen, of a program that the shell starts).
 */
export function intoShell(script: string, references: readonly ShellReference[]): ShellText {
  const stretches = shellStretches(script);
  const edits: { start: number; end: number; text: string }[] = [];
  const inDoubleQuotes: ShellReference[] = [];
  const isArithmetic = arithmeticOf(script, stretches);
  const isNumber = ({ start, end, foreign }: ShellReference): boolean => foreign && isArithmetic({ start, end });
  for (const stretch of stretches) {
    const inside = references.filter(({ start }) => start >= stretch.start && start < stretch.end);
    const refused = inside.find((reference) => reference.foreign && becomesCode(script, stretch, reference));
    if (refused !== undefined)
      return { refused, why: 'the text around it is code of a program, which would run the value' };
    if (inside.length === 0) continue;
    if (stretch.quoting === 'quoted-heredoc') edits.push(...openedHeredoc(script, stretch, inside));
    else
      for (const reference of inside) {
        if (reference.own && ['code', 'double', 'heredoc', 'comment'].includes(stretch.quoting)) continue;
        if (stretch.quoting === 'double') inDoubleQuotes.push(reference);
        const variable = isNumber(reference) ? numberOf(reference) : reference.variable;
        edits.push({
          start: reference.start,
          end: reference.end,
          text: written(stretch.quoting, variable, script.slice(reference.end)),
        });
      }
  }
  const inArithmetic = references.filter(isNumber);
  const assigned = references.filter((reference) => {
    const name = reference.foreign ? assignedTo(script, reference) : null;
    return name !== null && namesOf(script, name).some(isArithmetic);
  });
  return {
    script: [
      ...unique(inArithmetic).map(readAsNumber),
      ...unique(assigned).map(holdToNumber),
      applied(script, edits),
    ].join('\n'),
    inDoubleQuotes,
    inArithmetic: [...inArithmetic, ...assigned],
  };
}

function unique(references: ShellReference[]): string[] {
  return [...new Set(references.map(({ variable }) => variable))];
}

function numberOf({ variable }: ShellReference): string {
  return `${variable}_NUMBER`;
}

/** What is no number counts as 0 in arithmetic, as a name does that nothing has. */
function readAsNumber(variable: string): string {
  const number = `${variable}_NUMBER`;
  return `case "$${variable}" in *[![:space:]0-9-]*|'') ${number}=0;; *) ${number}=$${variable};; esac`;
}

/** A variable of the script may be what its author makes of it, but no text that arithmetic runs. */
function holdToNumber(variable: string): string {
  const sentence = `${variable} is no whole number, and arithmetic of this script would read it`;
  return `case "$${variable}" in *[![:space:]0-9-]*) echo '${sentence}' >&2; exit 1;; esac`;
}

/** A variable as it is written where `next` follows. */
function written(quoting: Stretch['quoting'], variable: string, next: string): string {
  const bare = /^[A-Za-z0-9_]/.test(next) ? `\${${variable}}` : `$${variable}`;
  switch (quoting) {
    case 'code':
      return `"$${variable}"`;
    case 'single':
      return `'"$${variable}"'`;
    case 'ansi':
      return `'"$${variable}"$'`;
    case 'double':
    case 'heredoc':
    case 'quoted-heredoc':
    case 'comment':
      return bare;
  }
}

function becomesCode(
  script: string,
  { quoting, start, end, opener = '' }: Stretch,
  reference: ShellReference,
): boolean {
  switch (quoting) {
    case 'heredoc':
    case 'quoted-heredoc':
      return INTERPRETER.test(opener);
    case 'double':
    case 'single':
    case 'ansi':
      return isCodeAround(script, start + 1, end);
    case 'code':
      return isCodeAround(script, reference.start, reference.end);
    case 'comment':
      return false;
  }
}

function isCodeAround(script: string, start: number, end: number): boolean {
  return AS_CODE.test(script.slice(Math.max(0, start - 80), start)) || INTO_PROGRAM.test(script.slice(end));
}

/** A here-document that expands nothing, as one that expands our variables alone. */
function openedHeredoc(
  script: string,
  { start, end, delimiter }: Stretch,
  references: ShellReference[],
): { start: number; end: number; text: string }[] {
  let body = '';
  let from = start;
  for (const { start: at, end: behind, variable } of references) {
    body += escaped(script.slice(from, at)) + written('heredoc', variable, script.slice(behind));
    from = behind;
  }
  body += escaped(script.slice(from, end));
  const opening = delimiter === undefined ? [] : [{ start: delimiter.start, end: delimiter.end, text: delimiter.word }];
  return [...opening, { start, end, text: body }];
}

function escaped(text: string): string {
  return text.replace(/[\\$`]/g, '\\$&');
}

function applied(script: string, edits: { start: number; end: number; text: string }[]): string {
  let text = '';
  let from = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    text += script.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return text + script.slice(from);
}
