import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/compiler/project/resolve.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const using = (name: string, inputs = '{}'): string => `steps:\n  - agent: ${name}\n    inputs: ${inputs}\n`;

function agentOf(files: Record<string, string>) {
  const { plan, problems } = compileIn(createProject(files), 'flow.yml');
  return { agent: Object.values(plan?.agents ?? {})[0], codes: problems.map(brief) };
}

describe('agents', () => {
  it.each([...BUILT_IN_AGENTS, 'explore', 'plan'])('%s is built in', (name) => {
    const { agent, codes } = agentOf({ 'flow.yml': using(name) });
    expect(codes).toEqual([]);
    expect(agent).toMatchObject({
      name: expect.stringMatching(new RegExp(`^${name}$`, 'i')),
      description: expect.any(String),
    });
  });

  it.each([
    ['a tool that no program has', 'agent: claude\ntools: [Read, github__issues]', '3:8 unknown-tool'],
    ['a limit of its paths', 'agent: claude\npermissions: {writable: [src/]}', '3:15 unsupported-key'],
    ['a tool that cannot be taken from it', 'agent: codex\ndisallowed_tools: Bash', '3:1 unsupported-key'],
  ])('played by a program are refused %s', (_what, text, expected) => {
    expect(
      agentOf({ 'flow.yml': using('fixer'), '.glee/agents/fixer.yml': `prompt: Fix it.\n${text}\n` }).codes,
    ).toEqual([expected]);
  });

  it('played by a program have their disallowed tools in the Plan; what an import brought along is a warning', () => {
    const { agent, codes } = agentOf({
      'flow.yml': using('fixer'),
      '.glee/agents/fixer.yml':
        'prompt: Fix it.\nagent: claude\ntools: [Edit, Task]\ndisallowed_tools: Write, Bash(git push ' +
        '*)\nsource: {from: claude}\n',
    });
    expect(agent?.disallowed).toEqual(['Write', 'Bash(git push *)']);
    expect(codes).toEqual(['3:8 unknown-tool']);
  });

  it('played by a program have in the Plan what is protected from it, by the config and by themselves, too', () => {
    const { agent, codes } = agentOf({
      'perdure.yml': 'permissions: {protected: [/deploy], on_denial: stop}\n',
      'flow.yml': using('fixer'),
      '.glee/agents/fixer.yml': 'prompt: Fix it.\nagent: gemini\ntools: [Edit]\npermissions: {protected: [/keys]}\n',
    });
    expect(codes).toEqual([]);
    expect(agent?.permissions?.protected).toEqual(expect.arrayContaining(['/keys', '/deploy', '.gemini', '.vscode']));
    expect(agent?.permissions).toMatchObject({ commands: [] });
    expect(agent?.permissions?.denial).toBeUndefined();
  });

  it('may list their inputs, each with its name, as Glee has them', () => {
    const list =
      'prompt: "Scan ${file}."\ninputs:\n  - name: file\n    type: string\n    description: Which.\n    ' +
      'required: true\n';
    const { agent, codes } = agentOf({
      'flow.yml': using('scan', '{file: a}'),
      '.glee/agents/scan.yml': `name: scan\n${list}`,
    });
    expect(codes).toEqual([]);
    expect(agent?.inputs).toMatchObject({ file: { type: 'string', required: true } });
    expect(
      agentOf({
        'flow.yml': using('scan', '{file: a}'),
        '.glee/agents/scan.yml': `name: scan\n${list}  - name: file\n  - name: 1x\n`,
      }).codes,
    ).toEqual(['8:11 duplicate-name', '9:11 invalid-name']);
  });

  it('are given by a file before they are built in, with a warning where it is', () => {
    const { agent, codes } = agentOf({
      'flow.yml': using('code-reviewer'),
      '.glee/agents/mine.yml': 'prompt: Mine.\nname: code-reviewer\n',
    });
    expect(agent?.prompt).toEqual({ kind: 'literal', value: 'Mine.' });
    expect(codes).toEqual(['2:7 shadows-builtin']);
  });

  it.each([
    ['securty-scanner', 'did you mean `security-scanner`?'],
    ['expolre', 'did you mean `Explore`?'],
    ['review', '`review` is a workflow: write `workflow: review`'],
  ])('that do not exist come with the nearest that does: %s', (name, suggestion) => {
    const files = {
      'flow.yml': using(name),
      'definitions/agents/security-scanner.yml': 'prompt: x',
      'definitions/workflows/review.yml': 'steps:\n  - command: [a]\n',
    };
    expect(compileIn(createProject(files), 'flow.yml').problems).toMatchObject([
      { code: 'unknown-agent', line: 2, column: 12, length: name.length, suggestion },
    ]);
  });

  it('see the inputs of their step in their prompt; other names stay as they are', () => {
    const { agent, codes } = agentOf({
      'flow.yml': using('helper', '{x: 1}'),
      'definitions/agents/helper.yml': 'name: helper\nprompt: "${x} ${y} ${z ?? 1} \\\\${x} ${PATH:-none}"\n',
    });
    expect(agent?.prompt).toMatchObject({
      kind: 'text',
      parts: [
        { expression: { root: 'input:x' } },
        ' ${y} ',
        { expression: { kind: 'coalesce' } },
        ' ${x} ${PATH:-none}',
      ],
    });
    expect(codes).toEqual(['2:17 unknown-variable', '2:43 unknown-variable']);
  });

  it('differ in the Plan where steps give them different inputs', () => {
    const files = {
      'flow.yml':
        'steps:\n  - {agent: helper, inputs: {x: 1}}\n  - {agent: helper}\n  - {agent: helper, inputs: {x: 2}}\n',
      'definitions/agents/helper.yml': 'prompt: "${x}"',
    };
    const { plan } = compileIn(createProject(files), 'flow.yml');
    const used = plan?.steps.map((step) => step.kind === 'agent' && step.agent) ?? [];
    expect(used[0]).toBe(used[2]);
    expect(used[0]).not.toBe(used[1]);
  });

  it('get the defaults of what they declare, and must get the rest', () => {
    const helper = 'inputs: {a: {default: 1}, b: {}, c: {required: false}}\nprompt: "${a} ${b} ${c ?? 3}"\n';
    const files = { 'definitions/agents/helper.yml': helper };
    expect(agentOf({ ...files, 'flow.yml': using('helper') }).codes).toContain('2:12 missing-input');
    const { plan } = compileIn(createProject({ ...files, 'flow.yml': using('helper', '{b: 2}') }), 'flow.yml');
    expect(plan?.steps[0]).toMatchObject({ inputs: { a: { value: 1 }, b: { value: 2 } } });
  });

  it('set the time limit of their steps', () => {
    const { plan } = compileIn(
      createProject({ 'flow.yml': using('helper'), 'definitions/agents/helper.yml': 'prompt: x\ntimeout_mins: 7\n' }),
      'flow.yml',
    );
    expect(plan?.steps[0]?.timeout_ms).toBe(420_000);
  });

  it('alone are a Plan of one step, asked with `request`', () => {
    const { plan, problems } = compileIn(
      createProject({ 'helper.yml': 'inputs: {tone: {default: kind}}\nprompt: Be ${tone}.\n' }),
      'helper.yml',
    );
    expect(problems).toEqual([]);
    expect(plan).toMatchObject({
      name: 'helper',
      inputs: { request: { type: 'string', required: true }, tone: { default: 'kind' } },
      steps: [
        {
          kind: 'agent',
          prompt: { expression: { root: 'input:request' } },
          inputs: { tone: { expression: { root: 'input:tone' } } },
        },
      ],
    });
  });

  it('are found and run by their name alone', () => {
    expect(compileIn(createProject({}), 'explore').plan?.name).toBe('Explore');
  });
});

