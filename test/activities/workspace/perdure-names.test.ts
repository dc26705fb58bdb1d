import { describe, expect, it } from 'vitest';
import { perdureBy, withoutPerdure } from '../../../src/activities/workspace/perdure-names.js';

describe('what a manifest has package managers start as `perdure`', () => {
  it.each([
    ['a command of that name', { bin: { perdure: 'a.js' } }],
    ['one in a folder, whose last name npm takes', { bin: { 'x/perdure': 'a.js' } }],
    ['the one command of a package of that name', { name: 'perdure', bin: 'a.js' }],
    ['the one command of a package with a scope', { name: '@x/perdure', bin: 'a.js' }],
    ['a file of that name in a list', { bin: ['tools/perdure'] }],
    ['whatever is in a folder of commands', { directories: { bin: 'tools' } }],
    ['a script', { scripts: { perdure: 'node a.js' } }],
  ])('is %s, and is gone when it is taken out', (_what, fields) => {
    const text = JSON.stringify({ name: 'app', version: '1.0.0', ...fields });
    expect(perdureBy(text)).not.toBeNull();
    expect(perdureBy(`\uFEFF${text}`)).toBe(perdureBy(text));
    const without = withoutPerdure(text);
    expect(perdureBy(without)).toBeNull();
    expect(JSON.parse(without)).toMatchObject({ version: '1.0.0' });
  });

  it.each([
    [
      'other commands and scripts',
      { bin: { other: 'a.js' }, scripts: { test: 'perdure run' }, directories: { lib: 'x' } },
    ],
    ['the one command of a package of another name', { name: 'app', bin: 'perdure' }],
    ['a dependency', { dependencies: { perdure: '1' } }],
  ])('is not %s, which stay as they are', (_what, fields) => {
    const text = `${JSON.stringify(fields, null, 4)}\n`;
    expect(perdureBy(text)).toBeNull();
    expect(withoutPerdure(text)).toBe(text);
  });

  it('is nothing where the text is no manifest', () => {
    for (const text of ['', '{', '[]', '"perdure"', 'null']) expect([text, perdureBy(text)]).toEqual([text, null]);
  });
});
