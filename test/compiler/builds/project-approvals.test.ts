import { describe, expect, it } from 'vitest';
import { handlerOf } from '../../../src/activities/tools/handlers.js';
import type { Action } from '../../../src/plan/tools/action.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';
import { compile, MANIFEST, withTools } from '../helpers/project-compile.js';
import type { Written } from '../helpers/project-compile.js';

type Verdict = 'allow' | 'ask' | 'deny';
/** A call of a tool that the toolset has, and what becomes of it by `approval_mode`. */
type Row = [toolset: string, tool: string, args: Written, verdicts: [prompt: Verdict, all: Verdict, none: Verdict]];

const DONE: Row[3] = ['allow', 'allow', 'allow'];
const ASKED: Row[3] = ['ask', 'allow', 'deny'];
const NEVER: Row[3] = ['deny', 'deny', 'deny'];
const MODES = ['prompt', 'approve_all', 'reject_all'] as const;

const shell = (...argv: string[]): Written => ({ argv });
const ROWS: Row[] = [
  ...['filesystem_project', 'filesystem_cwd'].flatMap((set): Row[] => [
    [set, 'read_file', { path: 'a.txt' }, DONE],
    [set, 'list_files', {}, DONE],
    [set, 'search_files', { pattern: 'x' }, DONE],
    [set, 'write_file', { path: 'a.txt', content: 'x' }, ASKED],
    [set, 'edit_file', { path: 'a.txt', old_text: 'x', new_text: 'y' }, ASKED],
    [set, 'write_file', { path: '../../a.txt', content: 'x' }, NEVER],
    [set, 'read_file', { path: '/etc/passwd' }, NEVER],
    [set, 'write_file', { path: '.git/config', content: 'x' }, NEVER],
    [`${set}_ro`, 'read_file', { path: 'a.txt' }, DONE],
  ]),
  ...[
    ['wc', 'a'],
    ['grep', '-rn', 'x', '.'],
    ['head', 'a'],
    ['tail', 'a'],
    ['sort', 'a'],
    ['uniq', 'a'],
    ['cat', 'a'],
  ].map((argv): Row => ['shell_readonly', 'shell', shell(...argv), DONE]),
  ...['log', 'diff', 'show', 'status'].map((word): Row => ['shell_readonly', 'shell', shell('git', word), DONE]),
  ['shell_readonly', 'shell', shell('find', '.', '-name', 'a'), DONE],
  ...['-exec', '-execdir', '-delete'].map((word): Row => ['shell_readonly', 'shell', shell('find', '.', word), ASKED]),
  ['shell_readonly', 'shell', shell('find', '.', '-fprint', 'a'), NEVER],
  ['shell_readonly', 'shell', shell('rm', 'a'), NEVER],
  ['shell_readonly', 'shell', shell('python3', '-c', 'x'), NEVER],
  ['shell_readonly', 'shell', shell('git', 'push'), NEVER],
  ['shell_file_ops', 'shell', shell('cat', 'a'), DONE],
  ...['mkdir', 'rmdir', 'touch', 'cp', 'mv', 'rm', 'ln', 'chmod'].map((word): Row => [
    'shell_file_ops',
    'shell',
    shell(word, 'a', 'b'),
    ASKED,
  ]),
  ['shell_file_ops', 'shell', shell('tee', 'a'), NEVER],
];

const runtimeOf = (mode: string, told: boolean): Written => ({ approval_mode: mode, return_permission_errors: told });

/** The agent of a project whose one toolset this is. */
function agentWith(toolset: string, runtime: Written) {
  const { agents, found } = compile({ ...MANIFEST, runtime }, withTools(`[${toolset}]`));
  const [agent] = agents;
  if (agent?.permissions === undefined) throw new Error(found.join('\n'));
  return { ...agent, permissions: agent.permissions };
}

