import { describe, expect, it } from 'vitest';
import { forecastReuse } from '../../../src/activities/rerun/forecast.js';
import { PROGRAMS, programKey } from '../../../src/plan/agents/program.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { isStored } from '../../../src/plan/values/value.js';
import { failureOf, read, readLog } from '../../activities/helpers/harness.js';
import { KEY, MODELS, drawn, openPrograms, playStep, programCall } from './bench.js';

/** What the endpoint's one answer costs by the price of the bench, in US dollars. */
const COST: Record<ProgramName, number> = {
  claude: (80 * 5 + 20 * 0.5 + 7 * 25) / 1e6,
  codex: (80 * 5 + 20 * 0.5 + 7 * 25) / 1e6,
  gemini: (80 * 5 + 20 * 0.5 + 10 * 25) / 1e6,
};
const TOKENS: Record<ProgramName, number> = { claude: 107, codex: 107, gemini: 110 };

describe.each(PROGRAMS)('%s', (program) => {
  it('plays a step: its answer is the output, its usage is the spend, its text is in the log', async () => {
    const bench = await openPrograms(() => ({ text: 'All is well.' }));
    const result = await playStep(bench, program, {
      prompt: 'How are things?',
      agentFields: { prompt: { kind: 'literal', value: 'You are an optimist.' } },
    });
    expect(await read(bench, result.output)).toBe('All is well.');
    expect(result.spend.tokens).toBe(TOKENS[program]);
    expect(result.spend.usd).toBeCloseTo(COST[program], 9);
    expect(result.note).toContain(program);
    expect(bench.endpoint.requests[0]?.text).toContain('How are things?');
    expect(bench.endpoint.requests[0]?.text).toContain('You are an optimist.');
    expect(bench.endpoint.requests[0]?.text ?? bench.endpoint.url).toContain(
      program === 'gemini' ? 'contents' : MODELS[program],
    );
    const log = await readLog(bench);
    expect(
      log
        .filter(({ stream }) => stream === 'text')
        .map(({ text }) => text)
        .join('')
        .trim(),
    ).toBe('All is well.');
    expect(JSON.stringify(log)).not.toContain(KEY);
    // The same call again, as after a worker that was lost once the answer was there.
    const again = await playStep(bench, program, {
      prompt: 'How are things?',
      agentFields: { prompt: { kind: 'literal', value: 'You are an optimist.' } },
    });
    expect(again.output).toEqual(result.output);
    expect(bench.endpoint.requests).toHaveLength(1);
  });
});

describe.each(drawn('refusals'))('%s', (program) => {
  it('is refused its key: the failure says so and is final', async () => {
    const bench = await openPrograms(() => ({ status: 401, message: 'no such key' }));
    const failure = await failureOf(playStep(bench, program));
    expect(failure).toMatchObject({ type: 'key-refused', nonRetryable: true });
    expect(failure.message).not.toContain(KEY);
  });

  it('has neither a key nor a login: the failure says how it gets one, and nobody was asked', async () => {
    const bench = await openPrograms(() => ({ text: 'Hello.' }), { keys: false });
    const failure = await failureOf(playStep(bench, program));
    expect(failure).toMatchObject({
      type: 'signed-out',
      nonRetryable: true,
      message: expect.stringMatching(/has neither a key nor a login here.* Set \w+_API_KEY/s) as string,
    });
    expect(bench.endpoint.requests).toHaveLength(0);
  });

  it('is told to come back later: Temporal tries again, and the program with it', async () => {
    let refuse = true;
    const bench = await openPrograms(() =>
      refuse ? { status: 429, headers: { 'retry-after': '1' } } : { text: 'Now.' },
    );
    expect(await failureOf(playStep(bench, program))).toMatchObject({ type: 'rate-limited', nonRetryable: false });
    refuse = false;
    expect(await read(bench, (await playStep(bench, program)).output)).toBe('Now.');
    expect(bench.endpoint.requests.at(-1)?.text).toContain('Look at it.');
  });

  it('answers by the schema, and is told what is wrong where it does not', async () => {
    const schema = {
      type: 'object',
      properties: { verdict: { enum: ['good', 'bad'] } },
      required: ['verdict'],
      additionalProperties: false,
    };
    const bench = await openPrograms(({ call }) => {
      const verdict = call === 1 ? 'splendid' : 'good';
      // Claude Code has its model call a tool with the answer, and checks that itself.
      return program === 'claude'
        ? { tool: 'StructuredOutput', input: { verdict } }
        : { text: JSON.stringify({ verdict }) };
    });
    expect(await read(bench, (await playStep(bench, program, { schema })).output)).toEqual({ verdict: 'good' });
    expect(bench.endpoint.requests).toHaveLength(2);
  });
});

describe.each(drawn('sessions'))('%s', (program) => {
  it('is told the session that its run goes on with', async () => {
    const bench = await openPrograms(() => ({ text: 'As I said.' }));
    const context = await bench.store.put({
      nonce: '0123456789abcdef',
      blocks: [
        { source: 'session:task-00000001', trusted: false, text: `user: Remember the lighthouse.${' '.repeat(600)}` },
      ],
      session: 'task-00000001',
      agents_md: null,
    });
    if (!isStored(context)) throw new Error('such a context is stored');
    await playStep(bench, program, { call: { context: context.ref } });
    expect(bench.endpoint.requests[0]?.text).toContain('Remember the lighthouse.');
    expect(bench.endpoint.requests[0]?.text).toContain('session:task-00000001');
  });

  it('is foretold to be reused by a rerun, as long as nothing of its task changes', async () => {
    const bench = await openPrograms(() => ({ text: 'Well.' }));
    await playStep(bench, program);
    const {
      root: { plan },
      program: choice,
      workspace,
    } = await programCall(bench, program);
    const settings: RunSettings = {
      models: {},
      rehearsal: false,
      submitted_by: 'tester',
      gates: 'ask',
      search_attributes: false,
      budget: DEFAULT_BUDGETS,
      programs: { choices: { [programKey(program, '')]: choice } },
      workspace,
      caller: workspace,
      reuse: { run: 'test-run', from: 'first-run-id', fresh: [], done: null, changed: false },
    };
    const foretold = async (more: Partial<RunSettings> = {}) =>
      forecastReuse({
        store: bench.store,
        plan: await bench.store.getPlan(plan),
        input: {},
        settings: { ...settings, ...more },
      });
    expect(await foretold()).toEqual([{ path: 'step', action: 'reuse' }]);
    expect(
      await foretold({ reuse: { run: 'test-run', from: 'first-run-id', fresh: [], done: null, changed: true } }),
    ).toEqual([{ path: 'step', action: 'run' }]);
  });
});
