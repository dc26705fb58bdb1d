import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { nestedPlan } from '../../../src/plan/plan.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const MAIN = '---\nname: main\ndescription: Leads.\n---\nYou lead.\n';
const HELPER = '---\nname: helper\n---\nYou help.\n';
const MANIFEST = { version: 1, runtime: {}, entry: { agent: 'main' }, agent_files: ['main.agent'] };

type Written = Record<string, unknown>;
function compile(manifest: Written, files: Record<string, string> = {}) {
  const { plan, problems, sources } = compileIn(
    createProject({ 'p/project.json': JSON.stringify(manifest, null, 1), 'p/main.agent': MAIN, ...files }),
    'p',
  );
  const found = problems.map(({ code, message, line, column, length, file }) => {
    const text = (sources.get(file) ?? '').split('\n')[line - 1] ?? '';
    return `${code} <${text.slice(column - 1, column - 1 + length)}> ${message}`;
  });
  return { plan, found, step: plan?.steps[0], agents: Object.values(plan?.agents ?? {}) };
}
const withTools = (toolsets: string, more = '') => ({
  'p/main.agent': `---\nname: main\ntoolsets: ${toolsets}\n${more}---\nYou lead.\n`,
  'p/helper.agent': HELPER,
});

describe('a project', () => {
  it('is a Plan that asks its entry agent', () => {
    const { plan, found, step, agents } = compile(MANIFEST);
    expect(found).toEqual([]);
    expect(plan).toMatchObject({ name: 'main', inputs: { request: { type: 'string', required: true } } });
    expect(step).toMatchObject({ kind: 'agent', prompt: { expression: { root: 'input:request' } } });
    expect(agents).toMatchObject([{ name: 'main', description: 'Leads.', prompt: { value: 'You lead.' }, tools: [] }]);
  });

  it('may say itself what is asked, and forbid the command line to', () => {
    expect(compile({ ...MANIFEST, entry: { agent: 'main', args: { input: 'Go.' } } }).plan?.inputs).toEqual({
      request: { type: 'string', required: false, description: expect.any(String) as string, default: 'Go.' },
    });
    const { plan, step } = compile({
      ...MANIFEST,
      allow_cli_input: false,
      entry: { agent: 'main', args: { input: 'Go.' } },
    });
    expect(plan?.inputs).toEqual({});
    expect(step).toMatchObject({ prompt: { value: 'Go.' } });
  });

  it('shows its agent the texts that are attached, and keeps them in the Plan', () => {
    const manifest = { ...MANIFEST, entry: { agent: 'main', args: { input: 'Read.', attachments: ['notes/a.md'] } } };
    expect(compile(manifest, { 'p/notes/a.md': 'Notes.' }).step).toMatchObject({
      inputs: { 'notes/a.md': { value: 'Notes.' } },
    });
    expect(compile(manifest).found).toEqual(['unreadable-file <"notes/a.md"> Attachment not found: notes/a.md']);
    const tooLong = 'x'.repeat(5_000);
    expect(
      compile({ ...MANIFEST, entry: { agent: 'main', args: { input: 'Read.', attachments: [tooLong] } } }).found,
    ).toEqual([`unreadable-file <"${tooLong}"> Attachment not found: ${tooLong}`]);
    expect(compile(manifest, { 'p/notes/a.md': '%PDF\0' }).found).toEqual([
      expect.stringContaining('This version shows agents texts alone, and `notes/a.md` is none'),
    ]);
  });

  it('has all its agents in the Plan, also where a workflow nests it', () => {
    const files = {
      ...withTools('[helper, main, filesystem_cwd_ro]'),
      'flow.yml': 'steps:\n  - workflow: p/project.json\n    inputs: {request: x}\n',
    };
    const manifest = { ...MANIFEST, agent_files: ['main.agent', 'helper.agent'] };
    const { agents, found } = compile(manifest, files);
    expect(agents.map(({ name, uses }) => [name, uses?.map((tool) => tool.name)])).toEqual([
      ['helper', undefined],
      ['main', ['helper', 'read_file', 'list_files', 'search_files']],
    ]);
    expect(found).toEqual([]);
    const { plan } = compileIn(createProject({ ...files, 'p/project.json': JSON.stringify(manifest) }), 'flow.yml');
    const [step] = plan?.steps ?? [];
    expect(
      plan !== null &&
        step?.kind === 'workflow' &&
        Object.values(nestedPlan(plan, step.plan).agents).map(({ name }) => name),
    ).toEqual(['main', 'helper']);
  });

  it.each(['pitch-deck-evaluation', 'bootstrapping', 'meeting-notes', 'question-desk'])(
    'ships as an example: %s',
    (name) => {
      const { plan, problems } = compileIn(packageRoot(), `definitions/projects/${name}`);
      expect(plan).not.toBeNull();
      expect(problems.filter(({ code }) => code !== 'unsupported-key').map(brief)).toEqual([]);
    },
  );

  it('is not looked through for agents that agents made', () => {
    const { agents } = compile(
      { ...MANIFEST, generated_agents_dir: 'generated' },
      { 'p/generated/made.agent': HELPER },
    );
    expect(agents.map(({ name }) => name)).toEqual(['main']);
  });
});

