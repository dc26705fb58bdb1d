import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject } from '../faults/project.js';
import type { Project } from '../faults/project.js';

const FIXTURE = fileURLToPath(new URL('../fakes/mcp-server.mjs', import.meta.url));
const CONFIG =
  `mcp:\n  notes: {command: [${process.execPath}, ${FIXTURE}, .], env: {NOTES_TOKEN: "\${env.NOTES_TOKEN}"}}\n  ` +
  `broken: {command: [no-such-program]}\n`;
const AGENT = 'name: keeper\nprompt: You keep notes.\ntools: [notes__add_note, notes__environment]\n';
const BROKEN = 'name: lost\nprompt: You are lost.\ntools: ["broken__*"]\n';
const UNKNOWN = 'name: odd\nprompt: You are odd.\ntools: [notes__no_such]\n';

let endpoint: ModelEndpoint;
let project: Project;
beforeAll(async () => {
  endpoint = await startModelEndpoint([
    {
      tools: [
        { name: 'notes__add_note', input: { note: 'milk' } },
        { name: 'notes__environment', input: {} },
      ],
    },
    { text: 'noted' },
  ]);
  project = await openProject(
    {
      'perdure.yml': CONFIG,
      'definitions/agents/keeper.yml': AGENT,
      'definitions/agents/lost.yml': BROKEN,
      'definitions/agents/odd.yml': UNKNOWN,
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url, NOTES_TOKEN: 'planted-secret' },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

describe('an agent with tools of an MCP server', () => {
  it('is told of them as the server listed them, and its calls reach the server with its secret', async () => {
    const { code, stdout, stderr } = await project.run('run', 'keeper', 'remember the milk', '--id', 'kept');
    expect({ code, stdout, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stdout: 'noted\n', stderr: '' });
    expect(readFileSync(join(project.folder, 'mcp.log'), 'utf8')).toContain('note milk');
    const last = JSON.stringify(endpoint.requests.at(-1));
    expect(last).toContain('added milk');
    // The server had it: what it says of it is masked.
    expect(last).toContain('NOTES_TOKEN=…');
    expect(last).not.toContain('planted-secret');
    expect((await project.run('plan', 'keeper', '--format', 'json')).stdout).not.toContain('planted-secret');
  });

  it('is not started when the server cannot be used, or has no such tool', async () => {
    const lost = await project.run('run', 'lost', 'x');
    expect(lost.code).toBe(3);
    expect(lost.stderr).toContain('The MCP server `broken` cannot be used: Cannot find the program `no-such-program`');
    const odd = await project.run('run', 'odd', 'x');
    expect(odd.code).toBe(2);
    expect(odd.stderr).toContain('The MCP server `notes` has no tool `no_such`.');
  });
});
