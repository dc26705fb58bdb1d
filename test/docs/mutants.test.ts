import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../scripts/hand-mutants-table.mjs';
import { packageRoot } from '../../src/compiler/text/disk.js';

const textOf = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8');

it.each(Object.entries(MUTANTS))(
  'the promise that %s breaks stands in the code once, and is documented',
  (name, mutant) => {
    const { file, from, to, test } = mutant;
    expect(textOf(file).split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    expect(existsSync(join(packageRoot(), test))).toBe(true);
    const row = textOf('docs/mutants.md')
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toContain(`\`${test}\``);
  },
);
