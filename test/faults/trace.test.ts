// @seconds 60
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OtlpReceiver, ReceivedSpan } from '../fakes/otlp-receiver.js';
import { startOtlpReceiver } from '../fakes/otlp-receiver.js';
import { until } from './project.js';
import type { TracedProject } from './traced-run.js';
import { AROUND, openTracedProject, TREE, treeOf } from './traced-run.js';

let receiver: OtlpReceiver;
let traced: TracedProject;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  traced = await openTracedProject(receiver.url);
});
afterAll(async () => {
  await traced.close();
  await receiver.close();
});

function spanOf(name: string): ReceivedSpan {
  const found = receiver.spans.filter((span) => span.name === name);
  const [span] = found;
  if (span === undefined || found.length > 1) throw new Error(`${String(found.length)} spans are named ${name}`);
  return span;
}

describe('the trace of a run whose host is killed three times', () => {
  it('arrives whole, as one, with no span twice', async () => {
    const { code, stderr } = await traced.runOverKills();
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    await until(() => receiver.spans.length >= TREE.length);
    const { spans } = receiver;
    expect(treeOf(spans)).toEqual(TREE);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([AROUND.trace]));
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
    const said = (await traced.project.run('show', 'traced', '--json')).stdout;
    for (const name of ['command outer', 'command inner'])
      expect(said).toContain(`00-${AROUND.trace}-${spanOf(name).spanId}-01`);
    const log = await readFile(join(traced.project.folder, 'mcp.log'), 'utf8');
    expect(log).toContain(`traceparent 00-${AROUND.trace}-${spanOf('execute_tool notes__echo').spanId}-01`);
  });
});
