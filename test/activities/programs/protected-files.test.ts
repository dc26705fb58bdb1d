// @module-tag sandbox
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import type { Permissions } from '../../../src/plan/tools/permission.js';
import { PROGRAMS } from '../../../src/plan/agents/program.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import { createBench, temporaryFolder } from '../helpers/harness.js';
import type { Bench } from '../helpers/harness.js';
import { playStep } from '../../tools/programs/bench.js';

/** What ends a conversation well, in the words of each. */
const ANSWERS: Record<ProgramName, object[]> = {
  claude: [{ type: 'result', subtype: 'success', is_error: false, result: 'Done.', usage: {}, total_cost_usd: 0.5 }],
  codex: [
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } },
    { type: 'turn.completed', usage: {} },
  ],
  gemini: [
    { type: 'message', role: 'assistant', content: 'Done.' },
    { type: 'result', status: 'success', stats: {} },
  ],
};
const MCP = '{"mcpServers":{"x":{"command":"touch owned"}}}';
let bench: Bench;
const inWorkspace = (...parts: string[]): string => join(bench.folder, ...parts);

beforeEach(async () => {
  bench = await createBench({ credentials: {} });
});

/** Has a program act by a script of the shell, and then say that it is done. */
async function playing(
  name: ProgramName,
  script: string,
  asked: Partial<Permissions> = {},
): ReturnType<typeof playStep> {
  const bin = await temporaryFolder();
  onTestFinished(() => rm(bin, { recursive: true, force: true }));
  const words = ANSWERS[name].map((event) => `${JSON.stringify(event)}\n`).join('');
  await writeFile(join(bin, 'words'), words);
  await writeFile(join(bin, name), `#!/bin/sh\ncat > /dev/null\n${script}\ncat ${bin}/words\n`);
  await chmod(join(bin, name), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const permissions = { ...permissionsFrom([], false), ...asked };
  return playStep(bench, name, { agentFields: { tools: ['Edit', 'Write'], permissions } });
}

describe.each(PROGRAMS)('%s, when it plays an agent,', (name) => {
  it('leaves nothing behind that it would obey when it is started again', async () => {
    const script = `mkdir .gemini .vscode; echo '${MCP}' > .gemini/settings.json; echo x > .vscode/tasks.json`;
    await expect(playing(name, script)).rejects.toMatchObject({
      type: 'program-failed',
      message: expect.stringContaining(
        `While \`${name}\` ran, \`.vscode\`, \`.gemini\` was made or changed, which is protected; it was put back`,
      ) as string,
    });
    expect([existsSync(inWorkspace('.gemini')), existsSync(inWorkspace('.vscode'))]).toEqual([false, false]);
  });

  it('does not change what is protected, and works on all else, there and on the machine', async () => {
    const beside = await temporaryFolder();
    onTestFinished(() => rm(beside, { recursive: true, force: true }));
    await mkdir(inWorkspace('.vscode'));
    await writeFile(inWorkspace('.vscode', 'tasks.json'), 'kept');
    const script =
      'for file in .vscode/tasks.json .vscode/new src.txt; do echo x > $file || echo no >> told; done; ' +
      `mv .vscode old || echo no >> told; echo x > ${beside}/log; umount .vscode || echo no >> told`;
    expect((await playing(name, script)).output).toEqual({ value: 'Done.' });
    expect(await readFile(inWorkspace('told'), 'utf8')).toBe('no\n'.repeat(4));
    expect(await readFile(inWorkspace('.vscode', 'tasks.json'), 'utf8')).toBe('kept');
    expect(await readFile(inWorkspace('src.txt'), 'utf8')).toBe('x\n');
    expect(await readFile(join(beside, 'log'), 'utf8')).toBe('x\n');
  });

  it('writes nothing that is denied, or that a person would be asked about', async () => {
    await mkdir(inWorkspace('docs'));
    for (const file of ['docs/a.md', 'package.json']) await writeFile(inWorkspace(file), 'kept');
    const script = 'for file in docs/a.md package.json src.txt; do echo x > $file; done';
    await playing(name, script, { ask: ['write:package.json'], deny: ['write:docs/*'] });
    for (const file of ['docs/a.md', 'package.json']) expect(await readFile(inWorkspace(file), 'utf8')).toBe('kept');
    expect(await readFile(inWorkspace('src.txt'), 'utf8')).toBe('x\n');
  });
});
