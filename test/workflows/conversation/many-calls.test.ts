// @seconds 15
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { MOST_CALLS } from '../../../src/plan/agents/conversation.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';
import { models, talking } from '../helpers/conversing.js';

/** The server suggests to continue as new after so many events. */
const FEW = 40;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' }, [
    '--dynamic-config-value',
    `limit.historyCount.suggestContinueAsNew=${FEW}`,
  ]);
});
afterAll(async () => {
  await harness.close();
});

describe('a turn that asks for a thousand calls', () => {
  it('makes a hundred of them in links of a few, and its model hears of the others', { timeout: 300_000 }, async () => {
    const asked = 1_000;
    const told: RecordedRequest[] = [];
    const endpoint = await startModelEndpoint((request): Answer => {
      told.push(request);
      return told.length === 1
        ? {
            tools: Array.from({ length: asked }, () => ({
              name: 'write_file',
              input: { path: 'short.txt', content: 'here' },
            })),
          }
        : { text: 'done' };
    });
    const workspace = join(harness.folder, 'wide');
    await mkdir(workspace);
    await writeFile(join(workspace, 'short.txt'), 'here');
    const handle = await harness.start(talking({}, { timeout_ms: 1_200_000 }), {
      settings: models(endpoint.url, workspace),
    });
    const outcome = await handle.result();
    await endpoint.close();
    expect([outcome.status, await harness.json(outcome.output), told.length]).toEqual(['success', 'done', 2]);
    const { last } = told[1]!.results; // it was asked twice
    expect(last.filter(({ is_error }) => !is_error)).toHaveLength(MOST_CALLS);
    expect(last.filter(({ is_error }) => is_error).map(({ text }) => text)).toEqual(
      Array.from(
        { length: asked - MOST_CALLS },
        (_, index) =>
          `The call was not made: a turn may ask for ${MOST_CALLS} calls, and this one is its number ` +
          `${MOST_CALLS + index + 1}. Ask for it in the next turn.`,
      ),
    );
    const links = await linksOf(harness, handle);
    expect(links.length).toBeGreaterThan(1);
    // What was in flight when it was long enough.
    expect(Math.max(...links.map(({ events }) => events))).toBeLessThan(FEW + 60);
  });
});
