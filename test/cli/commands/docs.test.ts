import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.js';
import { EXIT } from '../../../src/cli/exit-codes.js';

const docs = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

describe('docs/cli.md', () => {
  it.each(COMMANDS.map(({ name }) => name))('names the command `%s`', (name) => {
    expect(docs).toMatch(new RegExp(`\`${name}\\b`));
  });

  it.each(Object.values(EXIT))('explains exit code %i', (code) => {
    expect(docs).toContain(`\n| ${code} | `);
  });

  it.each(COMMANDS.filter(({ options }) => options.some(({ flags }) => flags === '--json')).map(({ name }) => name))(
    'says what `%s --json` prints',
    (name) => {
      const section = docs.slice(docs.indexOf('## JSON documents'), docs.indexOf('**RunResult** is'));
      expect(section).toMatch(new RegExp(`^\\| (?:.*, )?\`${name}\\b[^|]*\\|`, 'm'));
    },
  );

  it('explains every option of `run`', () => {
    const run = COMMANDS.find(({ name }) => name === 'run');
    const flags = (run?.options ?? []).flatMap(({ flags: text }) => /--[a-z-]+/.exec(text) ?? []);
    expect(flags.filter((flag) => !docs.includes(flag) && !['--input', '--task-queue'].includes(flag))).toEqual([]);
  });
});
