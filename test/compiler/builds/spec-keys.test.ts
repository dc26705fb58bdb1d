import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemaOf } from '../../../src/compiler/schemas.js';
import type { Json } from '../../../src/plan/values/json.js';
import { isObject } from '../../../src/plan/values/json.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const EVERY_KEY = readFileSync(join(import.meta.dirname, '../../../definitions/builds/every-key.yml'), 'utf8');
const BOARDS = [
  ['station', { kind: 'simulated' }],
  ...['display', 'logger'].map((name) => [name, { kind: 'simulated', simulates: 'esp32' }]),
];
const CONFIG = JSON.stringify({ devices: Object.fromEntries(BOARDS) as object });
const compile = (text: string) => compileIn(createProject({ 'perdure.yml': CONFIG, 'build.yml': text }), 'build.yml');
const found = (text: string): string[] => compile(text).problems.map(brief);

/** Every key of a schema, as a path in which `[]` is any item. */
function keysOf(schema: Json | undefined, path = ''): string[] {
  if (!isObject(schema)) return [];
  const { properties, items } = schema;
  return [
    ...(isObject(properties)
      ? Object.entries(properties).flatMap(([key, inner]) => [`${path}.${key}`, ...keysOf(inner, `${path}.${key}`)])
      : []),
    ...keysOf(items, `${path}[]`),
    ...['anyOf', 'allOf'].flatMap((word) =>
      (Array.isArray(schema[word]) ? schema[word] : []).flatMap((inner) => keysOf(inner, path)),
    ),
  ];
}

/** Every key of a document, in the same form. */
function usedIn(value: Json, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => usedIn(item, `${path}[]`));
  return isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => [`${path}.${key}`, ...usedIn(inner, `${path}.${key}`)])
    : [];
}

describe('the keys of a build spec', () => {
  it('all stand in `definitions/builds/every-key.yml`', () => {
    const used = new Set(usedIn(parse(EVERY_KEY) as Json));
    // These may stand at the top or under `nugget`, and editors put the first there.
    const elsewhere = ['.$schema', '.goal', '.type', '.description'];
    expect(keysOf(jsonSchemaOf('build')).filter((key) => !used.has(key) && !elsewhere.includes(key))).toEqual([]);
  });

  it('are used, or named in a warning that says what becomes of them', () => {
    const { plan, problems } = compile(EVERY_KEY);
    expect(plan).not.toBeNull();
    const warned = problems.map(({ severity, code, message }) => [severity, code, message.split(/[:.]/, 1)[0]]);
    expect(new Set(warned.map(([severity, code]) => `${severity} ${code}`))).toEqual(
      new Set(['warning unsupported-key']),
    );
    expect(warned.map(([, , message]) => message)).toEqual([
      '`page` stands beside it, and is what has to be there',
      'The steps of a composite skill are not run',
      '`deployment',
      '`deployment',
      '`portals`',
      '`env` of a portal may hold secrets',
      '`runtime`',
      '`knowledge`',
      '`composition`',
      '`meeting_team`',
    ]);
  });

  it('that are empty lists say nothing that could be lost', () => {
    expect(found('goal: A page.\nportals: []\nagents: []\n')).toEqual([]);
  });

  it('have hints and conditions as texts, or as the maps of an editor', () => {
    const hints = ['the page first', { type: 'parallel' }];
    const { plan, problems, texts } = compile(
      `goal: A page.\nworkflow: {flow_hints: ${JSON.stringify(hints)}, iteration_conditions: [until it is good]}\n`,
    );
    expect(problems).toEqual([]);
    const told = JSON.stringify(plan) + [...texts.values()].join('');
    expect(told).toContain('the page first');
    expect(told).toContain('until it is good');
    expect(found('goal: A page.\nworkflow: {flow_hints: [1]}\n')).toEqual(['2:25 invalid-value']);
  });

  it('hold no secret of a portal in the Plan', () => {
    const { plan, texts } = compile(EVERY_KEY.replace('CLOCK_KEY: none', 'CLOCK_KEY: s3cr3t'));
    expect(JSON.stringify(plan) + [...texts.values()].join('')).not.toMatch(/s3cr3t|CLOCK_KEY/);
  });
});

