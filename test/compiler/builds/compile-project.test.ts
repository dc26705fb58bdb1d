import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { nestedPlan } from '../../../src/plan/plan.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';
import { compile, MANIFEST, withTools, HELPER, MAIN } from '../helpers/project-compile.js';
import type { Written } from '../helpers/project-compile.js';

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

  it('takes what is null and may be left out as not given', () => {
    const bare = compile(MANIFEST).plan;
    expect(
      compile({
        ...MANIFEST,
        runtime: { max_depth: null, agent_approval_overrides: { main: { calls_require_approval: null } } },
        allow_cli_input: null,
        entry: { agent: 'main', function: null, args: null },
        generated_agents_dir: null,
        generated_workers_dir: null,
        python_files: null,
      }),
    ).toMatchObject({ plan: { inputs: bare?.inputs }, found: [] });
    expect(
      compile({ ...MANIFEST, generated_agents_dir: null, generated_workers_dir: 'made', entry: { agent: 'main' } })
        .found,
    ).toEqual([]);
    expect(compile({ ...MANIFEST, version: null, agent_files: [null], modle: null }).found).toEqual([
      'invalid-value <null> Expected 1, got nothing.',
      'invalid-value <null> Expected a text, got nothing.',
      'unknown-key <"modle"> There is no key `modle` here.',
    ]);
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
    expect(compile(manifest, { 'p/notes/a.md': 'x\0' }).found).toEqual([
      'unreadable-file <"notes/a.md"> `notes/a.md`: Expected text, got a NUL byte.',
    ]);
    const outside = { ...MANIFEST, entry: { agent: 'main', args: { input: 'Read.', attachments: ['../a.md'] } } };
    expect(compile(outside, { 'a.md': 'x' }).found).toEqual([
      'unreadable-file <"../a.md"> The attachment `../a.md` lies outside of the manifest\'s folder.',
    ]);
  });

  it('takes an agent for the toolset of its name, whatever tools are called so', () => {
    const manifest = { ...MANIFEST, agent_files: ['main.agent', 'helper.agent'] };
    const tool =
      'name: helper\ndescription: Counts.\nkind: command\nversion: 1\n' +
      'inputs: {schema: {type: object, properties: {}}}\nexec: {command: {entrypoint: /usr/bin/true}}\n';
    for (const names of [['tool.yml'], ['tool.yml', 'tool.yaml']]) {
      const tools = Object.fromEntries(names.map((name) => [`definitions/tools/helper/${name}`, tool]));
      const { agents, found } = compile(manifest, { ...withTools('[helper]'), ...tools });
      expect(found).toEqual([]);
      expect(agents.find(({ name }) => name === 'main')?.uses).toMatchObject([{ kind: 'agent', name: 'helper' }]);
    }
  });

  it('has all its agents in the Plan, also where a workflow nests it', () => {
    const files = {
      ...withTools('[helper, filesystem_cwd_ro]'),
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

  it.each(['pitch-deck-evaluation', 'bootstrapping', 'meeting-notes', 'question-desk', 'outline'])(
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
      'unknown-agent <mian> There is no agent `mian` in `agent_files`.',
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
      'unknown-agent <mian> There is no agent `mian` in `agent_files`.',
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
