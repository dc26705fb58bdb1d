import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { ASK, chainOf, COUNT } from '../helpers/chain-compile.js';
import { compileIn, compileText, createProject } from '../helpers/temporary-project.js';

/** The warning for a command with the value `x`, as it is told; null for none. */
function warningOf(command: string): string | null {
  const { problems } = compileText(`inputs: {x: {type: string}}\nsteps:\n  - command: ${command}\n`);
  const found = problems.filter(({ code }) => code === 'value-as-code');
  return found.map(({ line, column, message }) => `${line}:${column} ${message}`)[0] ?? null;
}

describe('a value in the text of a program', () => {
  it.each([
    ['[bash, -c, "echo ${x}"]', '3:25', 'bash'],
    ['[bash, -ec, "${x}"]', '3:26', 'bash'],
    ['[/bin/sh, -e, -c, "echo ${x}"]', '3:32', 'sh'],
    ['[env, "A=${x}", bash, -c, "echo ${x}", bash]', '3:40', 'bash'],
    ['[python3.12, -c, "print(\'${x}\')"]', '3:31', 'python3.12'],
    ['[node, "--eval=log(${x})"]', '3:21', 'node'],
    ['[perl, -ne, "print ${x}"]', '3:26', 'perl'],
    ['[psql, "db", -c, "select ${x}"]', '3:31', 'psql'],
  ])('is told of %s', (command, place, program) => {
    expect(warningOf(command)).toBe(
      `${place} The value becomes part of a program: \`${program}\` runs whatever is in it.`,
    );
  });

  it.each([
    '[bash, -c, "echo $X"]\n    env: {X: "${x}"}',
    '[bash, -c, "echo \\"$1\\"", bash, "${x}"]',
    '[bash, -c, "echo \\\\${x}"]',
    '[bash, script.sh, -c, "${x}"]',
    '[node, main.js, -e, "${x}"]',
    '[git, commit, -c, "${x}"]',
    '[echo, "${x}"]',
  ])('is no value in one of %s', (command) => {
    expect(warningOf(command)).toBe(null);
  });

  it('is told of in a chain', () => {
    const chain = chainOf(ASK, { ...COUNT, command: ['bash', '-c', 'echo {{gist}} | wc -w'] });
    const { problems } = compileIn(createProject({ 'c.json': JSON.stringify(chain) }), 'c.json');
    expect(problems.map(({ code }) => code)).toEqual(['value-as-code']);
  });

  it('is told of in a tool, where a model has written it', () => {
    const tool = readFileSync(join(packageRoot(), 'definitions/tools/word-count/tool.yml'), 'utf8');
    const text = tool.replace('entrypoint: wc', 'entrypoint: bash').replace(/args: \[.*?\]/, 'args: [-c, "${text}"]');
    const root = createProject({ '.glee/tools/word-count/tool.yml': text });
    const { problems } = validatePaths([join(root, '.glee/tools')], root);
    expect(problems.map(({ code }) => code)).toEqual(['value-as-code']);
  });
});
