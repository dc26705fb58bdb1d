interface Pattern {
  test: (text: string) => boolean;
}

/** The regular expressions of one schema. They stand in the way of whoever ends a check that takes too long. */
export interface SchemaPatterns {
  /** Ajv's `code.regExp`. */
  engine: { (pattern: string, flags: string): Pattern; code: string };
  /** The expression within which the last check has been ended. */
  endedIn: () => string | null;
}

/** Expressions that say which of them is at work. */
export function createSchemaPatterns(): SchemaPatterns {
  let atWork: string | null = null;
  const open = (pattern: string, flags: string): Pattern => {
    const expression = new RegExp(pattern, flags);
    const test = (text: string): boolean => {
      atWork = pattern;
      const fits = expression.test(text);
      atWork = null;
      return fits;
    };
    // Ajv tells expressions apart by their text.
    return { test, toString: () => `/${pattern}/${flags}` } as Pattern;
  };
  const endedIn = (): string | null => {
    const pattern = atWork;
    atWork = null;
    return pattern;
  };
  return { engine: Object.assign(open, { code: 'patterns of the schema' }), endedIn };
}
