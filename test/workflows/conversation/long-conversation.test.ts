import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { record } from '../../replay/record.js';
import { FULL } from '../../faults/seed.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { models, talking } from '../helpers/conversing.js';

/** Turns that call a tool; each adds this much to the transcript: five megabytes with `npm run test:full`. */
const TURNS = FULL ? 200 : 25;
const RESULT_BYTES = 25_000;
/** The server suggests to continue as new after so many events: some dozen turns. */
const SUGGESTED = FULL ? 800 : 120;
/** What one turn, its call and its answer may add to history (I7). */
const TURN_BYTES = 2_048;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' }, [
    '--dynamic-config-value',
    `limit.historyCount.suggestContinueAsNew=${SUGGESTED}`,
  ]);
});
afterAll(async () => {
  await harness.close();
});

type AnyRun = ReturnType<Harness['client']['workflow']['getHandle']>;

/** As `historyToJSON` writes it. */
interface StoredEvent {
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
}

interface Sent {
  id?: string;
  tool_use_id?: string;
}

/** What a request tells of the turns before it; its texts are not kept. */
interface Told {
  roles: string[];
  calls: (string | undefined)[];
  results: (string | undefined)[];
  bytes: number;
}

function digest(request: RecordedRequest): Told {
  const messages = request.body['messages'] as { role: string; content: string | Sent[] }[]; // Anthropic's form
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const told = {
    roles: messages.map(({ role }) => role),
    bytes: JSON.stringify(messages).length,
    calls: blocks.flatMap(({ id }) => (id === undefined ? [] : [id])),
    results: blocks.flatMap(({ tool_use_id }) => (tool_use_id === undefined ? [] : [tool_use_id])),
  };
  request.messages.splice(0);
  request.body = { stream: request.body['stream'] };
  return told;
}

/**
 * Bytes that each turn added to history, link by link: its part of what the server counts, from one question to the
 * next.
 */
async function turnsOf(handle: RunHandle): Promise<{ links: number; turns: number[] }> {
  const turns: number[] = [];
  let links = 0;
  for (let runId: string | null | undefined = handle.firstExecutionRunId; runId; links += 1) {
    const link: AnyRun = harness.client.workflow.getHandle(handle.workflowId, runId);
    const { raw } = await link.describe();
    const history = await link.fetchHistory();
    await record(`long-conversation-${links + 1}`, history);
    const { events } = JSON.parse(historyToJSON(history)) as { events: StoredEvent[] };
    const sizes = events.map((event) => JSON.stringify(event).length);
    const scale = Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0) / sizes.reduce((sum, size) => sum + size, 0);
    const questions = events.flatMap((event, index) =>
      event.activityTaskScheduledEventAttributes?.activityType.name === 'askTurn' ? [index] : [],
    );
    questions
      .slice(1)
      .forEach((question, index) =>
        turns.push(scale * sizes.slice(questions[index], question).reduce((sum, size) => sum + size, 0)),
      );
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return { links, turns };
}

describe(`a conversation of ${TURNS} turns and ${(TURNS * RESULT_BYTES) / 1_000_000} MB`, () => {
  it(
    'adds as few bytes to history at its last turn as at its first, and continues as new, which its agent does ' +
      'not notice',
    { timeout: FULL ? 1_200_000 : 300_000 },
    async () => {
      const told: Told[] = [];
      const endpoint = await startModelEndpoint((request): Answer => {
        told.push(digest(request));
        return told.length <= TURNS
          ? { tools: [{ name: 'read_file', input: { path: 'long.txt' } }] }
          : { text: 'done' };
      });
      const workspace = join(harness.folder, 'workspace');
      await mkdir(workspace);
      await writeFile(join(workspace, 'long.txt'), `${'x'.repeat(99)}\n`.repeat(RESULT_BYTES / 100));
      const handle = await harness.start(talking({ max_turns: TURNS + 1 }, { timeout_ms: 1_200_000 }), {
        settings: models(endpoint.url, workspace),
      });
      const outcome = await handle.result();
      await endpoint.close();
      expect(await harness.json(outcome.output)).toBe('done');

      // One conversation without a gap: every question tells all calls before it, and what each gave.
      expect(told).toHaveLength(TURNS + 1);
      told.forEach(({ roles, calls, results }, index) => {
        expect(roles).toEqual(['user', ...Array.from({ length: index }, () => ['assistant', 'user']).flat()]);
        expect(calls).toEqual(told.at(-1)?.calls.slice(0, index));
        expect(results).toEqual(calls);
      });
      expect(new Set(told.at(-1)?.calls).size).toBe(TURNS);

      const { links, turns } = await turnsOf(handle);
      expect(links).toBeGreaterThan(1);
      expect(Math.max(...turns)).toBeLessThanOrEqual(TURN_BYTES);
      // A turn during which the machine was busy may have a workflow task more.
      expect(Math.min(...turns.slice(-5))).toBeLessThan(1.1 * Math.min(...turns.slice(0, 5)));
    },
  );
});
