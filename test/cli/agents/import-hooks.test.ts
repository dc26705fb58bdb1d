import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ImportOutcome } from '../../../src/cli/agents/import-agents.js';
import { compileIn } from '../../compiler/helpers/temporary-project.js';
import { newFolder, perdure } from '../helpers/command-line.js';

const GUARD = '#!/bin/bash\ngrep -q "rm -rf" && { echo "no" >&2; exit 2; }\nexit 0\n';
const HOOKS = `tools: Read, Bash
hooks:
  PreToolUse:
    - matcher: "Bash"
      hooks:
        - type: command
          command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh --strict'
          timeout: 5
  PostToolUse:
    - hooks:
        - {type: command, command: "jq -r .tool_name >> used.txt"}
`;

function project(hooks = HOOKS) {
  return newFolder({
    '.claude/agents/a.md': `---\nname: a\ndescription: Acts.\n${hooks}---\nYou act.\n`,
    '.claude/hooks/guard.sh': GUARD,
  });
}

async function importIn(folder: string, more: string[] = []) {
  const { code, stdout } = await perdure(folder, ['agents', 'import', '--from', 'claude', '--json', ...more]);
  const [outcome] = JSON.parse(stdout) as ImportOutcome[];
  if (outcome === undefined) throw new Error('nothing was imported');
  return { code, outcome };
}

const FILE = 'definitions/agents/a.yml';

describe('hooks of an imported agent', () => {
  it('are shown in full, with all that their files hold, and nothing is written before they are approved', async () => {
    const folder = project();
    const { code, stdout } = await perdure(folder, ['agents', 'import', '--from', 'claude']);
    expect(code).toBe(2);
    expect(stdout).toContain('"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh --strict');
    expect(stdout).toContain('jq -r .tool_name >> used.txt');
    for (const line of GUARD.trim().split('\n')) expect(stdout).toContain(line);
    expect(stdout).toMatch(/a person has to approve: read them, then say `--allow-hooks sha256:[0-9a-f]{64}`/);
    expect(existsSync(join(folder, FILE))).toBe(false);
  });

  it('are written once they are approved, bound to their files, and compile into the Plan', async () => {
    const folder = project();
    const { outcome } = await importIn(folder);
    const { code, outcome: done } = await importIn(folder, ['--allow-hooks', outcome.hooks?.approval ?? '']);
    expect([code, done.status]).toEqual([0, 'imported']);
    expect(done.lost.filter(({ changes_behaviour }) => changes_behaviour)).toEqual([]);
    const written = parse(readFileSync(join(folder, FILE), 'utf8')) as Record<string, unknown>;
    expect(written['agent']).toBeUndefined();
    expect(written['hooks']).toMatchObject([
      { before: 'Bash', timeout_s: 5, files: { '.claude/hooks/guard.sh': expect.stringMatching(/^sha256:/) } },
      { after: '*', command: 'jq -r .tool_name >> used.txt' },
    ]);
    const { plan } = compileIn(folder, FILE);
    expect(Object.values(plan?.agents ?? {})[0]?.hooks).toMatchObject([
      { when: 'before', tools: 'Bash', timeout_ms: 5_000, files: { '.claude/hooks/guard.sh': GUARD } },
      { when: 'after', tools: '*' },
    ]);
  });

  it('are not those that were approved once their file says something else', async () => {
    const folder = project();
    const { outcome } = await importIn(folder);
    writeFileSync(join(folder, '.claude/hooks/guard.sh'), '#!/bin/bash\n');
    const { code, outcome: other } = await importIn(folder, ['--allow-hooks', outcome.hooks?.approval ?? '']);
    expect([code, other.status]).toEqual([2, 'failed']);
    await importIn(folder, ['--allow-hooks', other.hooks?.approval ?? '']);
    writeFileSync(join(folder, '.claude/hooks/guard.sh'), GUARD);
    const { plan, problems } = compileIn(folder, FILE);
    expect(plan).toBeNull();
    expect(problems).toMatchObject([
      { message: expect.stringContaining('`.claude/hooks/guard.sh` has changed since this hook was approved') },
    ]);
  });

  it('can be left out, and the report says that this changes behaviour', async () => {
    const folder = project();
    const { code, outcome } = await importIn(folder, ['--without-hooks']);
    expect([code, outcome.status]).toEqual([0, 'imported']);
    expect(outcome.lost).toMatchObject([{ field: 'hooks', changes_behaviour: true }]);
    expect(readFileSync(join(folder, FILE), 'utf8')).not.toContain('hooks:');
  });

  it.each([
    ['Stop: [{hooks: [{type: command, command: "true"}]}]', 'hooks.Stop', 'before and after calls of tools only'],
    ['PreToolUse: [{hooks: [{type: prompt, prompt: "ok?"}]}]', 'hooks.PreToolUse', '`type: prompt`'],
    ['PreToolUse: [{hooks: [{type: http, url: "http://x"}]}]', 'hooks.PreToolUse', '`type: http`'],
    ['PostToolUse: [{hooks: [{type: command, command: "x", async: true}]}]', 'hooks.PostToolUse', '`async` has no'],
    ['PreToolUse: [{hooks: [{type: command, command: "x", if: "Bash(rm *)"}]}]', 'hooks.PreToolUse', '`if` has no'],
    ['PreToolUse: [{matcher: "(", hooks: [{type: command, command: "x"}]}]', 'hooks.PreToolUse', 'no names of tools'],
    ['PreToolUse: [{hooks: [{type: command, command: "~/.claude/x.sh"}]}]', 'hooks.PreToolUse', 'not in this project'],
  ])('are reported by their names where they are of another kind: %s', async (hooks, field, reason) => {
    const { outcome } = await importIn(project(`tools: Read\nhooks:\n  ${hooks}\n`));
    expect(outcome.status).toBe('imported');
    expect(outcome.lost).toMatchObject([{ field, changes_behaviour: true, reason: expect.stringContaining(reason) }]);
  });

  it('do not run in an agent that is used where it stands, which says so', () => {
    const folder = project();
    const { plan, problems } = compileIn(folder, '.claude/agents/a.md');
    expect(Object.values(plan?.agents ?? {})[0]?.hooks).toBeUndefined();
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringContaining('`hooks` has no meaning here: those of an agent that was imported'),
      },
    ]);
  });
});
