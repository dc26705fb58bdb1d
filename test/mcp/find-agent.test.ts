import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tellAgent } from '../../src/cli/agents/tell-agents.js';
import type { Invocation } from '../../src/cli/command.js';
import type { Connection } from '../../src/mcp/connection.js';
import { createMade } from '../../src/mcp/made.js';
import { findAgent } from '../../src/mcp/tools/task.js';

const root = mkdtempSync(join(tmpdir(), 'perdure-mcp-'));
const agents = join(root, 'definitions/agents');
const write = (file: string, text: string): void => writeFileSync(join(agents, file), text);
mkdirSync(agents, { recursive: true });
writeFileSync(join(root, 'perdure.yml'), '');
write('alone.yml', 'prompt: You help.\n');
write('twin.yml', 'prompt: You help.\n');
write('twin.md', '---\nname: twin\ndescription: Helps.\n---\nYou do not.\n');
write('one.yml', 'name: Namesake\nprompt: You help.\n');
write('other.yml', 'name: namesake\nprompt: You do not.\n');
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('an agent that an MCP client gives a task', () => {
  // All of a connection that is looked at.
  const connection = { made: createMade(), terminal: { cwd: root, env: {} } } as unknown as Connection;
  const find = async (name: string): Promise<string> => (await findAgent(name, connection)).file;

  it('is the one of that name, whatever the case where nobody else has it', async () => {
    expect(await find('alone')).toBe(join(agents, 'alone.yml'));
    expect(await find('ALONE')).toBe(join(agents, 'alone.yml'));
    expect(await find('namesake')).toBe(join(agents, 'other.yml'));
  });

  it('is none of several of one name: both are named', async () => {
    await expect(find('twin')).rejects.toThrow(
      'More than one file has the name `twin`: `definitions/agents/twin.md`, `definitions/agents/twin.yml`.',
    );
    // `agents show` looks them up as well; of its terminal nothing else is looked at.
    const shown = { options: { flag: () => false }, terminal: connection.terminal } as unknown as Invocation;
    await expect(tellAgent('twin', shown)).rejects.toThrow(/^More than one file .*twin\.md.*twin\.yml/);
    await expect(find('NAMESAKE')).rejects.toThrow(/More than one agent is called so: .*one\.yml.*other\.yml/);
  });
});
