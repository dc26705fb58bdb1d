import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StepOutput } from '../../../src/activities/contract.js';
import type { ToolStepCall } from '../../../src/plan/calls/tool-step-call.js';
import { createActivities } from '../../../src/activities/create-activities.js';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { ToolStep } from '../../../src/plan/step.js';
import type { BuiltinTool } from '../../../src/plan/tools/tool.js';
import type { Store } from '../../../src/store/store.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, inFull, literal } from '../helpers/harness.js';
import { beforeJournalWrites } from '../../store/helpers/journal-writes.js';

/** Makes the call of a tool step as the interpreter would; `store` is the one that its worker has. */
async function runTool(
  { store: kept, folder, temporal }: Bench,
  name: BuiltinTool,
  inputs: Record<string, Json>,
  { store = kept, ...more }: Partial<ToolStep> & { store?: Store } = {},
): Promise<StepOutput> {
  const step: ToolStep = {
    ...stepBase(0, { id: 'step' }),
    kind: 'tool',
    tool: { kind: 'builtin', name },
    permissions: permissionsFrom([], true),
    inputs: Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, literal(value)])),
    schema: null,
    ...more,
  };
  const made = plan([step]);
  await kept.putPlan(made);
  const call: ToolStepCall = {
    root: { run: 'test-run', first: 'first-run-id', plan: made.hash },
    nested: null,
    step: 0,
    path: 'step',
    try: 1,
    environment: {},
    workspace: folder,
  };
  const activities = createActivities({ store, credentials: () => ({}) });
  return inFull(
    { temporal },
    async (short) => {
      const came = await activities.runTool(short);
      if ('withheld' in came) throw new Error('The call was withheld');
      return came;
    },
    call,
  );
}

/** What a worker has that is lost between an effect and its journal: no result comes into it. */
function lostAfterEffect(store: Store): Store {
  return {
    ...store,
    ...beforeJournalWrites(store, (_key, entry) => {
      if (entry.response !== null) throw new Error('lost');
    }),
  };
}

describe('a call of a tool step whose worker was lost after its effect', () => {
  it.each([
    ['would make it once more', 'once', 'once and once'],
    ['would not find what it looks for', 'never', 'always'],
  ])('is not repeated for an edit that %s, and says so', async (_what, before, after) => {
    const bench = await createBench();
    await writeFile(join(bench.folder, 'a.txt'), before);
    const edit = { path: 'a.txt', old_text: before, new_text: after, all: true };
    await failureOf(runTool(bench, 'edit_file', edit, { store: lostAfterEffect(bench.store) }));
    expect(await readFile(join(bench.folder, 'a.txt'), 'utf8')).toBe(after);
    await expect(failureOf(runTool(bench, 'edit_file', edit))).resolves.toMatchObject({
      type: 'tool-failed',
      message: expect.stringContaining('it had begun when its worker was lost, and it was not repeated') as string,
    });
    expect(await readFile(join(bench.folder, 'a.txt'), 'utf8')).toBe(after);
  });

  it('is repeated for a file that is written whole', async () => {
    const bench = await createBench();
    const write = { path: 'a.txt', content: 'all of it' };
    await failureOf(runTool(bench, 'write_file', write, { store: lostAfterEffect(bench.store) }));
    expect(await runTool(bench, 'write_file', write)).toMatchObject({ output: { value: 'Replaced a.txt (9 bytes).' } });
  });
});

it('an edit that is in the journal gives what it gave, and is not made again', async () => {
  const bench = await createBench();
  await writeFile(join(bench.folder, 'a.txt'), 'once');
  const edit = { path: 'a.txt', old_text: 'once', new_text: 'once and once' };
  const first = await runTool(bench, 'edit_file', edit);
  expect(await runTool(bench, 'edit_file', edit)).toEqual(first);
  expect(await readFile(join(bench.folder, 'a.txt'), 'utf8')).toBe('once and once');
});

describe('a step of a tool that says how it went', () => {
  it('fails with what a program said that ended with another exit code than 0', async () => {
    const bench = await createBench();
    await expect(failureOf(runTool(bench, 'shell', { argv: ['ls', 'nowhere'] }))).resolves.toMatchObject({
      type: 'tool-failed',
      message: expect.stringMatching(/^exit 2: .*nowhere/) as string,
    });
  });

  it('lets its schema say which exit code is right', async () => {
    const bench = await createBench();
    const exits = (code: number): Promise<StepOutput> =>
      runTool(
        bench,
        'shell',
        { argv: ['ls', 'nowhere'] },
        {
          schema: { type: 'object', properties: { exit_code: { enum: [0, code] } } },
        },
      );
    expect(await exits(2)).toMatchObject({ output: { value: { exit_code: 2 } } });
    await expect(failureOf(exits(1))).resolves.toMatchObject({ type: 'answer-invalid' });
  });

  it.each([
    [204, null, null],
    [404, null, 'The server answered 404: no such thing'],
    [404, { type: 'object', properties: { status: { enum: [200, 404] } } }, null],
    [503, { type: 'object', required: ['status'] }, 'The server answered 503: no such thing'],
  ])(
    'that is answered with %i fails where its schema %j does not say that this is right',
    async (code, schema, says) => {
      const server = createServer((_, answer) => answer.writeHead(code).end(code === 204 ? '' : 'no such thing'));
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      onTestFinished(() => void server.close());
      const host = `localhost:${(server.address() as AddressInfo).port}`;
      const bench = await createBench();
      const asked = runTool(
        bench,
        'http_request',
        { url: `http://${host}/x` },
        {
          schema,
          permissions: permissionsFrom([{ network: [host] }], true),
        },
      );
      if (says === null) expect(await asked).toMatchObject({ output: { value: { status: code } } });
      else await expect(failureOf(asked)).resolves.toMatchObject({ type: 'tool-failed', message: says });
    },
  );

  it('notes what a tool that judges says against it', async () => {
    const bench = await createBench();
    const argv = ['node', '-e', 'process.exit(3)'];
    expect(
      await runTool(
        bench,
        'start_program',
        { argv },
        {
          permissions: permissionsFrom([{ commands: { workspace: ['node'] } }], true),
        },
      ),
    ).toMatchObject({ note: 'not ok: It ended with exit code 3.', output: { value: { ok: false } } });
  });
});
