import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.js';
import { newFolder, perdureHere } from '../helpers/command-line.js';

describe('help', () => {
  it('shows an example for every command', async () => {
    const { stdout, code } = await perdureHere(newFolder(), ['--help']);
    expect(code).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name ?? '');
    expect(commands).toEqual(COMMANDS.map(({ name }) => name));
    for (const command of commands) {
      const help = await perdureHere(newFolder(), [command, '--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toMatch(/Examples?:\n {2}\$ .*perdure/);
    }
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect((await perdureHere(newFolder(), ['--version'])).stdout).toBe(`${version}\n`);
  });
});