describe('a spec with a value that cannot be', () => {
  const AGENT = 'goal: A clock\nagents:\n  - {name: Bea, role: builder, ';
  it.each([
    ['a path outside', `${AGENT}allowed_paths: [../other]}\n`, /a file or a folder of the project.*it leads out/],
    ['a path of the machine', `${AGENT}restricted_paths: [/etc]}\n`, /it begins at the root of the machine/],
    ['a pattern', `${AGENT}allowed_paths: ["src/*.js"]}\n`, /it is a pattern/],
    ['a page outside', 'goal: A clock\nworkflow: {page: site/../../index.html}\n', /a file inside the project/],
    [
      'a program outside',
      'goal: A clock\ntype: hardware\ndevices: [{name: logger, sources: [../logger.ino]}]\n',
      /a file inside the project/,
    ],
    [
      'an image of the machine',
      'goal: A clock\ntype: hardware\ndevices: [{name: logger, image: /srv/logger.bin}]\n',
      /a file inside the project/,
    ],
    [
      'one of several images of the machine',
      'goal: A clock\ntype: hardware\ndevices: [{name: logger, images: [{offset: app, image: ../logger.bin}]}]\n',
      /a file inside the project/,
    ],
    ['a command in one word', 'goal: A clock\nworkflow: {test_command: [npm test]}\n', /one program, and its words/],
    ['a start in one word', 'goal: A clock\nworkflow: {start_command: [node a.js]}\n', /one program, and its words/],
    ['too long a persona', `${AGENT}persona: ${'x'.repeat(501)}}\n`, /a text of at most 500 characters/],
    ['too long a goal', `goal: ${'x'.repeat(2001)}\n`, /a text of at most 2000 characters/],
    [
      'too patient a threshold',
      'goal: A clock\npermissions: {escalation_threshold: 11}\n',
      /a whole number from 1 to 10/,
    ],
    [
      'too many rounds',
      'goal: A clock\nworkflow: {feedback_loops: [{trigger: test_failure, max_iterations: 11}]}\n',
      /a whole number from 1 to 10/,
    ],
    [
      'a command in an argument',
      'goal: A clock\nportals: [{cliConfig: {command: date, args: ["; rm -rf ~"]}}]\n',
      /an argument without any of/,
    ],
    ['ages the wrong way', 'goal: A clock\naudience: {ages: [14, 8]}\n', /the youngest age first/],
    ['an age of nobody', 'goal: A clock\naudience: {ages: [0, 8]}\n', /an age of at least 1/],
    ['eleven gates', `goal: A clock\nworkflow: {human_gates: [${'a,'.repeat(11)}]}\n`, /at most 10 gates/],
  ])('has one problem at its place: %s', (_what, text, message) => {
    const { plan, problems } = compile(text);
    expect(plan).toBeNull();
    expect(problems).toMatchObject([
      { severity: 'error', code: 'invalid-value', message: expect.stringMatching(message) as string },
    ]);
  });

  it.each([
    ['an agent that may write nothing', `${AGENT}allowed_paths: []}\n`, '3:32 unsupported-key'],
    [
      'a loop that nobody runs',
      'goal: A clock\nworkflow:\n  feedback_loops: [{trigger: custom}]\n',
      '3:21 unsupported-key',
    ],
    ['a goal beside that of the nugget', 'goal: A clock\nnugget: {goal: A watch}\n', '1:1 unsupported-key'],
    [
      'a start beside a page',
      'goal: A clock\nworkflow: {start_command: [npm, start], page: index.html}\n',
      '2:12 unsupported-key',
    ],
    [
      'tests that nobody runs',
      'goal: A clock\nworkflow: {test_command: [npm, test], testing_enabled: false}\n',
      '2:12 unsupported-key',
    ],
    [
      'a second loop of one trigger',
      'goal: A clock\nworkflow:\n  feedback_loops: [{trigger: test_failure}, {trigger: test_failure}]\n',
      '3:46 unsupported-key',
    ],
    [
      'an image beside several',
      'goal: A clock\ntype: hardware\ndevices: [{name: logger, image: a.bin, images: [{offset: app, image: b.bin}]}]\n',
      '3:26 unsupported-key',
    ],
    ['a target that is no board', 'goal: A clock\ndeployment: {target: esp32}\n', '2:22 unknown-device'],
    ['boards that nothing is written to', 'goal: A clock\ndevices: [{name: logger}]\n', '2:1 unsupported-key'],
    ['a device without a board', 'goal: A clock\ntype: hardware\n', '2:7 unsupported-key'],
    [
      'a device without a board, as editors write it',
      'nugget: {goal: A clock, type: hardware}\n',
      '1:31 unsupported-key',
    ],
    [
      'a check before nothing is deployed',
      'goal: A clock\nrules: [{trigger: before_deploy, prompt: Is it kind?}]\n',
      '2:10 unsupported-key',
    ],
    ['a page and a board that nobody named', 'goal: A clock\ndeployment: {target: both}\n', '2:22 unsupported-key'],
    [
      'an unknown key, deep inside',
      'goal: A clock\nportals: [{cliConfig: {command: date, shell: true}}]\n',
      'unknown-key',
    ],
  ])('is told of %s', (_what, text, expected) => {
    expect(found(text).join(' ')).toContain(expected);
  });

  it('reads a style that is null, as editors write it', () => {
    expect(found('goal: A clock\nstyle: null\n')).toEqual([]);
  });
});
