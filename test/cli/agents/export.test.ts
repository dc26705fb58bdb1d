import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileIn } from '../../compiler/helpers/temporary-project.js';
import { newFolder, perdure, perdureHere } from '../helpers/command-line.js';

const FIXER =
  'name: fixer\ndescription: Fixes.\nmodel: opus\neffort: high\nmax_turns: 9\ntools: [read_file, edit_file, ' +
  '"Bash(npm test)"]\n' +
  'prompt: |\n  You fix.\n\n  Keep \\${HOME}.\n';

describe('export --to claude', () => {
  it('writes agents that an import reads as they were', async () => {
    const folder = newFolder({ 'definitions/agents/fixer.yml': FIXER });
    const before = compileIn(folder, 'fixer').plan;
    const { code, stdout, stderr } = await perdure(folder, ['export', 'fixer', '--to', 'claude']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '.claude/agents/fixer.md\n', stderr: '' });
    const text = readFileSync(join(folder, '.claude/agents/fixer.md'), 'utf8');
    const other = newFolder({ '.claude/agents/fixer.md': text });
    const [after] = Object.values(compileIn(other, 'fixer').plan?.agents ?? {});
    const [own] = Object.values(before?.agents ?? {});
    for (const key of ['name', 'description', 'model', 'effort', 'max_turns'] as const)
      expect(after?.[key]).toEqual(own?.[key]);
    expect(JSON.stringify(after?.prompt)).toContain('You fix.\\n\\nKeep ${HOME}.');
    expect(after?.uses).toEqual(own?.uses);
    expect(after?.permissions).toEqual(own?.permissions);
  });

  it('tells what is lost, and replaces no file that says something else unless told to', async () => {
    const folder = newFolder({
      'definitions/agents/odd.yml':
        'name: odd\ntools: [read_file, gather_context]\nmodel: ollama:qwen3\nmax_output_kb: 9\npermissions: {deny: ' +
        '[write]}\nprompt: "Look at ${file}."\ninputs: {file: {type: string}}\n',
      'w.yml': 'steps:\n  - {agent: odd, prompt: Go., inputs: {file: a}}\n  - {command: [ls]}\n',
      '.claude/agents/odd.md': 'Mine.\n',
    });
    const refused = await perdure(folder, ['export', 'w.yml', '--to', 'claude']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('`.claude/agents/odd.md`');
    expect(readFileSync(join(folder, '.claude/agents/odd.md'), 'utf8')).toBe('Mine.\n');
    const { stdout } = await perdure(folder, ['export', 'w.yml', '--to', 'claude', '--out', 'out', '--json']);
    const { files, lost } = JSON.parse(stdout) as { files: string[]; lost: { of: string; field: string }[] };
    expect(files).toEqual(['out/odd.md']);
    expect(lost.map(({ of, field }) => `${of} ${field}`)).toEqual([
      'odd tools',
      'odd model',
      'odd inputs',
      'odd permissions',
      'odd max_output_kb',
      'w steps',
    ]);
    expect(existsSync(join(folder, 'out/odd.md'))).toBe(true);
  });
});

it.each([
  ['mermaid', '--out', 'graph.mmd'],
  ['archon', '--out', 'flow.yaml'],
  ['mermaid', '--overwrite'],
])('export --to %s refuses %s, for what it writes goes to stdout', async (to, ...words) => {
  const folder = newFolder({ 'w.yml': 'name: w\nsteps:\n  - command: [echo, hi]\n' });
  const { code, stdout, stderr } = await perdureHere(folder, ['export', 'w.yml', '--to', to, ...words]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    `Error: \`${words[0]}\` goes with \`--to claude\` alone: what is written for ${to} goes to standard output.\n` +
      `  Send it to a file: perdure export w.yml --to ${to} > FILE\n`,
  );
});

it('export --to mermaid is the graph', async () => {
  const folder = newFolder({ 'w.yml': 'steps:\n  - {id: a, command: [ls]}\n  - {id: b, command: [ls]}\n' });
  const { code, stdout } = await perdure(folder, ['export', 'w.yml', '--to', 'mermaid']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^flowchart/);
  expect(stdout).toContain('-->');
});

const FLOW =
  'name: fix\nexecution: dag\ninputs: {issue: {type: string, required: true}}\nsteps:\n' +
  '  - {id: look, agent: finder, prompt: "Look at ${issue}."}\n' +
  '  - {id: lint, command: [bash, -c, "npm run lint"]}\n' +
  '  - {id: ok, needs: [look], approval: "Go on?"}\n' +
  '  - {id: mend, needs: [ok, lint], agent: finder, prompt: "Mend: ${steps.look.output}"}\n' +
  'output: "${steps.mend.output}"\n';
const FINDER = 'name: finder\nmodel: sonnet\ntools: [read_file]\nprompt: You find.\n';

