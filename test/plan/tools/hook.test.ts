import { describe, expect, it } from 'vitest';
import { isToolPattern, matchesTool } from '../../../src/plan/tools/hook.js';

describe('a hook', () => {
  it.each<[string, string[], boolean]>([
    ['*', ['shell'], true],
    ['', ['shell'], true],
    ['', [], true],
    ['*', [], true],
    ['shell', ['shell'], true],
    ['shell', ['shell_more'], false],
    ['shell', ['Bash', 'shell'], true],
    ['read_file|Edit', ['Edit'], true],
    ['read_file|Edit', ['edit'], false],
    ['read_file|Edit', ['read_file|Edit'], false],
    ['github__.*', ['github__issues'], true],
    ['github__.*', ['gitlab__issues'], false],
    ['^(Write|Edit)$', ['MultiEdit', 'Write'], true],
    ['^(Write|Edit)$', ['MultiEdit'], false],
    ['.ile', ['read_file'], true],
    ['shell', [], false],
  ])('about %j has to do with a tool that is called %j: %s', (tools, names, is) => {
    expect(matchesTool({ tools }, names)).toBe(is);
  });

  it.each<[string, boolean]>([
    ['*', true],
    ['', true],
    ['a|b', true],
    ['a.*', true],
    ['**', false],
    ['(', false],
    ['[a', false],
  ])('may name tools by %j: %s', (tools, may) => {
    expect(isToolPattern(tools)).toBe(may);
  });
});
