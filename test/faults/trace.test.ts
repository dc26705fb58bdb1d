// @seconds 60
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { OtlpReceiver, ReceivedSpan } from '../fakes/otlp-receiver.js';
import { startOtlpReceiver } from '../fakes/otlp-receiver.js';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';

const SERVER = fileURLToPath(new URL('../fakes/mcp-server.mjs', import.meta.url));
/** The trace of whoever starts the run. */
const AROUND = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

/** Says that it began, waits for a word, and says which trace it is part of. */
const waiting = (name: string): string =>
  `[sh, -c, 'echo >> ${name}.begun; while [ ! -e ${name}.go ]; do sleep 0.02; done; printf %s "$TRACEPARENT"']`;

const FILES = {
  'perdure.yml': `mcp:\n  notes: {command: [${process.execPath}, ${SERVER}, .]}\n`,
  'definitions/agents/speaker.yml': 'name: speaker\nprompt: You repeat.\ntools: [notes__echo]\n',
  'definitions/workflows/below.yml': `name: below\nsteps:\n  - id: inner\n    command: ${waiting('inner')}\n`,
  'definitions/workflows/traced.yml': `name: traced
steps:
  - id: talk
    agent: speaker
    prompt: Repeat the word.
  - id: outer
    command: ${waiting('outer')}
  - id: nested
    workflow: below
  - id: each
    foreach: [a, b]
    steps:
      - id: quick
        command: [printf, "%s", "\${item}"]
        timeout: 5s
`,
};

let endpoint: ModelEndpoint;
let receiver: OtlpReceiver;
let project: Project;
let answer = (): void => undefined;
beforeAll(async () => {
  const said = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  endpoint = await startModelEndpoint(({ results: { count } }) => {
    if (count > 0) return { text: 'the word', usage: { input: 40, output: 2 } };
    asked += 1;
    // The first question is answered to nobody: its worker is killed meanwhile.
    if (asked === 1) return { text: '', until: said, rest: 'too late' };
    return { tools: [{ name: 'notes__echo', input: { text: 'word' } }], usage: { input: 20, output: 8 } };
  });
  receiver = await startOtlpReceiver();
  project = await openProject(FILES, {
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: endpoint.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    TRACEPARENT: `00-${AROUND.trace}-${AROUND.span}-01`,
  });
});
afterAll(async () => {
  answer();
  await project.close();
  await endpoint.close();
  await receiver.close();
});

const file = (name: string): string => join(project.folder, name);
const begun = async (name: string): Promise<number> =>
  existsSync(file(`${name}.begun`)) ? (await readFile(file(`${name}.begun`), 'utf8')).length : 0;

async function killHost(): Promise<void> {
  const { host } = await project.pids();
  if (host === null) throw new Error('no host runs');
  kill(host);
}

function spanOf(name: string): ReceivedSpan {
  const found = receiver.spans.filter((span) => span.name === name);
  const [span] = found;
  if (span === undefined || found.length > 1) throw new Error(`${String(found.length)} spans are named ${name}`);
  return span;
}

describe('the trace of a run whose host is killed three times', () => {
  it('arrives whole, as one, with no span twice', async () => {
    const running = project.start('run', 'definitions/workflows/traced.yml', '--id', 'traced');
    let ended = false;
    void running.finished.then(() => (ended = true));
    const sees = (what: () => Promise<boolean> | boolean): Promise<true> =>
      until(async () => {
        if (ended) throw new Error(`it ended before its time: ${(await running.finished).stderr}`);
        return await what();
      });
    await sees(() => endpoint.requests.length > 0);
    await killHost();
    await sees(async () => (await begun('outer')) > 0);
    await killHost();
    await sees(async () => (await begun('outer')) > 1);
    await writeFile(file('outer.go'), '');
    await sees(async () => (await begun('inner')) > 0);
    await killHost();
    await sees(async () => (await begun('inner')) > 1);
    await writeFile(file('inner.go'), '');
    const { code, stderr } = await running.finished;
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    await until(() => receiver.spans.some(({ name }) => name === 'invoke_workflow traced'));

    const { spans } = receiver;
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([AROUND.trace]));
    const tree = spans.map(({ name, parentSpanId }) => [
      name,
      spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId,
    ]);
    expect(tree.map((pair) => pair.join(' < ')).sort()).toEqual(
      [
        `invoke_workflow traced < ${AROUND.span}`,
        'invoke_agent speaker < invoke_workflow traced',
        'turn 1 < invoke_agent speaker',
        expect.stringMatching(/^chat claude-\S+ < turn 1$/),
        'execute_tool notes__echo < turn 1',
        'turn 2 < invoke_agent speaker',
        expect.stringMatching(/^chat claude-\S+ < turn 2$/),
        'command outer < invoke_workflow traced',
        'workflow nested < invoke_workflow traced',
        'invoke_workflow below < workflow nested',
        'command inner < invoke_workflow below',
        'foreach each < invoke_workflow traced',
        'round 1 < foreach each',
        'round 2 < foreach each',
        'command quick < round 1',
        'command quick < round 2',
      ].sort((one, other) => (String(one) < String(other) ? -1 : 1)),
    );
  });
});

describe('what a trace tells', () => {
  it('is in the words of the conventions for generative AI, with tokens and cost, and without what was said', () => {
    expect(spanOf('invoke_agent speaker').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'speaker',
      'perdure.tokens': 70,
      'perdure.cost.usd': expect.any(Number) as number,
    });
    const chats = receiver.spans.filter(({ name }) => name.startsWith('chat '));
    expect(chats.map(({ attributes }) => attributes['gen_ai.usage.input_tokens']).sort()).toEqual([20, 40]);
    for (const { attributes, kind } of chats) {
      expect(kind).toBe(3);
      expect(attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' });
    }
    expect(spanOf('execute_tool notes__echo').attributes).toMatchObject({ 'gen_ai.tool.name': 'notes__echo' });
    expect(spanOf('invoke_workflow traced').resource).toMatchObject({
      'service.name': 'perdure',
      'deployment.environment.name': 'test',
    });
    expect(JSON.stringify(receiver.spans)).not.toContain('the word');
  });

  it('encloses in time what it encloses', () => {
    for (const { name, start, end, parentSpanId } of receiver.spans) {
      const above = receiver.spans.find(({ spanId }) => spanId === parentSpanId);
      expect({ name, isForward: end >= start }).toEqual({ name, isForward: true });
      if (above !== undefined)
        expect({ name, isWithin: above.start <= start && above.end >= end }).toEqual({ name, isWithin: true });
    }
  });

  it('is what commands and servers of tools are told of it', async () => {
    const said = (await project.run('show', 'traced', '--json')).stdout;
    for (const name of ['command outer', 'command inner'])
      expect(said).toContain(`00-${AROUND.trace}-${spanOf(name).spanId}-01`);
    const log = await readFile(file('mcp.log'), 'utf8');
    expect(log).toContain(`traceparent 00-${AROUND.trace}-${spanOf('execute_tool notes__echo').spanId}-01`);
  });
});
