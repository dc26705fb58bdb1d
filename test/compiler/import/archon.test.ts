import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { archon, edgesOf, imported, stepOf } from './helpers/imported.js';

/** The first step of that id as it is written. */
function written(files: Record<string, string>, id: string): Record<string, unknown> {
  const { steps } = parse(files['definitions/workflows/it.yml'] ?? '') as { steps: Record<string, unknown>[] };
  const found = steps.find((step) => step['id'] === id);
  if (found === undefined) throw new Error(`There is no step ${id}: ${steps.map((step) => String(step['id'])).join()}`);
  return found;
}

describe('the order of nodes', () => {
  it('becomes needs, and a failure skips what depends on it', () => {
    const { plan } = archon(
      '- {id: b, bash: b, depends_on: [a]}\n- {id: a, bash: a}\n- {id: c, bash: c, depends_on: [a, b]}',
    );
    expect(edgesOf(plan('it'))).toEqual({ a: '', b: 'a!', c: 'a! b!' });
  });

  it.each([
    ['all_success', "steps.x.status == 'success'", 'x! y!'],
    ['one_success', "steps.x.status == 'success' || steps.y.status == 'success'", 'x y'],
    [
      'none_failed_min_one_success',
      "(steps.x.status == 'success' || steps.y.status == 'success') && steps.x.status != 'error' && " +
        "steps.x.status != 'timeout' && steps.y.status != 'error' && steps.y.status != 'timeout'",
      'x y',
    ],
    ['all_done', undefined, 'x y'],
  ])('with %s is a condition on what came before', (rule, when, edges) => {
    const { files, plan } = archon(
      '- {id: a, bash: echo 1}\n- {id: x, bash: x, depends_on: [a], when: "$a.output == \'1\'"}\n' +
        `- {id: y, bash: y}\n- {id: z, bash: z, depends_on: [x, y], trigger_rule: ${rule}}`,
    );
    expect(written(files, 'z')['when']).toBe(when && `\${${when}}`);
    expect(edgesOf(plan('it'))['z']).toBe(edges);
  });

  it('looks at nodes that may be skipped through others', () => {
    const { files } = archon(
      '- {id: a, bash: a}\n- {id: b, bash: b, depends_on: [a], when: "$a.output == \'1\'"}\n' +
        '- {id: c, bash: c, depends_on: [b]}\n- {id: d, bash: d, depends_on: [c]}',
    );
    expect(written(files, 'd')['when']).toBe("${steps.c.status == 'success'}");
  });
});

describe('conditions', () => {
  const nodes = (when: string): string =>
    '- id: a\n  prompt: a\n  output_format:\n    type: object\n    properties:\n' +
    '      text: {type: string}\n      done: {type: boolean}\n      score: {type: number}\n    required: [text]\n' +
    `- {id: b, bash: "echo {}"}\n- {id: c, bash: c, depends_on: [a, b], when: ${JSON.stringify(when)}}`;

  it.each([
    ["$a.output.text == 'x'", "steps.a.output.text == 'x'"],
    ["$a.text == 'x'", "steps.a.output.text == 'x'"],
    ["$a.output.done == 'true'", 'steps.a.output.done == true'],
    ['$a.output.done != true', 'steps.a.output.done != true'],
    ["$a.output.score >= '0.9'", 'steps.a.output.score >= 0.9'],
    ["$a.output.text == ''", "(steps.a.output.text ?? '') == ''"],
    ["$b.output.n == 'true'", "(steps.b.output.n == 'true' || steps.b.output.n == true)"],
    ["$b.output.n == 'it\\'", "steps.b.output.n == 'it\\\\'"],
    [
      "$a.output.text == 'x' && $b.output.n > 3 || $a.output.done == 'false'",
      "(steps.a.output.text == 'x' && steps.b.output.n > 3) || steps.a.output.done == false",
    ],
    ["$INPUTS.mode == 'fast'", "mode == 'fast'"],
    ['$a.output == done', null],
    ["$a.output == 'x'", null],
    ["$nobody.output.x == 'x'", null],
    ['', null],
  ])('%s is %s', (when, expected) => {
    const { files, refused } = archon(nodes(when));
    if (expected === null)
      expect(refused).toEqual([expect.stringMatching(/^(when-not-expression|invalid-value|unknown-step) /)]);
    else expect([refused, written(files, 'c')['when']]).toEqual([[], `\${${expected}}`]);
  });

  it('that compare a whole output as a number have it parsed as one', () => {
    const { files } = archon('- {id: n, bash: echo 3}\n- {id: m, bash: m, depends_on: [n], when: "$n.output > \'2\'"}');
    expect(written(files, 'n')['schema']).toEqual({ type: 'number' });
    expect(written(files, 'm')['when']).toBe('${steps.n.output > 2}');
  });
});

