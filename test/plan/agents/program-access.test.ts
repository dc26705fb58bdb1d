import { describe, expect, it } from 'vitest';
import { accessOf, lackingTools, unheld } from '../../../src/plan/agents/program-access.js';
import { claude } from '../../../src/activities/programs/claude.js';
import type { ProgramTask } from '../../../src/activities/programs/program.js';

const NOTHING = { edit: false, commands: [], web: false };

describe('what an agent allows a program', () => {
  it.each<[string, string[], string[], object]>([
    ['reads where it names nothing', [], [], NOTHING],
    [
      'edits, runs and searches by any of their names',
      ['Edit', 'shell', 'google_web_search'],
      [],
      { edit: true, commands: ['*'], web: true },
    ],
    [
      'runs what fits its patterns',
      ['Bash(git:*)', 'run_shell_command(npm test)'],
      [],
      { edit: false, commands: ['git *', 'npm test'], web: false },
    ],
    ['may do all by `*`', ['*'], [], { edit: true, commands: ['*'], web: true }],
    [
      'does not get what is disallowed, whatever `tools` says',
      ['*'],
      ['Bash', 'WebSearch', 'http_request'],
      { edit: true, commands: [], web: false, denied: ['Bash', 'WebSearch', 'WebFetch'] },
    ],
    [
      'does not run what fits a pattern that is disallowed',
      ['Bash'],
      ['Bash(git push:*)'],
      { edit: false, commands: ['*'], web: false, denied: ['Bash(git push *)'] },
    ],
  ])('%s', (_what, tools, disallowed, access) => {
    expect(accessOf({ tools, disallowed })).toEqual(access);
  });

  it('is told to Claude Code tool by tool', () => {
    const task: Omit<ProgramTask, 'access'> = {
      system: '',
      prompt: '',
      model: null,
      schema: null,
      maxTurns: 1,
      usd: null,
      session: { kind: 'start', id: 'x' },
      scratch: '/',
    };
    const { args } = claude.invoke({
      ...task,
      access: accessOf({ tools: ['Edit', 'Bash'], disallowed: ['Write', 'Grep', 'Bash(git push *)'] }),
    });
    expect(args.slice(args.indexOf('--tools'))).toEqual([
      '--tools',
      'Read,Glob,Edit,NotebookEdit,Bash',
      '--permission-mode',
      'acceptEdits',
      '--disallowedTools',
      'Write',
      'Grep',
      'Bash(git push *)',
      '--allowedTools',
      'Bash',
    ]);
  });
});

it('names the tools that no program has a word for, and not those that nobody misses', () => {
  expect(lackingTools(['Read', 'Bash(git *)', 'TodoWrite', 'github__issues', 'agent_create', '*'])).toEqual([
    'github__issues',
    'agent_create',
  ]);
});

it.each([
  ['claude', null],
  ['codex', 'Edit'],
  ['gemini', null],
] as const)('%s that runs commands and must not edit: %s', (program, held) => {
  expect(unheld(program, { tools: ['Bash'], disallowed: ['Edit'] })).toBe(held);
});
