import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ImportOutcome } from '../../../src/cli/agents/import-agents.js';
import { compileIn } from '../../compiler/helpers/temporary-project.js';
import { newFolder, perdure } from '../helpers/command-line.js';

const AGENT = '.claude/agents/a.md';
const SERVERS = 'mcp:\n  github: {url: "https://mcp.example.org/"}\n';

/** Imports an agent whose front matter has these lines; gives what was written and what was lost. */
async function imported(head: string, files: Record<string, string> = {}) {
  const folder = newFolder({ [AGENT]: `---\nname: a\ndescription: Acts.\n${head}\n---\nYou act.\n`, ...files });
  const { stdout } = await perdure(folder, ['agents', 'import', '--from', 'claude', '--json']);
  const [outcome] = JSON.parse(stdout) as ImportOutcome[];
  const written = parse(readFileSync(join(folder, 'definitions/agents/a.yml'), 'utf8')) as Record<string, unknown>;
  return { folder, written, lost: outcome?.lost ?? [] };
}

const SKILL = { '.claude/skills/pdf/SKILL.md': '---\nname: pdf\n---\nRead PDFs by `pdftotext`.\n' };

describe('an imported agent', () => {
  it.each([
    ['effort', 'tools: Read\neffort: high', { effort: 'high' }],
    ['tools that it does not get', 'tools: Read, Edit\ndisallowedTools: Write', { disallowed_tools: ['Write'] }],
    ['a work tree', 'tools: Edit\nisolation: worktree', { isolation: 'worktree' }],
    [
      'a mode that plans',
      'tools: Read\npermissionMode: plan',
      { disallowed_tools: ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Bash'] },
    ],
    ['a mode that asks nobody', 'tools: Read\npermissionMode: dontAsk', { permissions: { asking: 'deny' } }],
    ['a mode that edits', 'tools: Edit\npermissionMode: acceptEdits', { tools: ['Edit'] }],
    ['turns', 'tools: Read\nmaxTurns: 9', { max_turns: 9 }],
    ['skills', 'tools: Read\nskills: pdf', { skills: ['pdf'], agent: 'claude' }],
    ['servers by name', 'tools: Read\nmcpServers: [github]', { mcp: ['github'], agent: undefined }],
  ])('keeps %s, and nothing that changes behaviour is lost', async (_what, head, expected) => {
    const { folder, written, lost } = await imported(head, { ...SKILL, 'perdure.yml': SERVERS });
    for (const [key, value] of Object.entries(expected)) expect(written[key], key).toEqual(value);
    expect(lost.filter(({ changes_behaviour }) => changes_behaviour)).toEqual([]);
    const { problems } = compileIn(folder, 'definitions/agents/a.yml');
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each([
    ['tools: Read\npermissionMode: bypassPermissions', 'permissionMode', 'no more than the project', '`permissions:`'],
    ['tools: Read, mcp__jira__get', 'tools', '`mcp__jira__get`: there is no MCP server `jira`', 'add it under `mcp`'],
    ['tools: Read, mcp__githb__get', 'tools', 'there is no MCP server `githb`', 'did you mean `github`?'],
    ['tools: Read, Task', 'tools', '`Task`: no tool that is handed on', 'an agent'],
    ['tools: Read\nskills: [xls]', 'skills', 'there is no skill `xls`', '.claude/skills/xls/SKILL.md'],
    [
      'tools: Read\nmcpServers:\n  - jira: {command: npx, args: [-y, jira], env: {JIRA_TOKEN: s3cret}}',
      'mcpServers',
      'no MCP server `jira`',
      '{jira: {command: ["npx","-y","jira"], env: {"JIRA_TOKEN": "${env.JIRA_TOKEN}"}}}',
    ],
    ['tools: Read\nmemory: user', 'memory', 'remember nothing', '`--session`'],
    ['model: opus', 'tools', 'gives such an agent all tools', 'tools: [Read'],
  ])('tells what is lost, and what to do: %j', async (head, field, reason, fix) => {
    const { folder, lost } = await imported(head, { 'perdure.yml': SERVERS });
    const told = lost.filter((one) => one.changes_behaviour);
    expect(told).toMatchObject([{ field, reason: expect.stringContaining(reason) as string }]);
    expect(told[0]?.fix).toContain(fix);
    expect(JSON.stringify(lost)).not.toContain('s3cret');
    const { problems } = compileIn(folder, 'definitions/agents/a.yml');
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('is told with what to do, a line below each', async () => {
    const folder = newFolder({ [AGENT]: '---\nname: a\ndescription: A.\ntools: mcp__jira__get\n---\nYou act.\n' });
    const { stdout } = await perdure(folder, ['agents', 'import', '--from', 'claude']);
    expect(stdout).toMatch(/lost tools: `mcp__jira__get`.*\n +→ add it under `mcp` in perdure\.yml/);
  });
});

it('an import reads the settings first, and does nothing where they are broken', async () => {
  const folder = newFolder({ [AGENT]: '---\nname: a\n---\nYou act.\n', 'perdure.yml': 'mcp: {x: {comand: [a]}}\n' });
  const { code, stderr } = await perdure(folder, ['agents', 'import', '--from', 'claude']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('perdure.yml:1') as string });
  expect(existsSync(join(folder, 'definitions'))).toBe(false);
});

describe('skills of an agent', () => {
  const agent = (files: Record<string, string>, tools = '[]') => {
    const text = `name: a\nprompt: You act.\ntools: ${tools}\nskills: [pdf]\n`;
    const compiled = compileIn(newFolder({ 'definitions/agents/a.yml': text, ...files }), 'definitions/agents/a.yml');
    return { agent: Object.values(compiled.plan?.agents ?? {})[0], codes: compiled.problems.map(({ code }) => code) };
  };

  it('are told below its instruction', () => {
    const { agent: made } = agent(SKILL);
    expect(JSON.stringify(made?.prompt)).toContain('# Skill `pdf`\\n\\nRead PDFs by `pdftotext`.');
    expect(made?.uses).toBeUndefined();
  });

  it('have files that it can read', () => {
    const { agent: made } = agent({ ...SKILL, '.claude/skills/pdf/forms.md': 'Forms.' });
    expect(JSON.stringify(made?.prompt)).toContain('are in `.claude/skills/pdf/`');
    expect(made?.uses?.map(({ name }) => name)).toEqual(['read_file', 'list_files']);
  });

  it('that are not there are a problem', () => {
    expect(agent({}).codes).toEqual(['unknown-skill']);
    expect(agent({ '.claude/skills/pdff/SKILL.md': 'x' }).codes).toEqual(['unknown-skill']);
  });
});

describe('an agent that asks for a work tree', () => {
  const files = { 'definitions/agents/a.yml': 'name: a\nprompt: You act.\nisolation: worktree\n' };
  const step = 'steps:\n  - agent: a\n    prompt: Go.\n';

  it('has one when it runs alone', () => {
    expect(compileIn(newFolder(files), 'a').plan?.workspace).toEqual({ kind: 'worktree', carry: [] });
  });

  it('has one of its own in a workflow that works in one, and else a warning', () => {
    const within = compileIn(newFolder({ ...files, 'w.yml': `workspace: worktree\n${step}` }), 'w.yml');
    expect(within.plan?.steps[0]?.commit).toBe('a: its part');
    const beside = compileIn(newFolder({ ...files, 'w.yml': step }), 'w.yml');
    expect(beside.plan?.steps[0]?.commit).toBeUndefined();
    expect(beside.problems).toMatchObject([{ severity: 'warning', suggestion: expect.stringContaining('worktree') }]);
  });
});