describe('a manifest with faults', () => {
  it.each<[string, Written, string]>([
    [
      'another version',
      { version: 2 },
      'invalid-value <2> Unsupported manifest version: 2. Only version 1 is supported.',
    ],
    ['a version that is a text', { version: '1' }, 'invalid-value <"1"> Expected 1, got the text `1`.'],
    ['no runtime', { runtime: undefined }, 'missing-key <"version"> Expected `runtime`: a map.'],
    ['an entry of nothing', { entry: {} }, "missing-key <{}> entry must define exactly one of 'agent' or 'function'"],
    [
      'an entry of both',
      { entry: { agent: 'main', function: 'a.py:b' } },
      "conflicting-keys <\"function\"> entry must define exactly one of 'agent' or 'function'",
    ],
    [
      'an entry function',
      { entry: { function: 'a.py:b' } },
      'python-only <"a.py:b"> An entry function is Python, which Perdure does not run.',
    ],
    [
      'an entry that is not there',
      { entry: { agent: 'mian' } },
      'unknown-agent <"mian"> There is no agent `mian` in `agent_files`.',
    ],
    [
      'no files',
      { agent_files: [] },
      'missing-key <"agent_files"> At least one agent_files or python_files entry is required',
    ],
    [
      'a file twice',
      { agent_files: ['main.agent', 'main.agent'] },
      'duplicate-name <"main.agent"> Duplicate file paths: main.agent',
    ],
    [
      'an empty path',
      { agent_files: ['main.agent', ' '] },
      'invalid-value <" "> Expected a text that is not empty, got ` `.',
    ],
    [
      'a file that is not there',
      { agent_files: ['main.agent', 'gone.agent'] },
      'unreadable-file <"gone.agent"> There is no file `gone.agent` beside the manifest.',
    ],
    [
      'both names of one folder',
      { generated_agents_dir: 'a', generated_workers_dir: 'b' },
      'conflicting-keys <"generated_workers_dir"> `generated_workers_dir` is the older name of ' +
        '`generated_agents_dir`; the manifest has both.',
    ],
    [
      'an unknown mode',
      { runtime: { approval_mode: 'ask' } },
      'invalid-value <"ask"> Expected prompt, approve_all or reject_all, got `ask`.',
    ],
    [
      'a depth of 0',
      { runtime: { max_depth: 0 } },
      'invalid-value <0> Expected a whole number above 0, got `0` (number).',
    ],
    ['an unknown key', { models: [] }, 'unknown-key <"models"> There is no key `models` here.'],
    ['an unknown key below', { runtime: { approve: true } }, 'unknown-key <"approve"> There is no key `approve` here.'],
    [
      'an unknown key in an override',
      { runtime: { agent_approval_overrides: { main: { calls: true } } } },
      'unknown-key <"calls"> There is no key `calls` here.',
    ],
    [
      'nothing that is asked',
      { allow_cli_input: false },
      'missing-key <"allow_cli_input"> Nobody says what the entry agent is asked: `allow_cli_input` is false, ' +
        'and `entry.args.input` is missing.',
    ],
  ])('%s', (_what, change, expected) => {
    const { plan, found } = compile({ ...MANIFEST, ...change });
    expect({ plan, found }).toEqual({ plan: null, found: [expected] });
  });

  it.each([
    ['..', 'leads out of it'],
    ['/tmp/made', 'leads out of it'],
    ['.', 'a folder of its own'],
    ['../definitions/agents', 'a folder of its own'],
    ['../.claude/agents', 'a folder of its own'],
    ['../temp-agents', 'a folder of its own'],
  ])('made agents in a folder that is not theirs: %s', (folder, expected) => {
    const { plan, found } = compile({ ...MANIFEST, generated_agents_dir: folder === '..' ? '../..' : folder });
    expect(plan).toBeNull();
    expect(found).toEqual([expect.stringContaining(expected)]);
  });

  it('has all of them told at once', () => {
    expect(
      compile({ version: 3, runtime: { max_depth: 'x' }, entry: {}, agent_files: [], more: 1 }).found,
    ).toHaveLength(5);
  });

  it('warns of an override for an agent that is not there, and of Python', () => {
    const { plan, found } = compile({
      ...MANIFEST,
      runtime: { agent_approval_overrides: { mian: {} } },
      python_files: ['tools.py'],
    });
    expect(plan).not.toBeNull();
    expect(found).toEqual([
      'unknown-agent <"mian"> There is no agent `mian` in `agent_files`.',
      'python-only <"python_files"> Perdure runs nothing of `python_files`.',
    ]);
  });

  it.each<[string, string, Written, string]>([
    ['an unknown toolset', '[helpr]', {}, 'unknown-toolset <helpr> There is no toolset and no agent `helpr`.'],
    [
      'a toolset of Python',
      '[my_tools]',
      { python_files: ['tools.py'] },
      'python-only <my_tools> The toolset `my_tools` is Python, which Perdure does not run.',
    ],
    [
      'a toolset of a module',
      '["pkg.mod:TOOLS"]',
      {},
      'python-only <"pkg.mod:TOOLS"> The toolset `pkg.mod:TOOLS` is Python, which Perdure does not run.',
    ],
    [
      'a toolset with settings',
      '[{filesystem_cwd: {}}]',
      {},
      'invalid-value <{filesystem_cwd: {}}> Expected a text, got a map.',
    ],
    ['toolsets that are no list', 'helper', {}, 'invalid-value <helper> Expected a list of toolsets, got `helper`.'],
    ['a toolset twice', '[helper, helper]', {}, 'duplicate-name <helper> `helper` is listed twice.'],
    [
      'made agents without a place',
      '[dynamic_agents]',
      {},
      '`dynamic_agents` writes agents to `generated_agents_dir`, which the manifest does not have.',
    ],
  ])('with %s', (_what, toolsets, change, expected) => {
    const { found } = compile(
      { ...MANIFEST, agent_files: ['main.agent', 'helper.agent'], ...change },
      withTools(toolsets),
    );
    expect(
      found.some((one) => one.includes(expected)),
      found.join('\n'),
    ).toBe(true);
  });

  it('two agents of one name', () => {
    expect(
      compile({ ...MANIFEST, agent_files: ['main.agent', 'other.agent'] }, { 'p/other.agent': MAIN }).found,
    ).toEqual(['duplicate-name <"other.agent"> There is an agent `main` already.']);
  });
});