describe('agents in Markdown', () => {
  const compile = (text: string) => agentOf({ 'flow.yml': using('helper'), '.claude/agents/helper.md': text });

  it("have Claude Code's front matter and their prompt below it", () => {
    const { agent, codes } = compile(
      '---\nname: helper\ndescription: Helps.\ntools: Read, Grep\nmodel: inherit\n---\n\nYou help.\n\nAlways.\n',
    );
    expect(codes).toEqual([]);
    expect(agent).toMatchObject({
      name: 'helper',
      description: 'Helps.',
      tools: ['Read', 'Grep'],
      model: null,
      prompt: { value: 'You help.\n\nAlways.' },
    });
  });

  it('are found in folders of `.claude/agents`, the nearest first, and nothing that only tells of them', () => {
    const at = (place: string): string => `---\nname: helper\ntools: Read\n---\nYou help at ${place}.\n`;
    const files = {
      'flow.yml': using('helper'),
      '.claude/agents/a/deep/helper.md': at('deep'),
      '.claude/agents/a/README.md': '# About\n',
    };
    expect(agentOf(files)).toMatchObject({ codes: [], agent: { prompt: { value: 'You help at deep.' } } });
    expect(agentOf({ ...files, '.claude/agents/helper.md': at('top') }).agent?.prompt).toMatchObject({
      value: 'You help at top.',
    });
    expect(agentOf({ ...files, 'flow.yml': using('README') }).codes).toEqual(['2:12 unknown-agent']);
  });

  it.each([
    ['My Agent', ['2:12 unknown-agent']],
    ['"My"', []],
    ['My # mine', []],
  ])('are not found by a part of the name `%s`', (name, expected) => {
    const text = `---\nname: ${name}\ndescription: x\ntools: Read\n---\nDo it.\n`;
    const files = { 'flow.yml': 'steps:\n  - agent: My\n', '.claude/agents/mine.md': text };
    expect(agentOf(files).codes).toEqual(expected);
  });

  it('may list tools with a word about each, which is told to nobody', () => {
    const { agent, codes } = compile(
      '---\nname: helper\ntools:\n  - Read\n  - Grep: for patterns\n  - Bash: to run tests\n---\nYou help.\n',
    );
    expect(codes).toEqual(['3:1 unknown-key', '3:1 unknown-key']);
    expect(agent?.tools).toEqual(['Read', 'Grep', 'Bash']);
  });

  it('may have keys that mean nothing here, with a warning', () => {
    const { agent, codes } = compile('---\nname: helper\ncolor: blue\ntools: Read\n---\nYou help.\n');
    expect(codes).toEqual(['3:1 unknown-key']);
    expect(agent?.name).toBe('helper');
  });

  it('may have a front matter that is no YAML, with a warning', () => {
    const { agent, codes } = compile(
      '---\nname: helper\ndescription: Use it so: user: "hi" <example>\ntools: Read\n---\nYou help.\n',
    );
    expect(codes).toEqual(['3:14 invalid-yaml']);
    expect(agent?.description).toBe('Use it so: user: "hi" <example>');
  });

  it.each([
    ['no front matter', 'You help.\n', '1:1 unsupported-format'],
    ['no prompt', '---\nname: helper\n---\n', '2:1 missing-key'],
    ['a front matter without an end', '---\nname: helper\n', '1:1 unsupported-format'],
  ])('have a problem with %s', (_what, text, problem) => {
    expect(compile(text).codes).toContain(problem);
  });

  it('have exact positions in their prompt', () => {
    expect(compile('---\nname: helper\ntools: Read\n---\n\nYou help ${someone} here.\n').codes).toEqual([
      '6:12 unknown-variable',
    ]);
  });
});
