import { Script, createContext } from 'node:vm';
import { createTimedScripts } from './timed-script.js';

/** What all expressions of one check may take together. */
const BUDGET_MS = 1_000;

/** A fixed program: the expression and the text are data to it. */
const PROGRAM = new Script('expression ??= new RegExp(pattern, flags); expression.test(text);');

/** Thrown by an expression when its check has used up its time. */
export class SlowPattern extends Error {
  constructor(pattern: string) {
    super(`The pattern \`${pattern}\` of the schema takes too long.`);
  }
}

interface Pattern {
  test: (text: string) => boolean;
}

/**
 * The regular expressions of one schema. Whoever wrote it, an agent that made a tool or a server of tools, cannot make
 * a worker hang by one.
 */
export interface SchemaPatterns {
  /** A check begins: its expressions have their whole time. */
  begin: () => void;
  /** Ajv's `code.regExp`. */
  engine: { (pattern: string, flags: string): Pattern; code: string };
}

/** Each test of an expression throws a SlowPattern once the time of its check is used up. */
export function createSchemaPatterns(): SchemaPatterns {
  const scripts = createTimedScripts(BUDGET_MS);
  const open = (pattern: string, flags: string): Pattern => {
    const place = createContext({ pattern, flags, text: '', expression: null });
    const test = (text: string): boolean => {
      place['text'] = text;
      const ran = scripts.run(PROGRAM, place);
      if (ran === 'slow') throw new SlowPattern(pattern);
      return ran.value === true;
    };
    // Ajv tells expressions apart by their text.
    return { test, toString: () => `/${pattern}/${flags}` } as Pattern;
  };
  return { begin: scripts.restart, engine: Object.assign(open, { code: 'patterns of the schema' }) };
}
