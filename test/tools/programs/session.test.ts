import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { Session } from '../../../src/store/records/session-files.js';
import { startProgramEndpoint } from '../../fakes/program-endpoint.js';
import { openProject } from '../../faults/project.js';
import type { McpClient } from '../../mcp/helpers/mcp-client.js';
import { openMcp } from '../../mcp/helpers/mcp-client.js';
import { programEnvironment, temporaryHome } from './bench.js';

const AGENTS = {
  'definitions/agents/open.yml': 'name: open\nprompt: You help.\n',
  'definitions/agents/claudes.yml': 'name: claudes\nagent: claude\nprompt: You help.\n',
  'definitions/agents/pinned.yml': 'name: pinned\nmodel: anthropic:haiku\nprompt: You help.\n',
};

/** A project with the real programs, at an endpoint that tells in which protocol it was asked. */
async function openSetting() {
  const endpoint = await startProgramEndpoint(({ call }) => ({ text: `answer ${call}` }));
  onTestFinished(() => endpoint.close());
  const env = await programEnvironment(await temporaryHome(), endpoint.url);
  const project = await openProject(AGENTS, env);
  onTestFinished(() => project.close());
  const connect = async (): Promise<McpClient> => {
    const client = await openMcp(project.folder, { env });
    onTestFinished(() => client.close());
    return client;
  };
  /** Who asked last: Codex alone speaks Responses. */
  const asker = (): string => (endpoint.requests.at(-1)?.body['input'] === undefined ? 'another' : 'codex');
  const sessions = async (): Promise<Session[]> =>
    JSON.parse((await project.run('sessions', 'list', '--json')).stdout) as Session[]; // as `docs/cli.md` says
  return { endpoint, project, connect, asker, sessions };
}

it('a session goes on with the program that began it, in any connection, after a restart, by command', async () => {
  const { endpoint, project, connect, asker, sessions } = await openSetting();
  const first = await connect();
  const begun = await first.call('task', { description: 'count', prompt: 'How many are there?', agent_cli: 'codex' });
  expect([begun['status'], begun['output'], asker()]).toEqual(['success', 'answer 1', 'codex']);
  const id = String(begun['session_id']);
  expect(await sessions()).toMatchObject([{ session_id: id, agent_name: 'codex-cli', agent_cli: 'codex' }]);
  await first.close();

  const second = await connect();
  const goOn = async (more: JsonObject = {}): Promise<unknown[]> => {
    const { status, session_id } = await second.call('task', { prompt: 'And now?', session_id: id, ...more });
    return [status, session_id, asker(), endpoint.requests.at(-1)?.text.includes('How many are there?')];
  };
  expect(await goOn()).toEqual(['success', id, 'codex', true]);
  expect((await project.run('server', 'stop')).code).toBe(0);
  expect(await goOn({ agent_cli: 'codex' })).toEqual(['success', id, 'codex', true]);
  // Whoever goes on with it by another name of an agent has the same program.
  expect(await goOn({ agent_name: 'open' })).toEqual(['success', id, 'codex', true]);

  const asked = endpoint.requests.length;
  expect(await second.refusal('task', { prompt: 'x', session_id: id, agent_cli: 'claude' })).toBe(
    `Expected \`agent_cli: codex\` beside \`session_id: ${id}\`, got \`claude\`: the session was begun by ` +
      `\`codex\`. Leave \`agent_cli\` out, or begin another session without \`session_id\`.`,
  );
  for (const [agent_name, player] of [
    ['claudes', '`claude`'],
    ['pinned', 'a model provider'],
  ] as const) {
    expect(await second.refusal('task', { prompt: 'x', session_id: id, agent_name })).toContain(
      `was begun by \`codex\`, and agents of \`${agent_name}\` are played by ${player}.`,
    );
  }
  const typed = await project.run('run', 'claudes', 'x', '--session', id);
  expect([typed.code, typed.stderr]).toEqual([
    2,
    expect.stringContaining(
      `The session \`${id}\` was begun by \`codex\`, and agents of \`claudes\` are played by \`claude\`.`,
    ),
  ]);
  expect(endpoint.requests).toHaveLength(asked);

  const { stdout: copy } = await project.run('sessions', 'fork', id);
  const { code, stderr } = await project.run('run', 'open', 'And here?', '--session', copy.trim());
  expect([code, asker(), endpoint.requests.length, code === 0 ? '' : stderr]).toEqual([0, 'codex', asked + 1, '']);
});

it('a session that no program began takes none, and keeps no agent from whoever plays it', async () => {
  const { connect, endpoint, asker, sessions } = await openSetting();
  const { call, refusal } = await connect();
  const { session_id } = await call('task', { description: 'help', prompt: 'Help.', agent_name: 'pinned' });
  expect((await sessions())[0]).not.toHaveProperty('agent_cli');
  expect(await refusal('task', { prompt: 'x', session_id: session_id ?? '', agent_cli: 'codex' })).toContain(
    'the session was begun by no program',
  );
  expect(await call('task', { prompt: 'x', session_id: session_id ?? '' })).toMatchObject({ status: 'success' });
  expect([asker(), endpoint.requests.length]).toEqual(['another', 2]);
});