describe('agents', () => {
  it('get the text of a command, with what it refers to', () => {
    const { files, plan } = archon(
      '- {id: look, bash: ls}\n- {id: do, command: do-it, depends_on: [look], context: fresh}',
      {
        '.archon/commands/do-it.md': '---\ndescription: x\n---\n\nDo $ARGUMENTS with $look.output.\nPrice: ${5}, $1.\n',
      },
    );
    expect(written(files, 'do')['prompt']).toBe('Do ${request} with ${steps.look.output}.\nPrice: \\${5}, $1.\n');
    expect(plan('it').inputs).toMatchObject({ request: { default: '' } });
  });

  it('with tools, a system prompt or another program of their own are files of their own', () => {
    const { files } = archon(
      '- {id: a, prompt: a, allowed_tools: [Read, Task, mcp__x__y], systemPrompt: You read., ' +
        'agents: {brief-gen: {description: Briefs., prompt: Brief it., model: haiku}}}\n' +
        '- {id: b, prompt: b, provider: codex, model: gpt-5.3-codex, context: fresh}\n' +
        '- {id: c, prompt: c, denied_tools: [Bash]}\n- {id: d, prompt: d}',
    );
    const agent = (name: string): unknown => parse(files[`definitions/agents/${name}.yml`] ?? '');
    expect(agent('it-a')).toMatchObject({ tools: ['Read', 'brief-gen'], prompt: 'You read.' });
    expect(agent('brief-gen')).toMatchObject({ model: 'haiku', prompt: 'Brief it.' });
    expect(agent('it-b')).toMatchObject({ agent: 'codex', model: 'gpt-5.3-codex' });
    expect(agent('it-c')).toMatchObject({ disallowed_tools: ['Bash'] });
    expect(written(files, 'd')['agent']).toBe('archon-agent');
  });

  it('keep their effort, their skills and their servers, as far as the project has them', () => {
    const { files, lost } = archon(
      '- {id: a, prompt: a, effort: max, skills: [tidy, gone], mcp: .archon/mcp/tools.json}\n' +
        '- {id: b, prompt: b, context: fresh}\n- {id: c, loop: {prompt: c, until: DONE, max_iterations: 2}}\n' +
        '- {id: d, bash: ls, effort: low}\n- {id: e, prompt: e, effort: 7, context: fresh, mcp: nowhere.json}',
      {
        'perdure.yml': 'mcp: {tickets: {command: [tickets-server]}}\n',
        '.claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n',
        '.archon/mcp/tools.json': '{"tickets": {"command": "x"}, "mail": {"command": "y"}}',
      },
      'effort: high\n',
    );
    const agent = (name: string): unknown => parse(files[`definitions/agents/${name}.yml`] ?? '');
    expect(agent('it-a')).toMatchObject({ effort: 'max', skills: ['tidy'], mcp: ['tickets'] });
    expect(agent('it-b')).toMatchObject({ effort: 'high' });
    expect(agent('it-c')).toMatchObject({ effort: 'high' });
    expect(
      Object.keys(lost)
        .filter((key) => /effort|skills|mcp/.test(key))
        .sort(),
    ).toEqual(['a.mcp', 'a.skills', 'd.effort', 'e.effort', 'e.mcp']);
    expect(lost).toMatchObject({ 'a.mcp': true, 'a.skills': true, 'd.effort': false, 'e.effort': true });
  });

  it('that go on with a conversation are told what was answered before', () => {
    const { files, lost } = archon(
      '- {id: a, prompt: Plan.}\n- {id: b, prompt: Do it., depends_on: [a]}\n' +
        '- {id: c, prompt: "Check $b.output", depends_on: [b]}\n' +
        '- {id: d, prompt: Anew., depends_on: [c], context: fresh}',
    );
    expect(written(files, 'b')['prompt']).toBe('Do it.\n\nWhat `a` answered before:\n\n${steps.a.output}\n');
    expect(written(files, 'c')['prompt']).toBe('Check ${steps.b.output}\n');
    expect(written(files, 'd')['prompt']).toBe('Anew.\n');
    expect(lost).toMatchObject({ 'b.context': true, 'c.context': true });
    expect(lost).not.toHaveProperty('d.context');
  });

  it('whose fields are read are asked for JSON that has them', () => {
    const { files } = archon(
      '- {id: a, prompt: a}\n- {id: b, prompt: "b $a.output.x", depends_on: [a], context: fresh}',
    );
    expect(written(files, 'a')['schema']).toEqual({ type: 'object', required: ['x'], properties: { x: {} } });
  });
});