describe('what a project asks about', () => {
  it.each(ROWS)('%s: %s of %j', async (toolset, name, args, verdicts) => {
    for (const [index, mode] of MODES.entries())
      for (const told of [false, true]) {
        const { uses = [], permissions } = agentWith(toolset, runtimeOf(mode, told));
        const tool = uses.find((one) => one.name === name);
        if (tool === undefined) throw new Error(`${toolset} has no ${name}`);
        const action = (await handlerOf(tool).action(tool, args as never, '/workspace')) as Action;
        expect({ mode, verdict: judgeAction(permissions, action).verdict }).toEqual({ mode, verdict: verdicts[index] });
        expect(permissions.denial).toBe(told ? 'report' : 'stop');
      }
  });

  const made: Action = { kind: 'call', what: 'made', name: 'judge' };
  const attached: Action = { ...made, files: ['a.txt'] };
  const called: Action = { kind: 'call', what: 'agent', name: 'helper' };
  const shown: Action = { ...called, files: ['a.txt'] };
  it.each<[string, Written, [called: Verdict, made: Verdict, attached: Verdict, shown: Verdict]]>([
    ['nothing of calls', {}, ['allow', 'allow', 'allow', 'allow']],
    ['calls', { agent_calls_require_approval: true }, ['ask', 'ask', 'ask', 'ask']],
    ['attachments', { agent_attachments_require_approval: true }, ['allow', 'allow', 'ask', 'ask']],
    [
      'attachments of all but one',
      {
        agent_attachments_require_approval: true,
        agent_approval_overrides: { helper: { attachments_require_approval: false } },
      },
      ['allow', 'allow', 'ask', 'allow'],
    ],
    [
      'attachments of one alone',
      { agent_approval_overrides: { helper: { attachments_require_approval: true } } },
      ['allow', 'allow', 'allow', 'ask'],
    ],
    [
      'an agent alone',
      { agent_approval_overrides: { helper: { calls_require_approval: true } } },
      ['ask', 'allow', 'allow', 'ask'],
    ],
    [
      'all agents but one',
      { agent_calls_require_approval: true, agent_approval_overrides: { helper: { calls_require_approval: false } } },
      ['allow', 'ask', 'ask', 'allow'],
    ],
    [
      'attachments of one that will be made',
      { agent_approval_overrides: { judge: { attachments_require_approval: true } } },
      ['allow', 'allow', 'ask', 'allow'],
    ],
  ])('of agents: %s', (_what, more, expected) => {
    for (const [mode, change] of [
      ['prompt', (verdict: Verdict) => verdict],
      ['approve_all', () => 'allow' as const],
      ['reject_all', (verdict: Verdict) => (verdict === 'ask' ? 'deny' : verdict)],
    ] as const) {
      const runtime = { approval_mode: mode, ...more };
      const manifest = {
        ...MANIFEST,
        runtime,
        generated_agents_dir: 'made',
        agent_files: ['main.agent', 'helper.agent'],
      };
      const { agents } = compile(manifest, withTools('[helper, dynamic_agents]'));
      const permissions = agents.find(({ name }) => name === 'main')?.permissions;
      if (permissions === undefined) throw new Error('It has no permissions.');
      expect([called, made, attached, shown].map((action) => judgeAction(permissions, action).verdict)).toEqual(
        expected.map(change),
      );
      const make: Action = { kind: 'make', what: 'agent', name: 'x', content: { value: '' } };
      expect(judgeAction(permissions, make).verdict).toBe(change('ask'));
    }
  });

  it('are the folders of its toolsets: the manifest has one, and the caller another', () => {
    const { agents } = compile(MANIFEST, withTools('[filesystem_project, shell_readonly]'));
    expect(agents[0]?.uses?.map((tool) => [tool.name, 'root' in tool ? tool.root : null])).toEqual([
      ...['read_file', 'list_files', 'search_files', 'write_file', 'edit_file'].map((name) => [name, 'p']),
      ['shell', null],
    ]);
  });

  it('is what an agent says itself, where its permissions say it', () => {
    const { agents } = compile(MANIFEST, {
      'perdure.yml': 'permissions: {on_denial: tell}\n',
      ...withTools('[shell_readonly]'),
    });
    expect(agents[0]?.permissions?.denial).toBeUndefined();
  });
});
