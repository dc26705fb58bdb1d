import { describe, expect, it } from 'vitest';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

/** The agent of a file alone, and its problems. */
function agentOf(file: string, text: string) {
  const { plan, problems } = compileIn(createProject({ [file]: text }), file);
  return {
    agent: Object.values(plan?.agents ?? {})[0],
    step: plan?.steps[0],
    problems: problems.map(brief),
    messages: problems.map(({ message }) => message),
    suggestions: problems.map(({ suggestion }) => suggestion),
  };
}

describe('agents of Claude Code', () => {
  const file = '.claude/agents/helper.md';

  it('carry what they share with ours', () => {
    const { agent, problems } = agentOf(
      file,
      '---\nname: helper\ndescription: Helps.\ntools: Read, Bash(git log, git diff), mcp__x__*\nmodel: ' +
        'opus\nmaxTurns: 7\npermissionMode: default\n---\nYou help.\n',
    );
    expect(problems).toEqual([]);
    expect(agent).toMatchObject({
      name: 'helper',
      description: 'Helps.',
      model: 'opus',
      max_turns: 7,
      tools: ['Read', 'Bash(git log, git diff)', 'mcp__x__*'],
      prompt: { value: 'You help.' },
    });
  });

  it('have descriptions in one line, with their line ends as escapes, and numbers as texts', () => {
    const { agent, problems } = agentOf(
      file,
      '---\nname: helper\ndescription: Helps.\\nAlways.\nmaxTurns: "7"\nmodel:\ntools: Read\n---\nYou help.\n',
    );
    expect(problems).toEqual([]);
    expect(agent).toMatchObject({ description: 'Helps.\nAlways.', max_turns: 7, model: null });
  });

  it('say what has no meaning here, each where it is', () => {
    const { agent, problems, messages } = agentOf(
      file,
      '---\nname: helper\nhooks:\n  Stop: []\ncolor: red\npermissionMode: bypassPermissions\nmadeUp: ' +
        '1\ntools: Read\n---\nYou help.\n',
    );
    expect(agent?.name).toBe('helper');
    expect(problems).toEqual(['3:1 unknown-key', '5:1 unknown-key', '6:1 unknown-key', '7:1 unknown-key']);
    expect(messages[0]).toBe('`hooks.Stop` has no meaning here: there are hooks before and after calls of tools only.');
  });

  it('say which field may have been meant', () => {
    const { suggestions } = agentOf(file, '---\nname: helper\ntool: Read\nmaxTurn: 3\nmadeUp: 1\n---\nYou help.\n');
    expect(suggestions.slice(1)).toEqual(['did you mean `tools`?', 'did you mean `maxTurns`?', null]);
  });

  it('without a prompt are refused', () => {
    expect(agentOf(file, '---\nname: helper\ndescription: Helps.\n---\n').messages).toEqual([
      'Expected the instructions below the front matter, got nothing.',
    ]);
  });
});

describe('agents of Gemini CLI', () => {
  it('in Markdown, as they are today', () => {
    const { agent, step, problems } = agentOf(
      '.gemini/agents/helper.md',
      '---\nname: helper\ndescription: Helps.\nkind: local\ntools:\n  - read_file\n  - "mcp_*"\nmodel: ' +
        'inherit\nmax_turns: 12\ntimeout_mins: 3\n---\nYou help.\n',
    );
    expect(problems).toEqual([]);
    expect(agent).toMatchObject({ tools: ['read_file', 'mcp_*'], model: null, max_turns: 12 });
    expect(step?.timeout_ms).toBe(180_000);
  });

  it('on other machines are refused', () => {
    const { agent, problems, messages } = agentOf(
      '.gemini/agents/far.md',
      '---\nkind: remote\nname: far\nagent_card_url: https://example.com/card.json\n---\n',
    );
    expect(agent).toBeUndefined();
    expect(problems).toEqual(['2:1 unsupported-key']);
    expect(messages[0]).toContain('on another machine');
  });

  it('in TOML, as they were', () => {
    const toml =
      'name = "helper"\ndescription = "Helps."\n\n[prompts]\nsystem_prompt = """\nYou ' +
      'help.\nAlways.\n"""\n\n[run]\ntimeout_mins = 7\nmax_turns = 4\n\n[model]\nmodel = "gemini-2.5-pro"\ntemp ' +
      '= 0.2\n';
    const { agent, step, problems } = agentOf('.gemini/agents/helper.toml', toml);
    expect(problems).toEqual(['1:1 missing-key', '16:1 unknown-key']);
    expect(agent).toMatchObject({
      name: 'helper',
      model: 'gemini-2.5-pro',
      max_turns: 4,
      prompt: { value: 'You help.\nAlways.\n' },
    });
    expect(step?.timeout_ms).toBe(420_000);
  });
});

describe('agents of Codex', () => {
  it('have their instructions as prompt', () => {
    const toml =
      'name = \'helper\'\ndescription = "Helps."\nmodel = "gpt-5"\nmodel_reasoning_effort = ' +
      '"high"\nnickname_candidates = ["Bo"]\ndeveloper_instructions = \'\'\'\nYou ' +
      "help.'''\n\n[mcp_servers.docs]\ncommand = \"x\"\n";
    const { agent, problems } = agentOf('.codex/agents/helper.toml', toml);
    expect(problems).toEqual(['5:1 unknown-key', '9:2 unknown-tool']);
    expect(agent?.effort).toBe('high');
    expect(agent).toMatchObject({
      name: 'helper',
      description: 'Helps.',
      model: 'gpt-5',
      prompt: { value: 'You help.' },
    });
  });

  it('are known by their content wherever they are', () => {
    expect(agentOf('x.toml', 'name = "x"\ndeveloper_instructions = "You help."\n').agent?.prompt).toEqual({
      kind: 'literal',
      value: 'You help.',
    });
  });

  it.each([
    ['a text without an end', 'name = "x\n', '1:8 invalid-toml'],
    ['a key twice', 'name = "x"\nname = "y"\n', '2:1 invalid-toml'],
    ['nothing', '# nothing\n', '1:1 empty-file'],
    ['a wrong type', 'name = "x"\ndeveloper_instructions = 5\n', '2:26 invalid-value'],
    ['a name that is none', 'name = "a b"\ndeveloper_instructions = "x"\n', '1:9 invalid-name'],
    ['a prototype', '__proto__ = 1\n', '1:1 forbidden-key'],
    ['a number too long', 'name = "x"\nx = 123456789012345678901\n', '2:5 unsafe-number'],
  ])('with %s have their problem at its place', (_what, toml, where) => {
    expect(agentOf('.codex/agents/x.toml', toml).problems[0]).toBe(where);
  });

  it('have the place of a reference inside their prompt', () => {
    expect(
      agentOf('.codex/agents/x.toml', 'name = "x"\ndeveloper_instructions = """\nOne.\n  Two ${nope}.\n"""\n').problems,
    ).toEqual(['4:9 unknown-variable']);
  });
});