describe('hooks', () => {
  const answers = (decision: string) => `{response: {hookSpecificOutput: {permissionDecision: ${decision}}}}`;
  const deny = (matcher: string) => answers('deny').replace('{', `{matcher: "${matcher}", `);

  it.each([
    [deny('Write|Edit'), ['Write', 'Edit']],
    [`${deny('Write')}, ${deny('Bash')}, ${answers('allow')}`, ['Write', 'Bash']],
    [deny('*'), ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash', 'WebFetch']],
  ])('that deny calls of tools take them from the agent: %s', (hooks, denied) => {
    const { files, lost } = archon(`- {id: a, prompt: a, hooks: {PreToolUse: [${hooks}]}}\n- {id: b, prompt: b}`);
    const agent = parse(files['definitions/agents/it-a.yml'] ?? '') as Record<string, unknown>;
    expect(agent['disallowed_tools']).toEqual(denied);
    expect(lost).toMatchObject({ 'a.hooks': hooks.includes('allow') });
    expect(files['definitions/agents/archon-agent.yml']).not.toContain('disallowed_tools');
  });

  it('of a node that Archon runs without them change nothing', () => {
    const { files, lost } = archon(
      `- {id: a, loop: {prompt: x, until: y, max_iterations: 2}, hooks: {PreToolUse: [${deny('Edit.*')}]}}`,
    );
    expect(lost).toMatchObject({ 'a.hooks': false });
    expect(files['definitions/agents/archon-agent.yml']).not.toContain('disallowed_tools');
  });
});

describe('what is lost', () => {
  it('stands in the report by its key, and in the file', () => {
    const { lost, files } = archon(
      '- id: a\n  prompt: a\n  effort: high\n  betas: [x]\n  hooks: {Stop: [{response: {systemMessage: x}}]}\n' +
        '  colour: red\n  maxBudgetUsd: 2\n' +
        '- {id: b, bash: b, model: opus}',
      {},
      'tags:  [x]\nrequires: [github]\nworktree: {enabled: true}\n',
    );
    expect(lost).toEqual({
      'a.hooks': true,
      'a.betas': false,
      'a.colour': false,
      'a.maxBudgetUsd': true,
      'b.model': false,
      bash: true,
      tags: false,
      requires: true,
    });
    expect(files['definitions/workflows/it.yml']).toContain('# Different: a.hooks (line 10):');
    expect(files['definitions/workflows/it.yml']).toContain('workspace: worktree');
  });
});

describe('refusals', () => {
  it.each([
    ['- {id: a, bash: a, prompt: b}', 'step-kind 3 Expected the node `a` to be exactly one of'],
    ['- {id: a}', 'step-kind 3 Expected the node `a` to be exactly one of'],
    ['- {bash: a}', 'missing-key 3 Expected `id`'],
    ['- {id: a, bash: a, depends_on: [b]}', 'unknown-step 3 There is no node `b`.'],
    ['- {id: a, bash: a}\n- {id: a, bash: b}', 'duplicate-name 4 There is a node `a` already.'],
    [
      '- {id: a, bash: a, depends_on: [b]}\n- {id: b, bash: b, depends_on: [a]}',
      'step-cycle 3 Nodes wait for each other',
    ],
    ['- {id: a, command: nowhere}', 'unreadable-file 3 There is no command `nowhere`'],
    ['- {id: a, workflow: nowhere}', 'unknown-workflow 3 There is no workflow `nowhere`'],
    ['- {id: a, include: it}', 'workflow-cycle 3 The workflow `it` would contain itself.'],
    ['- {id: a, prompt: "See $b.output"}', 'unknown-step 3 There is no node `b`.'],
    [
      '- {id: a, prompt: "See $b.output"}\n- {id: b, bash: b, depends_on: [a]}',
      'forward-reference 3 `$b.output` is read before',
    ],
    ['- {id: a, script: x}', 'missing-key 3 Expected `runtime` of the script `a`: bun or uv.'],
    ['- {id: a, script: x, runtime: bun}', 'unreadable-file 3 There is no script `x`'],
    ['- {id: a, bash: a, trigger_rule: sometimes}', 'invalid-value 3 Expected one of all_success'],
    ['- {id: a, loop: {prompt: x, until: y}}', 'missing-key 3 Expected `max_iterations`'],
    [
      '- {id: a, prompt: a, hooks: {PreToolUse: [{matcher: "Edit.*", response: {decision: block}}]}}',
      'unsupported-key 3 A hook that denies calls by a pattern is not carried over.',
    ],
    [
      '- {id: a, prompt: a, hooks: {PreToolUse: [{response: {hookSpecificOutput: {permissionDecision: ask}}}]}}',
      'unsupported-key 3 A hook that asks a person is not carried over.',
    ],
    [
      '- {id: a, prompt: a, hooks: {PreToolUse: [{response: {hookSpecificOutput: {updatedInput: {}}}}]}}',
      'unsupported-key 3 A hook that changes what is asked for is not carried over.',
    ],
    ['- {id: a, bash: ""}', 'invalid-value 3 Expected `bash` to hold a text.'],
  ])('%s is refused with one problem', (nodes, problem) => {
    const { refused, files, folder } = archon(nodes);
    expect(refused).toEqual([expect.stringContaining(problem)]);
    expect(files).toEqual({});
    expect(existsSync(join(folder, 'definitions'))).toBe(false);
  });

  it('of one file leave all unwritten, unless only what can be is asked for', () => {
    const files = {
      '.archon/workflows/good.yaml': 'name: good\nnodes: [{id: a, bash: a}]\n',
      '.archon/workflows/bad.yaml': 'name: bad\nnodes: [{id: a}]\n',
    };
    expect(imported(files).files).toEqual({});
    const part = imported(files, '.', { partial: true });
    expect(part.refused).toHaveLength(1);
    expect(Object.keys(part.files)).toEqual(['definitions/workflows/good.yml']);
  });
});

it('steps of a body see those around it', () => {
  const { plan } = archon(
    '- {id: facts, bash: facts}\n- id: g\n  depends_on: [facts]\n  loop_group:\n    until: DONE\n' +
      '    max_iterations: 3\n    nodes:\n      - {id: test, bash: npm test, depends_on: [fix]}\n' +
      '      - {id: fix, prompt: "Fix $facts.output. Before: $LOOP_PREV.test.output"}\n' +
      '      - {id: look, prompt: "Look: $test.output was $LOOP_PREV.fix.output", depends_on: [test], context: fresh}',
  );
  const group = stepOf(plan('it'), 'g');
  expect(group).toMatchObject({
    kind: 'loop',
    max: 3,
    body: { steps: [{ id: 'fix' }, { id: 'test' }, { id: 'look' }, { id: 'g-kept' }] },
  });
});
