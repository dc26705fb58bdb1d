import { mkdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Notice, NotifySettings } from '../../../src/plan/gates/notice.js';
import { NOTICE_EVENTS } from '../../../src/plan/gates/notice.js';
import type { Template } from '../../../src/plan/values/expression.js';
import { inline } from '../../../src/plan/values/value.js';
import { until } from '../../faults/project.js';
import { after, body, commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { People } from '../helpers/gate-setting.js';
import { approval, createPeople } from '../helpers/gate-setting.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
let people: People;
beforeAll(async () => {
  harness = await openHarness();
  people = createPeople(harness);
});
afterAll(() => harness.close());

/** Tells a file: a line for each notice. */
const toFile = (name: string, on = [...NOTICE_EVENTS]): NotifySettings => ({
  on,
  command: ['sh', '-c', `{ cat; echo; } >> ${join(harness.folder, name)}`],
});
const told = (name: string, count: number): Promise<Notice[]> =>
  until(async () => {
    const lines = (await readFile(join(harness.folder, name), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '');
    return lines.length >= count && lines.map((line) => JSON.parse(line) as Notice);
  });
/** The workflows that tell of a run, once all have ended. */
const tellers = (handle: RunHandle, count: number): Promise<string[]> =>
  until(async () => {
    const found: string[] = [];
    for await (const { workflowId, status } of harness.client.workflow.list({
      query: "WorkflowType = 'perdureNotice'",
    }))
      if (workflowId.startsWith(handle.workflowId)) found.push(status.name);
    return found.length === count && !found.includes('RUNNING') && found;
  });

const names = (...value: string[]): Template => ({ kind: 'literal', value });

describe('notify', () => {
  it('tells once of each gate that waits, of a nested run too, and of the end', async () => {
    const asking = body([approval(0, { id: 'ok' })], { name: 'asking' });
    const nested = {
      ...stepBase(1, { id: 'inner', needs: needs(0) }),
      kind: 'workflow' as const,
      workflow: 'asking',
      plan: 'sha256:asking' as const,
      inputs: {},
    };
    const ship = commandStep(2, ['true'], { id: 'ship', needs: needs(1), effect: 'external' });
    const handle = await harness.start(
      plan([approval(0, { id: 'first' }), nested, ship], { nested: { 'sha256:asking': asking } }),
      { settings: { notify: toFile('told') } },
    );
    const run = handle.workflowId;
    const [first] = await told('told', 1);
    expect(first).toMatchObject({
      event: 'waiting',
      run,
      gate: `${run}/first`,
      message: 'Save this?',
      submitted_by: 'tester',
      command: `perdure approve ${run}/first`,
      hash: (await people.gate(run)).hash,
    });
    await people.say(run, 'ana');
    await told('told', 2);
    await people.decide(`${run}/inner`, {
      gate: 'inner/ok',
      decision: 'approve',
      hash: (await people.gate(`${run}/inner`)).hash,
      by: 'ana',
    });
    await handle.result();
    const notices = await told('told', 3);
    expect(notices.map(({ event, run: root, command }) => [event, root, command])).toEqual([
      ['waiting', run, `perdure approve ${run}/first`],
      ['waiting', run, `perdure approve ${run}/inner/ok`],
      ['ended', run, `perdure show ${run}`],
    ]);
    expect(notices.slice(0, 2).map((notice) => 'follows' in notice && notice.follows)).toEqual([
      { steps: 3, external: ['ship'] },
      { steps: 1, external: ['ship'] },
    ]);
    expect(notices[2]).toMatchObject({ status: 'success', error: null, steps: 3 });
    expect(await tellers(handle, 3)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  });

  it('tells again when people are reminded, and when others may decide as well', async () => {
    const asked = { approvers: names('ana'), reminder_ms: 1_000, escalate: { after_ms: 2_500, to: names('dan') } };
    const handle = await harness.start(plan([approval(0, { id: 'ok', rules: asked })]), {
      settings: { notify: toFile('reminded') },
    });
    // Each is told by itself, so they come in any order; how many reminders there are by then is a matter of time.
    await until(async () => {
      const facts = (await told('reminded', 3)).map(
        (one) => one.event === 'waiting' && [(one.reminders ?? 0) > 0, one.escalated, one.approvers],
      );
      const wanted = [
        [false, undefined, ['ana']],
        [true, undefined, ['ana']],
        [true, ['dan'], ['ana', 'dan']],
      ];
      return wanted.every((one) => facts.some((fact) => JSON.stringify(fact) === JSON.stringify(one)))
        ? true
        : undefined;
    });
    await people.say(handle.workflowId, 'dan');
    await handle.result();
  });

  it('tells of a limit that pauses the run, and of a run that is cancelled', async () => {
    const handle = await harness.start(
      plan([commandStep(0, ['true']), commandStep(1, ['true'], { needs: after(0) })]),
      { lease: { steps: 1 }, settings: { on_exhausted: { max_steps: 'pause' }, notify: toFile('paused') } },
    );
    expect(await told('paused', 1)).toMatchObject([
      {
        event: 'paused',
        limit: 'max_steps',
        paused: handle.workflowId,
        command: `perdure budget ${handle.workflowId}`,
      },
    ]);
    await handle.cancel();
    expect((await told('paused', 2))[1]).toMatchObject({ event: 'ended', status: 'cancelled' });
  });

  it('offers no decision to copy where there are several, and tells of a run that breaks off', async () => {
    const handle = await harness.start(plan([approval(0, { options: ['ship', 'hold'] })]), {
      settings: { notify: toFile('broken') },
    });
    expect(await told('broken', 1)).toMatchObject([
      { event: 'waiting', options: ['ship', 'hold'], command: `perdure watch ${handle.workflowId}` },
    ]);
    // The record of a run cannot be written where a folder has its name.
    await mkdir(join(harness.folder, 'state', 'runs', `${handle.workflowId}.json`), { recursive: true });
    await people.say(handle.workflowId, 'ana', { decision: 'answer', value: inline('ship') });
    await expect(handle.result()).rejects.toThrow();
    expect((await told('broken', 2))[1]).toMatchObject({
      event: 'ended',
      status: 'error',
      error: expect.stringContaining('Cannot') as string,
    });
  });

  it('tells only what is wanted, and posts again what a webhook did not take', async () => {
    const posted: Notice[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        posted.push(JSON.parse(text) as Notice);
        response.writeHead(posted.length === 1 ? 503 : 204).end();
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
    const handle = await harness.start(plan([approval(0, { default: 'approve', deadline_ms: 50 })]), {
      settings: { notify: { ...toFile('both', ['ended']), webhook } },
    });
    await handle.result();
    expect(await tellers(handle, 1)).toEqual(['COMPLETED']);
    server.close();
    expect(posted.map(({ event }) => event)).toEqual(['ended', 'ended']);
    expect(await told('both', 1)).toHaveLength(1);
    const { lines } = await harness.store.readLog(handle.workflowId, '.notify', 0);
    expect(lines.map(({ text }) => text)).toEqual(['notice `ended`, try 1: the webhook answered with status 503\n']);
  });

  it('that goes nowhere fails no run; the log says why, without the address', async () => {
    const notify: NotifySettings = { on: ['ended'], command: ['no-such-program'], webhook: '${env.NOT_SET}' };
    const handle = await harness.start(plan([commandStep(0, ['true'])]), { settings: { notify } });
    expect((await handle.result()).status).toBe('success');
    expect(await tellers(handle, 1)).toEqual(['FAILED']);
    const { lines } = await harness.store.readLog(handle.workflowId, '.notify', 0);
    expect(lines.map(({ text }) => text).sort()).toEqual([
      expect.stringContaining('Cannot find the program `no-such-program`') as string,
      expect.stringContaining('expected the variable of `${env.NOT_SET}` to hold an http or https address') as string,
    ]);
  });
});
