// A worker of its own process that kills itself with -9 at a point, by its number or the first of its name: `node
// agent-worker.mjs OPTIONS`, where OPTIONS is JSON {address, taskQueue, state, credentials, trace, killAt}. Points are
// every call to the server by which a worker writes history, before it is sent and after it was answered, and
// everything that it asks of its store and of the provider. They are put in from outside, through what activities are
// given; their names stand in the file `trace`, one a line.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import http2 from 'node:http2';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../dist/activities/create-activities.js';
import { openStore } from '../../dist/store/local-store.js';
import { createMadeCompiler, createMakers } from '../../dist/workers/worker/made-compiler.js';
import { workflowBundle } from '../../dist/workers/worker/create-worker.js';
import { WORKER_OPTIONS } from '../../dist/workers/worker/worker-options.js';

const { address, taskQueue, state, credentials, trace, killAt } = JSON.parse(process.argv[2]);
let passed = 0;

function point(name) {
  appendFileSync(trace, `${name}\n`);
  passed += 1;
  if (passed === killAt || name === killAt) process.kill(process.pid, 'SIGKILL');
}

/** What a worker writes into history; a poll is one where it brings a task. */
const WRITES = /\/(Respond(Workflow|Activity)Task(Completed|Failed))$/;
const POLLS = /\/(Poll(Workflow|Activity)TaskQueue)$/;
/** A message without content: its length and nothing else. */
const EMPTY = 5;

/** Stands between this worker and the server: calls pass through, at points of their own. */
async function openGateway() {
  const upstream = http2.connect(`http://${address}`);
  // The server is gone with the test.
  upstream.on('error', () => process.exit(1));
  const gateway = http2.createServer();
  gateway.on('session', (session) => session.on('error', () => undefined));
  gateway.on('stream', async (stream, headers) => {
    const path = headers[':path'];
    const [, write] = WRITES.exec(path) ?? [];
    const [, poll] = POLLS.exec(path) ?? [];
    const asked = await bytesOf(stream);
    if (write !== undefined) point(`${write} is not sent`);
    if (stream.destroyed) return;
    const call = upstream.request({ ...headers, ':authority': address });
    stream.on('close', () => call.close());
    call.on('error', () => stream.destroy());
    call.end(asked);
    let head = {};
    let trailers = null;
    call.on('response', (answered) => {
      head = answered;
    });
    call.on('trailers', (sent) => {
      trailers = sent;
    });
    const answer = await bytesOf(call);
    if (write !== undefined) point(`${write} is answered`);
    if (poll !== undefined && answer.length > EMPTY) point(`${poll} brings a task`);
    if (stream.destroyed) return;
    if (trailers === null) return stream.respond(head, { endStream: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.respond(head, { waitForTrailers: true });
    stream.end(answer);
  });
  await new Promise((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${gateway.address().port}`;
}

function bytesOf(stream) {
  return new Promise((resolve) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(Buffer.concat(chunks)));
    stream.on('end', () => resolve(Buffer.concat(chunks)));
  });
}

/** The store, with points before and after what must outlive this process. */
function pointing(store) {
  return {
    ...store,
    putAlways: async (value) => {
      const stored = await store.putAlways(value);
      point('a value is stored');
      return stored;
    },
    writeJournal: (key, entry) => pointingWrite(key, () => store.writeJournal(key, entry)),
    beginOnce: (key, entry) => pointingWrite(key, () => store.beginOnce(key, entry)),
    claimQuestion: async (key, request, signal) => {
      const { claim, ...taken } = await store.claimQuestion(key, request, signal);
      if (claim === undefined) return taken;
      return { claim: { ...claim, answer: (entry) => pointingWrite(key, () => claim.answer(entry)) } };
    },
  };
}

async function pointingWrite({ key }, write) {
  const [, , part, , ...rest] = /^\[/.test(key) ? JSON.parse(key) : [];
  // A step's single question has the number of its turn, 0, and how often it was asked.
  const what = part === 0 && rest.length === 0 && !key.startsWith('["made"') ? 'answer' : (part ?? 'result');
  point(`the journal lacks the ${what}`);
  const written = await write();
  point(`the journal holds the ${what}`);
  return written;
}

// What `undici` tells of the calls of models; Node's own client is not used for them.
subscribe('undici:request:create', () => {
  point('the provider is not asked');
});
subscribe('undici:request:headers', () => {
  point('the provider answers');
});

const store = pointing(await openStore(state));
const activities = Object.fromEntries(
  Object.entries(
    createActivities({
      store,
      credentials: () => credentials,
      compile: createMadeCompiler(store),
      ...createMakers(store),
    }),
  ).map(([name, act]) => [
    name,
    async (...args) => {
      point(`${name} begins`);
      const result = await act(...args);
      point(`${name} returns`);
      return result;
    },
  ]),
);
const connection = await NativeConnection.connect({ address: await openGateway() });
const worker = await Worker.create({
  ...WORKER_OPTIONS,
  connection,
  taskQueue,
  workflowBundle: { codePath: workflowBundle().codePath },
  activities,
});
process.once('SIGTERM', () => worker.shutdown());
await worker.run();
process.exit(0);
