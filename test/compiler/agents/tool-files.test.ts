import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const TOOL = readFileSync(join(packageRoot(), 'definitions/tools/word-count/tool.yml'), 'utf8');

function problemsOf(text: string): string[] {
  const root = createProject({ [`.glee/tools/${/^name: (.+)$/m.exec(text)?.[1] ?? 'x'}/tool.yml`]: text });
  return validatePaths([join(root, '.glee/tools')], root).problems.map(brief);
}

describe('a tool', () => {
  it('is checked with its folder, and is nothing to run', () => {
    expect(validatePaths([join(packageRoot(), 'definitions', 'tools')], packageRoot())).toMatchObject({
      files: 3,
      problems: [],
    });
    expect(compileIn(createProject({ 'tool.yml': TOOL }), 'tool.yml').problems.map(brief)).toEqual([
      '2:1 unsupported-format',
    ]);
  });

  it.each([
    ['an unknown key', TOOL.replace('version: 1', 'versoin: 1\nversion: 1'), ['5:1 unknown-key']],
    ['a kind that there is not', TOOL.replace('kind: command', 'kind: shell'), ['4:7 invalid-value']],
    [
      'the block of another kind',
      TOOL.replace('kind: command', 'kind: python'),
      ['12:1 missing-key', '13:3 conflicting-keys'],
    ],
    ['a reference to nothing', TOOL.replace('"${text}"', '"${txt}"'), ['13:53 unknown-variable']],
    [
      'a program that is a template',
      TOOL.replace('entrypoint: wc', 'entrypoint: "${text}"'),
      ['13:25 command-not-literal'],
    ],
    ['a schema that is none', TOOL.replace('{type: string,', '{type: strng,'), ['9:31 invalid-schema']],
    ['a version below one', TOOL.replace('version: 1', 'version: 0'), ['5:10 invalid-value']],
    ['no inputs', TOOL.replace(/inputs:\n(?: .*\n)*/, ''), ['2:1 missing-key']],
  ])('is refused with %s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it.each(['ftp://example.org/x', 'https://${host}/x', 'example.org', 'https://example.org${path}'])(
    'asks only hosts that are written out, not %s',
    (url) => {
      const text = readFileSync(join(packageRoot(), 'definitions/tools/github-issue/tool.yml'), 'utf8').replace(
        /url: .*/,
        `url: "${url}"`,
      );
      expect(problemsOf(text)).toEqual(['19:10 invalid-value']);
    },
  );

  it.each(['127.0.0.1', 'LOCALHOST', '"[::1]"', '0.0.0.0'])(
    'names this machine with a port, not as %s alone',
    (host) => {
      const withHosts = (hosts: string): string => TOOL.replace('network: false', `network: [${hosts}]`);
      expect(problemsOf(withHosts(host))).toEqual(['14:25 invalid-value']);
      expect(problemsOf(withHosts(`"${host.replaceAll('"', '')}:80", example.org`))).toEqual([]);
    },
  );
});