describe('an .agent file', () => {
  const problemsOf = (front: string) =>
    compileIn(createProject({ 'x.agent': `---\n${front}\n---\nYou help.\n` }), 'x.agent').problems.map(brief);

  it.each([
    ['no name', 'description: x', '2:1 missing-key'],
    ['a model and patterns', 'name: x\nmodel: anthropic:haiku\ncompatible_models: ["*"]', '4:1 conflicting-keys'],
    ['no pattern', 'name: x\ncompatible_models: []', '3:20 invalid-value'],
    ['a class of Python', 'name: x\ninput_model_ref: a.B', '3:1 python-only'],
    ['an entry', 'name: x\nentry: true', '3:1 unknown-key'],
    ['an older key', 'name: x\nschema_in_ref: a.B', '3:1 unknown-key'],
    ['an empty toolset', 'name: x\ntoolsets: [""]', '3:12 invalid-value'],
    ['an unknown tool of the server', 'name: x\nserver_side_tools: [{tool_type: shell}]', '3:33 invalid-value'],
    [
      'a tool of the server twice',
      'name: x\nserver_side_tools: [{tool_type: web_search}, {tool_type: web_search}]',
      '3:58 duplicate-name',
    ],
    [
      'domains both ways',
      'name: x\nserver_side_tools: [{tool_type: web_search, allowed_domains: [a.org], blocked_domains: [b.org]}]',
      '3:71 conflicting-keys',
    ],
    ['no domain', 'name: x\nserver_side_tools: [{tool_type: web_search, allowed_domains: []}]', '3:62 invalid-value'],
    ['no use', 'name: x\nserver_side_tools: [{tool_type: web_search, max_uses: 0}]', '3:55 invalid-value'],
  ])('with %s is refused where it is', (_what, front, expected) => {
    expect(problemsOf(front)).toEqual([expected]);
  });

  it('has tools of its provider with their limits, before a tool of the same name', () => {
    const files = {
      'p/main.agent':
        '---\nname: main\ntools: [web_search, read_file]\nserver_side_tools:\n  - tool_type: web_search\n    ' +
        'max_uses: 3\n    allowed_domains: [example.org]\n  - tool_type: code_execution\n---\nYou lead.\n',
    };
    const { agents, found } = compile(MANIFEST, files);
    expect(found).toEqual([]);
    expect(agents[0]?.uses).toEqual([
      { kind: 'provider', name: 'web_search', max_uses: 3, allowed_domains: ['example.org'] },
      { kind: 'provider', name: 'code_execution' },
      { kind: 'builtin', name: 'read_file' },
    ]);
  });

  it('is told what no provider does', () => {
    expect(
      problemsOf(
        'name: x\nserver_side_tools: [{tool_type: image_generation}, {tool_type: code_execution, max_uses: 2}]',
      ),
    ).toEqual(['3:33 unsupported-key', '3:80 unsupported-key']);
  });

  it('without front matter is refused', () => {
    expect(compileIn(createProject({ 'x.agent': 'You help.\n' }), 'x.agent').problems.map(brief)).toEqual([
      '1:1 unsupported-format',
    ]);
  });

  it('alone may name agents beside it; another name is a warning', () => {
    expect(problemsOf('name: x\ntoolsets: [y]')).toEqual(['3:12 unknown-toolset']);
    const root = createProject({ 'x.agent': '---\nname: x\ntoolsets: [y]\n---\nYou help.\n' });
    mkdirSync(join(root, 'any'), { recursive: true });
    writeFileSync(join(root, 'y.agent'), HELPER);
    expect(compileIn(root, 'x.agent').problems.map(brief)).toEqual([]);
  });

  it('in definitions/agents is used by workflows by its name, with its patterns of models', () => {
    const files = {
      'definitions/agents/x.agent': '---\nname: x\ncompatible_models: ["anthropic:*"]\n---\nYou help.\n',
      'flow.yml': 'steps:\n  - agent: x\n',
    };
    const { plan, problems } = compileIn(createProject(files), 'flow.yml');
    expect(problems).toEqual([]);
    expect(Object.values(plan?.agents ?? {})).toMatchObject([{ name: 'x', compatible_models: ['anthropic:*'] }]);
  });
});
