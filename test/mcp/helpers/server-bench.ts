import { afterAll, afterEach, beforeAll } from 'vitest';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { openProject } from '../../faults/project.js';
import type { Project } from '../../faults/project.js';
import type { McpClient, McpOptions } from './mcp-client.js';
import { openMcp } from './mcp-client.js';

export const HELLO =
  'name: hello\ninputs:\n  name: {type: string, required: true}\nsteps:\n  - id: greet\n    command: [printf, ' +
  '"Hello %s", "${name}"]\n';

export const GATED =
  'name: gated\ninputs:\n  text: {type: string, default: from the file}\nsteps:\n  - id: made\n    command: ' +
  '[printf, "a report"]\n  - id: ok\n    approval: "Use this?"\n    content: "${steps.made.output}"\n  - id: ' +
  'named\n    approval: {message: "And this?", required_approver: "mcp:test-client"}\n  - id: own\n    ' +
  'approval: "And your own words?"\n    content: "${text}"\n';

export const SLOW =
  'name: slow\nsteps:\n  - id: sleep\n    command: [sh, -c, "until [ -e go ]; do sleep 0.05; done; echo done"]\n';

export const INSTALL = { name: 'shell', input: { argv: ['pip', 'install', 'x'] } };

export const COUNT = {
  description: 'Counts words',
  kind: 'command',
  inputs: { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  outputs: { format: 'json' },
  exec: { command: { entrypoint: 'wc', args: ['-w'], stdin: '${text}' } },
};

/** A file of the name of what no file defines. */
export const DECOY = 'name: call-tool\nsteps:\n  - command: [printf, decoy]\n';

export const REVIEWER = 'name: security-scanner\ndescription: Finds holes\nprompt: You look for holes.\n';

export let endpoint: ModelEndpoint;

export let project: Project;

export const clients: McpClient[] = [];

/** Opens the project before the tests of a file, and closes it after them. Called once at the head of each file. */
export function openBench(): void {
  beforeAll(async () => {
    endpoint = await startModelEndpoint(({ prompt, results }) =>
      prompt.includes('install x') && results.count === 0 ? { tools: [INSTALL] } : { text: `answer to ${prompt}` },
    );
    project = await openProject(
      {
        'definitions/workflows/hello.yml': HELLO,
        'definitions/workflows/gated.yml': GATED,
        'definitions/workflows/slow.yml': SLOW,
        'definitions/workflows/call-tool.yml': DECOY,
        '.glee/agents/security-scanner.yml': REVIEWER,
      },
      { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
    );
  });

  afterAll(async () => {
    await project.close();
    await endpoint.close();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
}

export async function open(options: McpOptions = {}): Promise<McpClient> {
  const client = await openMcp(project.folder, {
    env: { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
    ...options,
  });
  clients.push(client);
  return client;
}
