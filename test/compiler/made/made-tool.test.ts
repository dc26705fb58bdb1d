import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileMadeTool } from '../../../src/compiler/made/made-tool.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { FILES, agent } from '../../workflows/helpers/conversing.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'perdure-made-tool-'));
  writeFileSync(join(root, 'perdure.yml'), '');
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const maker = agent({ uses: [...FILES, { kind: 'maker', name: 'tool_create' }] });
const LINES: JsonObject = {
  description: 'Counts lines.',
  kind: 'command',
  inputs: { schema: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] } },
  outputs: { format: 'text' },
  exec: { command: { entrypoint: 'wc', args: ['-l', '${file}'] } },
};
const make = (definition: JsonObject | string, name = 'count_lines') =>
  compileMadeTool({ name, definition }, { maker, taken: ['worker'] }, root).made;
const problemsOf = (definition: JsonObject | string, name?: string): string => {
  const made = make(definition, name);
  return 'problems' in made ? made.problems : '';
};

describe('a tool that an agent makes', () => {
  it('is not read where it is too long, as a text or as a map', () => {
    expect(problemsOf('#'.repeat(50_001))).toBe('Expected at most 50000 characters, got 50001.');
    expect(problemsOf({ ...LINES, description: 'x'.repeat(50_000) })).toMatch(/^Expected at most 50000 characters/);
  });

  it('is read as a `tool.yml` is, and acts through a tool of its maker', () => {
    expect(make(LINES)).toMatchObject({
      text: expect.stringContaining('name: count_lines\nversion: 1\n') as string,
      tool: { kind: 'custom', name: 'count_lines', description: 'Counts lines.', through: 'shell' },
    });
    expect(
      make(
        'name: count_lines\ndescription: Counts.\nkind: command\nversion: 2\ninputs: {schema: {type: ' +
          'object}}\noutputs: {format: json}\nexec: {command: {entrypoint: wc}}\n',
      ),
    ).toMatchObject({ tool: { description: 'Counts.' } });
  });

  it.each<[string, JsonObject | string, string | undefined, string]>([
    ['a path as its name', LINES, '../../x', 'Expected `name` to be a letter'],
    ['the name of a built-in tool', LINES, 'Shell', 'the name of a tool'],
    ['the name of a tool of its maker', LINES, 'tool_create', 'the name of a tool'],
    ['the name of an agent', LINES, 'WORKER', 'There is an agent `worker` already'],
    [
      'another name in its text',
      { ...LINES, name: 'shell' },
      undefined,
      "The tool's text names it `shell`; expected `count_lines`.",
    ],
    [
      'a request, where its maker makes none',
      { ...LINES, kind: 'http', exec: { http: { method: 'GET', url: 'https://example.org/${file}' } } },
      undefined,
      'acts through `http_request`, which its maker may not use',
    ],
    [
      'code of Python',
      { ...LINES, kind: 'python', exec: { python: { module: 'os', function: 'system', args: ['${file}'] } } },
      undefined,
      'got `python`',
    ],
    [
      'secrets',
      { ...LINES, permissions: { secrets: { ANTHROPIC_API_KEY: { required: true } } } },
      undefined,
      'no `secrets`',
    ],
    [
      'variables of its environment',
      { ...LINES, exec: { command: { entrypoint: 'wc', env: { LD_PRELOAD: './x.so' } } } },
      undefined,
      'no `env`',
    ],
    ['an approval of its own', { ...LINES, approval: { required: true } }, undefined, 'no `approval`'],
    [
      'a program that is a template',
      { ...LINES, exec: { command: { entrypoint: '${file}' } } },
      undefined,
      'Expected a program, got a template.',
    ],
    [
      'an input that it has not',
      { ...LINES, exec: { command: { entrypoint: 'wc', args: ['${path}'] } } },
      undefined,
      '`path` is neither an input',
    ],
    ['a workflow in its place', { steps: [{ command: ['touch', 'x'] }] }, undefined, 'got a workflow'],
    ['no YAML', 'a: [', undefined, 'invalid-yaml'],
    ['an alias in YAML', 'a: &a [x]\nb: *a\n', undefined, 'yaml-alias'],
    ['nothing', '', undefined, 'empty-file'],
  ])('is refused with %s', (_what, definition, name, message) => {
    expect(problemsOf(definition, name)).toContain(message);
  });
});
