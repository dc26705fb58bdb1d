// @seconds 10
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ImportOutcome } from '../../../src/cli/agents/import-agents.js';
import { compileIn } from '../../compiler/helpers/temporary-project.js';
import { newFolder, perdure } from '../helpers/command-line.js';

const REVIEWER =
  '---\nname: security-reviewer\ndescription: Security code reviewer\ntools: Read, Grep\nmodel: ' +
  'sonnet\n---\n\nYou are a security expert.\n\n- Keep `${HOME}` as it is.\n';
const HOOKED =
  '---\nname: hooked\ndescription: Has more.\ntools: Read\ncolor: red\nhooks: {Stop: []}\n' + '---\nYou have hooks.\n';
const GEMINI =
  '---\nname: finder\ndescription: Finds.\nkind: local\ntools: [read_file]\ntemperature: 0.2\nmax_turns: 12\n' +
  '---\nYou find.\n';
const CODEX =
  'name = "fixer"\ndescription = "Fixes."\nmodel = "gpt-5"\nnickname_candidates = ' +
  '["Bo"]\ndeveloper_instructions = """\nYou fix.\n"""\n';

const claude = (files: Record<string, string>): string =>
  newFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`.claude/agents/${name}`, text])));
async function outcomes(folder: string, ...args: string[]): Promise<{ code: number | null; found: ImportOutcome[] }> {
  const { code, stdout } = await perdure(folder, ['agents', 'import', ...args, '--json']);
  return { code, found: JSON.parse(stdout) as ImportOutcome[] };
}
const read = (folder: string, file: string): Record<string, unknown> =>
  parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>;

