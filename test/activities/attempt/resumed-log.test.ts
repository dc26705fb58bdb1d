import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resumeLog } from '../../../src/activities/attempt/resumed-log.js';
import { isResultTold } from '../../../src/activities/turns/turn-log.js';
import type { LogLine } from '../../../src/store/logs/line.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Bench } from '../helpers/harness.js';
import { RUN, callModel, createBench, readLog } from '../helpers/harness.js';

const KEY = { ANTHROPIC_API_KEY: 'test-key' };

/** What a log has from workers that were lost: a note, or words of a model after `text:`. */
async function written(bench: Bench, lines: string[], path = 'step'): Promise<void> {
  const log = bench.store.openLog(RUN, path);
  for (const line of lines) log.write(line.startsWith('text:') ? 'text' : 'note', line.replace(/^text:/, ''));
  await log.close();
}

/** The log as `written` takes it. */
async function logOf(bench: Bench): Promise<string[]> {
  return (await readLog(bench)).map(({ stream, text }: LogLine) => (stream === 'text' ? `text:${text}` : text));
}

describe('a question whose worker was lost while the answer came', () => {
  async function asked(before: string[], call: { try: number; attempt: number }, answers: string[]): Promise<string[]> {
    const endpoint = await startModelEndpoint(answers.map((text) => ({ text })));
    onTestFinished(() => endpoint.close());
    const bench = await createBench({
      credentials: { ...KEY, ANTHROPIC_BASE_URL: endpoint.url },
      info: { attempt: call.attempt },
    });
    await written(bench, before);
    await callModel(bench, { call: { try: call.try }, ...(answers.length > 1 ? { schema: { type: 'integer' } } : {}) });
    return logOf(bench);
  }

  it('goes on in the log where it was', async () => {
    expect(await asked(['text:Line one.\n', 'text:Li'], { try: 1, attempt: 2 }, ['Line one.\nLine two.'])).toEqual([
      'text:Line one.\n',
      'text:Li',
      'try 1, started 2 times',
      'text:ne two.',
    ]);
  });

  it('says what another try has said once more', async () => {
    expect(await asked(['text:The answer.'], { try: 2, attempt: 1 }, ['The answer.'])).toEqual([
      'text:The answer.',
      'try 2',
      'text:The answer.',
    ]);
    expect(await asked(['text:The answer.'], { try: 2, attempt: 2 }, ['The answer.'])).toEqual([
      'text:The answer.',
      'try 2, started 2 times',
      'text:The answer.',
    ]);
  });

  it('finds its place behind a note that stands there', async () => {
    const again = 'asked again: The answer is no JSON.';
    const first = await asked([], { try: 1, attempt: 1 }, ['one', '1']);
    const note = first[1] ?? again;
    expect(first).toEqual(['text:one', note, 'text:1']);
    expect(await asked(['text:one', note], { try: 1, attempt: 2 }, ['one', '1'])).toEqual([
      'text:one',
      note,
      'try 1, started 2 times',
      'text:1',
    ]);
  });
});

describe('the log of a turn', () => {
  /** What an attempt leaves in a log that begins with these lines, when it says two notes and words. */
  async function resumed(
    before: string[],
    { tried = 1, attempt = 2, journalled = null as string | null } = {},
  ): Promise<{ log: string[]; said: string }> {
    const bench = await createBench();
    await written(bench, before);
    const temporal = new MockActivityEnvironment({ attempt });
    const said = await temporal.run(async (): Promise<string> => {
      const writer = bench.store.openLog(RUN, 'step');
      const {
        log,
        said: sayings,
        retell,
      } = await resumeLog(bench.store, writer, {
        root: { run: RUN, first: 'first', plan: 'sha256:0' },
        path: 'step',
        try: tried,
        note: 'turn 1',
      });
      if (journalled !== null) retell(journalled);
      const words = sayings();
      log.write('note', '→ 1.1 shell {}');
      log.write('note', '→ 1.2 shell {}');
      await writer.close();
      return words;
    });
    return { log: await logOf(bench), said };
  }
  const TOLD = ['turn 1', '→ 1.1 shell {}', '→ 1.2 shell {}'];

  it('begins with the turn', async () => {
    expect(await resumed([], { attempt: 1 })).toEqual({ log: TOLD, said: '' });
    expect(await resumed([])).toEqual({ log: TOLD, said: '' });
  });

  it('says after a crash only what is not there', async () => {
    expect(await resumed(['turn 1', 'text:Let me', 'text: look.', '→ 1.1 shell {}'])).toEqual({
      log: ['turn 1', 'text:Let me', 'text: look.', '→ 1.1 shell {}', '→ 1.2 shell {}'],
      said: 'Let me look.',
    });
    expect(await resumed(['turn 1', 'text:Let', 'try 1, started 2 times', 'text: me'])).toMatchObject({
      said: 'Let me',
    });
    expect(
      await resumed(['turn 1', 'text:Let', 'the model was asked again, and says something else', 'text:No']),
    ).toMatchObject({ said: 'No' });
  });

  it('says what the journal has and the log has not', async () => {
    expect((await resumed(['turn 1', 'text:Let'], { journalled: 'Let me.' })).log).toEqual([
      'turn 1',
      'text:Let',
      'text: me.',
      '→ 1.1 shell {}',
      '→ 1.2 shell {}',
    ]);
    expect((await resumed(['turn 1'], { journalled: 'Yes.' })).log.slice(0, 2)).toEqual(['turn 1', 'text:Yes.']);
    expect(await resumed(['turn 1', 'text:One.Tw'], { journalled: 'One.' })).toMatchObject({ said: 'Tw' });
  });

  it('takes the same turn of an earlier try, of a step that was sent back, for none of its own', async () => {
    const before = ['turn 1', 'text:Old.', '→ 1.1 shell {}', '→ 1.2 shell {}', 'turn 2', 'text:done'];
    expect(await resumed([...before, 'try 2', 'try 2, started 2 times'], { tried: 2 })).toEqual({
      log: [...before, 'try 2', 'try 2, started 2 times', ...TOLD],
      said: '',
    });
    expect(await resumed([...before, 'try 2', 'turn 1', 'text:New.', '→ 1.1 shell {}'], { tried: 2 })).toEqual({
      log: [...before, 'try 2', 'turn 1', 'text:New.', '→ 1.1 shell {}', '→ 1.2 shell {}'],
      said: 'New.',
    });
  });

  it('knows a result by its call, in the last turn of that number', async () => {
    const bench = await createBench();
    const isTold = (turn: number, call: number): Promise<boolean> =>
      isResultTold(bench.store, { run: RUN, path: 'step' }, { turn, call });
    await written(bench, ['turn 1', '← 1.1 shell: ok', 'turn 2', '← 2.12 shell: ok']);
    expect([await isTold(1, 0), await isTold(1, 1), await isTold(2, 0), await isTold(2, 11)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    await written(bench, ['try 2', 'turn 1']);
    expect(await isTold(1, 0)).toBe(false);
  });
});
