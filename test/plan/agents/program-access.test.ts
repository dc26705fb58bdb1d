import { describe, expect, it } from 'vitest';
import { accessOf, lackingTools, ownTools, runsAnything, unheld } from '../../../src/plan/agents/program-access.js';
import { claude } from '../../../src/activities/programs/claude.js';
import type { ProgramTask } from '../../../src/activities/programs/program.js';
import type { Tool } from '../../../src/plan/tools/tool.js';

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
    [
      'runs what fits a pattern with a parenthesis, or nothing special in it',
      [' Bash( git log ) ', 'Bash(a:*b)', 'Bash(x) or so'],
      [],
      { edit: false, commands: [' git log ', 'a:*b', '*'], web: false },
    ],
    ['runs anything by a pattern for anything', ['Bash(*)'], [], { edit: false, commands: ['*'], web: false }],
    ['does not know words that every object has', ['toString', 'constructor'], [], NOTHING],
    ['does not run anything where all of it is disallowed', ['Bash'], ['Bash(*)'], { ...NOTHING, denied: ['Bash'] }],
    ['is denied once what is said twice', [], ['Bash', 'shell'], { ...NOTHING, denied: ['Bash'] }],
    ['is denied nothing by what nobody knows', [], ['deploy'], NOTHING],
  ])('%s', (_what, tools, disallowed, access) => {
    expect(accessOf({ tools, disallowed })).toEqual(access);
  });

  const provider: Tool = { kind: 'provider', name: 'web_search' };
  const edits: Tool = { kind: 'builtin', name: 'write_file' };
  const remote: Tool = {
    kind: 'mcp',
    name: 's__t',
    server: 's',
    remote: 't',
    description: '',
    inputs: '{}',
    connect: '',
  };

  it('is also by sets of tools, and by tools of a provider', () => {
    expect(accessOf({ tools: [], toolsets: ['filesystem_cwd'] })).toEqual({ ...NOTHING, edit: true });
    expect(accessOf({ tools: [], uses: [provider, edits] })).toEqual({ ...NOTHING, web: true });
    expect(accessOf({ tools: [] })).toEqual(NOTHING);
  });

  it('is not what no program has: those are its own', () => {
    const asks: Tool = { kind: 'agent', name: 'helper', description: null, agent: 'sha256:x' };
    expect(ownTools({ uses: [provider, edits, remote, asks] })).toEqual(['s__t', 'helper']);
    expect(ownTools({})).toEqual([]);
  });

  it('is anything where all commands may run', () => {
    expect(runsAnything({ ...NOTHING, commands: ['git *', '*'] })).toBe(true);
    expect(runsAnything({ ...NOTHING, commands: ['git *'] })).toBe(false);
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

it.each<[string, string[], string[] | undefined, codex: string | null, gemini: string | null]>([
  ['nothing', ['Bash', 'Edit', 'WebFetch'], undefined, null, null],
  ['edits, and runs commands', ['Bash'], ['Edit'], 'Edit', null],
  ['edits, and runs none', ['Read'], ['Edit'], null, null],
  ['one of the tools that edit', ['Edit', 'Write'], ['Edit'], 'Edit', 'Edit'],
  ['one of the tools that look up', ['WebFetch', 'WebSearch'], ['WebFetch'], 'WebFetch', 'WebFetch'],
  ['what looks up, and has none', ['Edit'], ['WebFetch'], null, null],
  ['reads', ['Edit'], ['Grep'], 'Grep', 'Grep'],
  ['commands', ['Edit'], ['Bash'], 'Bash', null],
  ['some commands, and may run others', ['Bash'], ['Bash(git push *)'], 'Bash(git push *)', 'Bash(git push *)'],
  ['some commands, and may run none', ['Edit'], ['Bash(git push *)'], 'Bash(git push *)', null],
  ['what nobody knows', ['Bash', 'Edit'], ['deploy'], null, null],
  ['two things, of which the second counts', ['Edit', 'Write'], ['deploy', 'Edit'], 'Edit', 'Edit'],
])('cannot hold everybody to an agent that is denied %s', (...[, tools, disallowed, codex, gemini]) => {
  const agent = { tools, ...(disallowed === undefined ? {} : { disallowed }) };
  expect([unheld('claude', agent), unheld('codex', agent), unheld('gemini', agent)]).toEqual([null, codex, gemini]);
});
