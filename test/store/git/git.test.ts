import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = new URL('../../../src/', import.meta.url).pathname;
/** A text that is git's name, or a path that ends with it: as nothing but a program's it has no place in our code. */
const NAME_OF_GIT = /(['"`])(?:[^'"`\s]*\/)?git\1/;
/** The one module that starts it, and what it asks where programs are. */
const MAY = ['store/git/enclosure.ts'];
/** It starts what works on files in the same sandbox: `cp` and `tar`. */
const OTHERS = ['store/git/run-enclosed.ts'];
/** Says whether there is one, and starts nothing. */
const DOCTOR = 'workers/doctor/programs.ts';

describe('git', () => {
  it('is started by one module alone', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files).toContain(MAY[0]);
    const named = files.filter((file) =>
      readFileSync(join(SOURCES, file), 'utf8')
        .split('\n')
        .some((line) => NAME_OF_GIT.test(line.replace(/^\s*(?:\*|\/\/).*/, ''))),
    );
    expect(named.sort()).toEqual([...MAY, DOCTOR]);
    const callers = files.filter((file) =>
      /\b(?:gitProgram|sandboxProgram)\b/.test(readFileSync(join(SOURCES, file), 'utf8')),
    );
    expect(callers.sort()).toEqual([...MAY, 'store/git/git.ts', ...OTHERS, DOCTOR]);
  });
});