describe('agents import', () => {
  it('writes an agent of Claude Code with where it comes from, and never touches its source', async () => {
    const folder = claude({ 'security-reviewer.md': REVIEWER });
    const { code, stdout } = await perdure(folder, ['agents', 'import', '--from', 'claude']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        '✓ security-reviewer  imported  .claude/agents/security-reviewer.md → ' +
        'definitions/agents/security-reviewer.yml\n',
    });
    expect(read(folder, 'definitions/agents/security-reviewer.yml')).toEqual({
      name: 'security-reviewer',
      description: 'Security code reviewer',
      agent: 'claude',
      model: 'sonnet',
      tools: ['Read', 'Grep'],
      prompt: 'You are a security expert.\n\n- Keep `\\${HOME}` as it is.',
      source: {
        from: 'claude',
        file: '.claude/agents/security-reviewer.md',
        imported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        hash: `sha256:${createHash('sha256').update(REVIEWER).digest('hex')}`,
      },
    });
    expect(readFileSync(join(folder, '.claude/agents/security-reviewer.md'), 'utf8')).toBe(REVIEWER);
    expect(readdirSync(join(folder, 'definitions/agents'))).toEqual(['security-reviewer.yml']);
    const { plan, problems } = compileIn(folder, 'definitions/agents/security-reviewer.yml');
    expect(problems).toEqual([]);
    expect(Object.values(plan?.agents ?? {})[0]?.prompt).toEqual({
      kind: 'literal',
      value: 'You are a security expert.\n\n- Keep `${HOME}` as it is.',
    });
  });

  it('tells field by field what could not be carried over', async () => {
    const { code, found } = await outcomes(claude({ 'hooked.md': HOOKED }), '--from', 'claude');
    expect(code).toBe(0);
    expect(found[0]?.lost).toEqual([
      { field: 'color', reason: 'agents have no colours', changes_behaviour: false },
      {
        field: 'hooks.Stop',
        reason: 'there are hooks before and after calls of tools only',
        changes_behaviour: true,
        fix: expect.stringContaining('`permissions:`') as string,
      },
    ]);
  });

  it('ends with 1 with --strict when something was lost that changes behaviour, and only then', async () => {
    const folder = claude({ 'hooked.md': HOOKED });
    expect(await perdure(folder, ['agents', 'import', '--from', 'claude', '--strict'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('lost hooks.Stop: there are hooks before') as string,
    });
    const mild = claude({ 'a.md': HOOKED.replace('hooks: {Stop: []}\n', '') });
    expect((await perdure(mild, ['agents', 'import', '--from', 'claude', '--strict'])).code).toBe(0);
  });

  it('reads Gemini in Markdown and TOML, and Codex', async () => {
    const folder = newFolder({
      '.gemini/agents/finder.md': GEMINI,
      '.gemini/agents/old.toml':
        'name = "old"\ndescription = "Old."\n[prompts]\nsystem_prompt = "You are old."\n[tools]\n' +
        'allowed = ["read_file"]\n[run]\ntimeout_mins = 3\n',
      '.codex/agents/fixer.toml': CODEX,
    });
    expect((await outcomes(folder, '--from', 'gemini')).found).toMatchObject([
      { name: 'finder', status: 'imported', lost: [{ field: 'temperature', changes_behaviour: true }] },
      { name: 'old', status: 'imported', lost: [] },
    ]);
    expect((await outcomes(folder, '--from', 'codex')).found).toMatchObject([
      { name: 'fixer', lost: [{ field: 'nickname_candidates', changes_behaviour: false }] },
    ]);
    expect(read(folder, 'definitions/agents/finder.yml')).toMatchObject({
      agent: 'gemini',
      max_turns: 12,
      prompt: 'You find.',
    });
    expect(read(folder, 'definitions/agents/old.yml')).toMatchObject({ timeout_mins: 3, prompt: 'You are old.' });
    expect(read(folder, 'definitions/agents/fixer.yml')).toMatchObject({
      agent: 'codex',
      model: 'gpt-5',
      prompt: 'You fix.\n',
    });
  });

  it('takes one file to another folder, also one without front matter', async () => {
    const folder = newFolder({
      'notes/Reviewer.md':
        '# Code Reviewer\n\nReviews code\nwith care.\n\n## Tools\n\n- `Read`: reads\n- Grep\n\nBe kind.\n',
    });
    expect(
      (await outcomes(folder, '--from', 'claude', '--file', 'notes/Reviewer.md', '--to', 'mine')).found,
    ).toMatchObject([{ name: 'code-reviewer', to: 'mine/code-reviewer.yml', lost: [{ field: 'name' }] }]);
    expect(read(folder, 'mine/code-reviewer.yml')).toMatchObject({
      description: 'Reviews code with care.',
      tools: ['Read', 'Grep'],
      prompt: expect.stringContaining('Be kind.') as string,
    });
  });

  it('finds agents in folders of the folder, and takes no README for one', async () => {
    const folder = claude({
      'a.md': REVIEWER.replace('security-reviewer', 'a'),
      'team/deep/b.md': REVIEWER.replace('security-reviewer', 'b'),
      'README.md': '# Ours\n\nThese are agents.\n',
    });
    const { found } = await outcomes(folder, '--from', 'claude', '--dry-run');
    expect(found.map(({ name, file }) => [name, file])).toEqual([
      ['a', '.claude/agents/a.md'],
      ['b', '.claude/agents/team/deep/b.md'],
    ]);
  });

  it('with --dry-run writes nothing', async () => {
    const folder = claude({ 'security-reviewer.md': REVIEWER });
    expect((await outcomes(folder, '--from', 'claude', '--dry-run')).found).toMatchObject([{ status: 'imported' }]);
    expect(existsSync(join(folder, 'definitions'))).toBe(false);
  });

  it('keeps what is there; --update writes anew what has changed at its source', async () => {
    const folder = claude({ 'security-reviewer.md': REVIEWER });
    const statuses = async (...args: string[]): Promise<string[]> =>
      (await outcomes(folder, '--from', 'claude', ...args)).found.map(({ status }) => status);
    expect(await statuses()).toEqual(['imported']);
    expect(await statuses('--update')).toEqual(['unchanged']);
    writeFileSync(join(folder, '.claude/agents/security-reviewer.md'), REVIEWER.replace('expert', 'master'));
    expect(await statuses()).toEqual(['kept']);
    expect(read(folder, 'definitions/agents/security-reviewer.yml')['prompt']).toContain('expert');
    expect(await statuses('--update')).toEqual(['updated']);
    expect(read(folder, 'definitions/agents/security-reviewer.yml')['prompt']).toContain('master');
  });

  it('never replaces an agent that a person wrote, whatever the case of its name', async () => {
    const folder = newFolder({
      '.claude/agents/a.md': REVIEWER,
      'definitions/agents/own.yml': 'name: Security-Reviewer\nprompt: Mine.\n',
    });
    expect((await outcomes(folder, '--from', 'claude', '--update')).found).toMatchObject([
      { status: 'kept', reason: expect.stringContaining('was not imported') as string },
    ]);
    expect(readdirSync(join(folder, 'definitions/agents'))).toEqual(['own.yml']);
  });

  it('tells problems of a source at their place, imports the others, and ends with 2', async () => {
    const folder = claude({ 'bad.md': '---\nname: bad\nmaxTurns: many\n---\nBad.\n', 'good.md': REVIEWER });
    const { code, stdout, stderr } = await perdure(folder, ['agents', 'import', '--from', 'claude']);
    expect(code).toBe(2);
    expect(stdout).toContain('✓ security-reviewer  imported');
    expect(stderr).toContain('.claude/agents/bad.md:3:11  invalid-value  Expected a whole number above 0, got `many`.');
  });

  it.each([
    [['agents', 'import'], 'Expected `--from`'],
    [['agents', 'import', '--from', 'cursor'], 'cursor'],
    [['agents', 'import', '--from', 'codex'], 'There are no agents of Codex in `.codex/agents`.'],
    [['agents', 'import', '--from', 'codex', '--file', 'x.toml'], 'There is no file `x.toml`.'],
    [['agents', 'import', '--from', 'codex', '--file', 'perdure.yml'], 'Expected an agent of Codex in a `.toml` file'],
    [['agents', 'show', 'expolrer'], 'There is no agent `expolrer`.'],
    [['agents', 'show'], 'Expected the name of an agent.'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stderr } = await perdure(newFolder(), args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });
});

describe('agents list', () => {
  it('tells which program plays an agent, and whether it is installed', async () => {
    const folder = newFolder({
      'definitions/agents/here.yml': 'agent: claude\ndescription: Fixes.\nprompt: Fix it.\n',
      'definitions/agents/away.yml': 'agent: codex\nprompt: Fix it.\n',
      'bin/claude': '#!/bin/sh\n',
    });
    chmodSync(join(folder, 'bin/claude'), 0o755);
    const env = { PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}` };
    const { stdout } = await perdure(folder, ['agents', 'list', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        { name: 'here', source: 'native', description: 'Fixes.', program: 'claude', installed: true },
        { name: 'away', source: 'native', description: null, program: 'codex', installed: false },
        { name: 'Explore', source: 'builtin', description: expect.any(String) as string },
      ]),
    );
    const lines = (await perdure(folder, ['agents', 'list'], { env })).stdout;
    expect(lines).toMatch(/^here +native +claude: Fixes\.$/m);
    expect(lines).toMatch(/^away +native +codex \(not installed\):$/m);
  });

  it('has every agent that may be named, each once, with where it comes from', async () => {
    const folder = newFolder({
      'definitions/agents/own.yml': 'name: own\ndescription: Mine.\nprompt: x\n',
      '.glee/agents/glee.yml': 'name: glee\nprompt: x\n',
      '.claude/agents/own.md': REVIEWER.replace('security-reviewer', 'own'),
      '.claude/agents/c.md': REVIEWER,
      'definitions/agents/imported.yml': 'name: imported\nprompt: x\nsource: {from: gemini, file: a.md}\n',
      '.glee/agents/explore.yml': 'name: Explore\nprompt: x\n',
    });
    const { code, stdout } = await perdure(folder, ['agents', 'list', '--json']);
    expect(code).toBe(0);
    const listed = JSON.parse(stdout) as { name: string; source: string; description: string | null }[];
    expect(listed).toHaveLength(new Set(listed.map(({ name }) => name)).size);
    expect(listed.filter(({ source }) => source !== 'builtin')).toEqual([
      { name: 'Explore', source: 'native', description: null },
      { name: 'glee', source: 'native', description: null },
      { name: 'imported', source: 'gemini', description: null },
      { name: 'own', source: 'native', description: 'Mine.' },
      { name: 'security-reviewer', source: 'claude', description: 'Security code reviewer' },
    ]);
    expect(listed.filter(({ source }) => source === 'builtin').map(({ name }) => name)).toEqual([
      'code-reviewer',
      'expert-code-implementer',
      'general-purpose',
      'implementation-architect',
      'Plan',
    ]);
  });

  it('names agents whose files are broken, and says what is wrong', async () => {
    const { code, stdout, stderr } = await perdure(
      newFolder({ 'definitions/agents/bad.yml': 'name: bad\nprompt: 5\n' }),
      ['agents', 'list'],
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^bad +native/m) as string });
    expect(stderr).toContain('definitions/agents/bad.yml:2:9  invalid-value');
  });

  it('is followed by one agent as it is written', async () => {
    const { stdout, stderr } = await perdure(newFolder(), ['agents', 'show', 'explore']);
    expect(stdout).toContain('name: Explore');
    expect(stderr).toContain('builtin');
  });
});