describe('export --to archon', () => {
  it('writes what an import reads as the same steps', async () => {
    const folder = newFolder({ 'definitions/workflows/fix.yml': FLOW, 'definitions/agents/finder.yml': FINDER });
    const { code, stdout, stderr } = await perdure(folder, ['export', 'fix', '--to', 'archon']);
    expect(code, stderr).toBe(0);
    const { nodes } = parse(stdout) as { nodes: Record<string, unknown>[] };
    expect(nodes.map(({ id, depends_on: before = [] }) => [id, [...(before as string[])].sort()])).toEqual([
      ['look', []],
      ['lint', []],
      ['ok', ['look']],
      ['mend', ['lint', 'look', 'ok']],
    ]);
    const other = newFolder({ '.archon/workflows/fix.yaml': stdout });
    const imported = await perdure(other, ['import', '.archon/workflows/fix.yaml']);
    expect(imported.code, imported.stderr).toBe(0);
    const before = compileIn(folder, 'fix').plan;
    const after = compileIn(other, 'fix').plan;
    const shape = (plan: typeof before) =>
      plan?.steps.map(({ id, kind, needs, when }) => ({ id, kind, needs: needs.map(({ step }) => step).sort(), when }));
    expect(shape(after)).toEqual(shape(before));
    expect(JSON.stringify(after?.steps[3])).toContain('Mend: ');
    expect(JSON.stringify(after?.agents)).toContain('You find.');
    expect(after?.steps[1]).toMatchObject({ argv: [{ value: 'bash' }, { value: '-c' }, { value: 'npm run lint' }] });
  });

  it('puts no value of Archon within quotes, where bash would run it', async () => {
    const folder = newFolder({
      'w.yml':
        'name: w\nexecution: dag\nsteps:\n  - {id: say, agent: finder, prompt: "${request}"}\n' +
        '  - id: show\n    command: [printf, "%s|", "got ${steps.say.output} now", "--x=${steps.say.output}.md",' +
        ' "${steps.say.output}", "${request}", "of ${request}!"]\n    env: {SAID: "so ${steps.say.output}"}\n',
      'definitions/agents/finder.yml': FINDER,
    });
    const { code, stdout, stderr } = await perdure(folder, ['export', 'w.yml', '--to', 'archon']);
    expect(code, stderr).toBe(0);
    const script = (parse(stdout) as { nodes: { bash?: string }[] }).nodes[1]?.bash ?? '';
    const said = `x'; touch pwned; echo '$(touch pwned) *`;
    // As Archon does: a value in single quotes, what was asked for in the environment.
    const put = script.replaceAll('$say.output', () => `'${said.replaceAll("'", `'\\''`)}'`);
    const ran = await execa('bash', ['-c', `${put}\nprintf %s "$SAID"`], { cwd: folder, env: { ARGUMENTS: '* two' } });
    expect(ran.stdout).toBe(`got ${said} now|--x=${said}.md|${said}|* two|of * two!|so ${said}`);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('tells all that a workflow says and Archon has no place for', async () => {
    const folder = newFolder({
      'w.yml':
        'name: w\nschedule: "0 2 * * *"\ndurability: synced\nbudgets: {on_exhausted: {max_steps: stop}}\nsteps:\n' +
        '  - {id: look, agent: finder, prompt: Look, on_error: continue}\n' +
        '  - {id: count, command: [wc], schema: {type: object}, requires: {labels: [gpu]}}\n' +
        '  - {id: ok, approval: "Go on?", deadline: 8h, fallback: approve, edit: false, required_approver: ana}\n',
      'definitions/agents/finder.yml': 'name: finder\neffort: high\nprompt: You find.\n',
    });
    const { code, stdout, stderr } = await perdure(folder, ['export', 'w.yml', '--to', 'archon', '--json']);
    expect(code, stderr).toBe(0);
    const { lost } = JSON.parse(stdout) as { lost: { of: string; field: string }[] };
    expect(lost.map(({ of, field }) => `${of}.${field}`).sort()).toEqual(
      [
        ...['w.durability', 'w.on_exhausted', 'w.schedule'],
        ...['look.effort', 'look.on_error'],
        ...['count.requires', 'count.schema'],
        ...['ok.deadline', 'ok.edit', 'ok.fallback', 'ok.required_approver'],
      ].sort(),
    );
  });

  it.each([
    [
      'a loop',
      '  - {id: x, agent: finder, prompt: P, loop: {max: 2, until: "${true}"}}\n',
      'step `x`: a `loop` step is not exported',
    ],
    ['a condition', '  - {id: x, command: [ls], when: "${issue == \'a\'}"}\n', 'step `x`: its `when`'],
    ['a text with a reference of theirs', '  - {id: x, command: [echo, "$ARGUMENTS"]}\n', '`$ARGUMENTS` in its text'],
    [
      'an expression',
      '  - {id: x, command: [echo, "${steps.y.status}"]}\n  - {id: y, command: [ls]}\n',
      'no expression for',
    ],
    [
      'a text that would go on with a reference',
      '  - {id: y, command: [ls]}\n  - {id: x, agent: finder, prompt: "Read ${steps.y.output}.md of ${issue}"}\n',
      'what stands beside `$y.output` would be part of it there',
    ],
  ])('refuses %s by name, and writes nothing', async (_what, steps, message) => {
    const text = `execution: dag\ninputs: {issue: {type: string}}\nsteps:\n${steps}`;
    const folder = newFolder({ 'w.yml': text, 'definitions/agents/finder.yml': FINDER });
    const { code, stdout, stderr } = await perdure(folder, ['export', 'w.yml', '--to', 'archon']);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });
});

it('export wants to be told for which tool', async () => {
  const { code, stderr } = await perdure(newFolder(), ['export', 'x']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('`--to`') as string });
});
