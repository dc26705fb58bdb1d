// @seconds 30
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatFile } from '../../../src/compiler/fmt/format-file.js';
import { formatYaml } from '../../../src/compiler/fmt/format-yaml.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { hiddenIn } from '../../../src/compiler/text/hidden-characters.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { createSource, isTestFile } from '../../../src/compiler/problems/source.js';
import { FULL } from '../../faults/seed.js';
import { PROJECT, toFiles } from '../../model/author.js';
import { generate } from '../../model/generate.js';
import { createProject, planOf } from '../helpers/temporary-project.js';

function format(text: string): string {
  const { report, problems } = createReport();
  const formatted = formatYaml(createSource('/p/definitions/workflows/flow.yml', 'flow.yml', text), report);
  if (formatted === null) throw new Error(JSON.stringify(problems));
  return formatted;
}

/** The agents and the devices that shipped workflows name. */
function shippedWith(): Record<string, string> {
  const tools = readdirSync(join(packageRoot(), 'definitions/tools')).map(
    (name) => `definitions/tools/${name}/tool.yml`,
  );
  return {
    ...agents(),
    ...Object.fromEntries(tools.map((file) => [file, readFileSync(join(packageRoot(), file), 'utf8')])),
    'perdure.yml': readFileSync(join(packageRoot(), 'perdure.yml'), 'utf8'),
  };
}

describe('the canonical form of a workflow', () => {
  it('leaves the lines of a folded text as they are', () => {
    const head = 'description: >-\n  One line\n  and another.\n\n  A new one:\n    indented.\n';
    const text =
      `${head}name: flow\nsteps:\n- stdin: > # why\n    one\n    line\n  prompt: >\n        deep\n        down\n  ` +
      `agent: a\n`;
    expect(format(text)).toBe(
      `name: flow\n${head}steps:\n  - agent: a\n    prompt: >\n      deep\n      down\n    stdin: > # ` +
        `why\n      one line\n`,
    );
    expect(format(format(text))).toBe(format(text));
  });

  it('says in folded texts and numbers what they said before', () => {
    const blanks =
      'steps:\n  - command: [echo, 010, 0o17, 0x1F, 1e3, .5, TRUE]\n    stdin: >\n      two   \n\n         \n';
    expect(format(blanks)).toBe(blanks);
    expect(planOf(format(blanks)).hash).toBe(planOf(blanks).hash);
  });

  it('puts what stands above the key that comes first above the step, once and for all', () => {
    const once = format('steps:\n  - command: [echo]\n    # its name\n    id: a\n');
    expect(once).toBe('steps:\n  # its name\n  - id: a\n    command: [echo]\n');
    expect(format(once)).toBe(once);
  });

  it('keeps escapes of characters that are not drawn, and what is typed as one', () => {
    const characters = [0x200b, 0x202e, 0xfeff, 0x2028, 0x85, 0xad, 0x115f, 0xe0041, 0x1b, 0x378, 0xd800].map((code) =>
      code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`,
    );
    const text = `steps:\n  - command:\n      - echo\n${characters.map((one) => `      - "a${one}b"\n`).join('')}`;
    const typed = 'steps:\n  - command: [echo, "a\u202eb", a\u200bb]\n';
    expect(hiddenIn(text)).toBe(null);
    expect(hiddenIn(format(text))).toBe(null);
    expect(format(format(text))).toBe(format(text));
    expect(planOf(format(text)).hash).toBe(planOf(text).hash);
    expect(format(typed)).toBe(typed);
  });

  it('has its keys in order, two spaces a level and double quotes, and keeps comments and block texts', () => {
    const text = [
      '# yaml-language-server: $schema=x',
      'steps:',
      '- # first',
      "  prompt: 'hello ${x}'",
      '  agent: scanner',
      '  id: a',
      '',
      '# then',
      '- command: [ "a" , b ]  # why',
      '  stdin: |',
      '    two',
      '    lines',
      '- foreach: [1]',
      '  steps: [{command: [a], id: b}]',
      'name:   flow',
      'inputs: {x: {default: 1, type: number}}',
      '',
    ].join('\n');
    expect(format(text)).toBe(
      [
        '# yaml-language-server: $schema=x',
        'name: flow',
        'inputs: {x: {type: number, default: 1}}',
        'steps:',
        '  # first',
        '  - id: a',
        '    agent: scanner',
        '    prompt: "hello ${x}"',
        '',
        '  # then',
        '  - command: ["a", b] # why',
        '    stdin: |',
        '      two',
        '      lines',
        '  - foreach: [1]',
        '    steps: [{id: b, command: [a]}]',
        '',
      ].join('\n'),
    );
  });

  it('is what `fmt` gives for a file', () => {
    const root = createProject({ 'a.yml': 'steps:\n- {command: [a], id: x}\n' });
    expect(formatFile(join(root, 'a.yml'), root)).toMatchObject({
      text: 'steps:\n  - {id: x, command: [a]}\n',
      same: false,
      problems: [],
    });
  });

  it('writes what is too wide between braces as a block', () => {
    const text = format(`steps:\n  - {command: [echo, "${'x'.repeat(130)}"]}\n`);
    expect(text).toBe(`steps:\n  - command:\n      - echo\n      - "${'x'.repeat(130)}"\n`);
  });

  const shipped = ['workflows', 'agents'].flatMap((folder) =>
    readdirSync(join(packageRoot(), 'definitions', folder))
      .filter((name) => name.endsWith('.yml') && !isTestFile(name))
      .map((name) => join('definitions', folder, name)),
  );
  it.each(shipped)('of %s is that of its canonical form, and means the same', (file) => {
    const text = readFileSync(join(packageRoot(), file), 'utf8');
    const once = format(text);
    expect(format(once)).toBe(once);
    if (!text.includes('workflow:') && file.includes('workflows'))
      expect(planOf(once, shippedWith()).hash).toBe(planOf(text, shippedWith()).hash);
    for (const comment of text.matchAll(/# .+$/gm)) expect(once).toContain(comment[0]);
  });

  it('of any definition means the same', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true })), (stream) => {
        const files = toFiles(
          generate(() => stream.next().value as number),
          '/tmp/log',
        ); // an infinite stream has a next value
        const project = { ...PROJECT, ...files };
        for (const text of Object.values(files)) {
          const once = format(text);
          expect(format(once)).toBe(once);
          expect(planOf(once, project).hash).toBe(planOf(text, project).hash);
        }
      }),
      { numRuns: FULL ? 400 : 20 },
    );
  });
});

function agents(): Record<string, string> {
  const folder = join(packageRoot(), 'definitions', 'agents');
  return Object.fromEntries(
    readdirSync(folder).map((name) => [`definitions/agents/${name}`, readFileSync(join(folder, name), 'utf8')]),
  );
}
