// @seconds 30
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';

const READ: Answer = { tools: [{ name: 'read_file', input: { path: 'talk.yml' } }] };
const WRITE: Answer = { tools: [{ name: 'write_file', input: { path: 'new.txt', content: 'x' } }] };

let project: Project;
let endpoint: ModelEndpoint;
/** Ends the answers that are held back. */
let release: () => void;
let released: Promise<void>;
beforeAll(async () => {
  endpoint = await startModelEndpoint(answer);
  project = await openProject(
    {
      'perdure.yml': 'permissions: {ask: ["write:*"]}\n',
      'definitions/agents/helper.yml': 'name: helper\nprompt: You help.\ntools: [read_file, write_file]\n',
      'definitions/agents/brief.yml': 'name: brief\nprompt: You are brief.\n',
      'talk.yml':
        'name: talk\ninputs: {about: {type: string}}\nsteps:\n  - {id: work, agent: helper, prompt: "{{about}}"}\n',
      'outer.yml': 'name: outer\nsteps:\n  - {id: below, workflow: ./talk.yml, inputs: {about: hold nested}}\n',
      'none.yml': 'name: none\nsteps:\n  - {id: same, set: {is: here}}\n',
      'items.yml':
        'name: items\ninputs: {list: {type: list}}\nsteps:\n  - id: each\n' +
        '    foreach: {items: "${list}", max_parallel: 1}\n    steps:\n' +
        '      - {id: work, agent: helper, prompt: "hold nested ${item}", when: "${item == 1}"}\n' +
        '      - {id: below, workflow: ./none.yml, when: "${item == 0}"}\n',
      'two.yml':
        'name: two\nexecution: parallel\nsteps:\n  - {id: one, agent: helper, prompt: hold one}\n' +
        '  - {id: other, agent: brief, prompt: hold other}\n',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  release();
  await project.close();
  await endpoint.close();
});

/** What is asked to wait writes a file, which waits for a person; what is asked to hold is answered when it is let. */
function answer({ messages, prompt, results: { count } }: RecordedRequest): Answer {
  if (prompt.includes('says to you')) return { text: `heard: ${prompt.slice(prompt.indexOf('While'))}` };
  const [first] = messages;
  if (first?.text.includes('wait')) return count === 0 ? WRITE : { text: 'told nothing' };
  if (count === 0 && first?.text.includes('nested')) return READ;
  return { text: 'as asked', until: released, rest: '' };
}

function hold(): void {
  released = new Promise((resolve) => (release = resolve));
}
hold();

const say = (address: string, text: string, ...rest: string[]) =>
  project.run('say', address, text, '--as', 'ada', ...rest);
const isAsked = (text: string) =>
  until(() => Promise.resolve(endpoint.requests.some(({ messages }) => messages[0]?.text.includes(text))));
const outputOf = async (id: string): Promise<string> =>
  String((JSON.parse((await project.run('show', id, '--json')).stdout) as { output: unknown }).output);

describe('a word to a running agent', () => {
  it('is heard beside the results of its calls, though the host was killed between', async () => {
    const running = project.start('run', 'talk.yml', '-i', 'about=wait', '--id', 'gate', '--json', '--no-wait');
    await running.finished;
    const said = await say('gate/work', 'Use port 3000.', '--json');
    expect(JSON.parse(said.stdout)).toEqual({ run: 'gate', step: 'work', said: 'Use port 3000.' });
    expect((await say('gate', 'And be kind.')).code).toBe(0);
    const { host } = await project.pids();
    expect(host).not.toBeNull();
    kill(host!);
    expect((await project.run('approve', 'gate', '--as', 'bob')).code).toBe(0);
    expect((await project.run('watch', 'gate')).code).toBe(0);
    const heard =
      'While you work, ada says to you:\n\nUse port 3000.\n\nWhile you work, ada says to you:\n\nAnd be kind.';
    expect(await outputOf('gate')).toBe(`heard: ${heard}`);
    const last = endpoint.requests.findLast(({ messages }) => messages[0]?.text.includes('wait'));
    expect(last?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result' }, { type: 'text', text: heard }] },
    ]);
    const { stdout } = await project.run('logs', 'gate', 'work');
    expect(stdout.match(/ada says: Use port 3000\./g)).toHaveLength(1);
  });

  it('that comes while it answers gives it another turn', async () => {
    hold();
    const running = project.start('run', 'outer.yml', '--id', 'outer', '--json');
    await isAsked('hold nested');
    await until(() =>
      Promise.resolve(
        endpoint.requests.some(({ messages, results }) => messages[0]?.text.includes('nested') && results.count === 1),
      ),
    );
    expect((await say('outer/below/work', 'No, the other one.')).code).toBe(0);
    release();
    expect((await running.finished).code).toBe(0);
    expect(await outputOf('outer')).toContain('ada says to you:\n\nNo, the other one.');
  });

  it('reaches an agent of an item that a batch run does', async () => {
    hold();
    const list = JSON.stringify(Array.from({ length: 201 }, (_, index) => index + 1));
    const running = project.start('run', 'items.yml', '-i', `list=${list}`, '--id', 'many', '--json');
    await until(() =>
      Promise.resolve(
        endpoint.requests.some(
          ({ messages, results }) => messages[0]?.text.includes('nested 1') && results.count === 1,
        ),
      ),
    );
    const said = await say('many/each/0/work', 'This item alone.', '--json');
    expect(JSON.parse(said.stdout)).toEqual({ run: 'many/each/0-199', step: 'each/0/work', said: 'This item alone.' });
    expect((await say('many', 'And soon.')).code).toBe(0);
    release();
    expect((await running.finished).code).toBe(0);
    expect(endpoint.countOf('This item alone.')).toBeGreaterThan(0);
    expect(endpoint.countOf('And soon.')).toBeGreaterThan(0);
  });

  it('is refused where nobody can hear it, and nothing is sent', async () => {
    hold();
    const running = project.start('run', 'two.yml', '--id', 'two', '--json');
    await Promise.all([isAsked('hold one'), isAsked('hold other')]);
    const refused = async (...args: Parameters<typeof say>) => {
      const { code, stderr } = await say(...args);
      return { code, stderr };
    };
    expect(await refused('two', 'hello')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one of `two/one`, `two/other`') as string,
    });
    expect(await refused('two/none', 'hello')).toMatchObject({ code: 2 });
    expect(await refused('two/other', 'hello')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('agents without tools are asked once') as string,
    });
    expect(await refused('two/one', ' ')).toMatchObject({ code: 2 });
    expect(await refused('two/one', 'x'.repeat(4_001))).toMatchObject({ code: 2 });
    release();
    expect((await running.finished).code).toBe(0);
    expect(await refused('two/one', 'hello')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has ended: success') as string,
    });
    expect(endpoint.countOf('hello')).toBe(0);
  });
});
