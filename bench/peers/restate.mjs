// Restate: its server from the registry, one service, called over HTTP. Its log syncs.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as restate from '@restatedev/restate-sdk';
import { ACTS, perform, serve } from './work.mjs';

// The SDK calls it, and Node 20 does not have it.
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
};

const [ingress, admin, node, own] = await Promise.all(Array.from({ length: 4 }, freePort));
const folder = process.env.BENCH_PEER;
const server = spawn(program(), ['--no-logo', '--listen-mode', 'tcp', '--base-dir', join(folder, 'restate')], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    PATH: process.env.PATH,
    RESTATE_NODE_NAME: 'bench',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(node),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: 'error',
  },
});
process.once('exit', () => server.kill('SIGKILL'));

const bench = restate.service({
  name: 'bench',
  handlers: {
    run: (context, job) =>
      perform(
        job,
        (act, args) => context.run(act, () => ACTS[act](...args)),
        (waiting) => restate.RestatePromise.all(waiting),
      ),
  },
});
await restate.serve({ services: [bench], port: own });
await answered(() => post(admin, 'deployments', { uri: `http://127.0.0.1:${own}` }));
await answered(() => post(ingress, 'bench/run', { work: 'commands', steps: 1 }));

serve((job) => post(ingress, 'bench/run', job));

async function post(port, path, body) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return text;
}

/** Until the server is up. */
async function answered(ask) {
  for (let again = 0; ; again++) {
    try {
      return await ask();
    } catch (error) {
      if (again === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The binary of this platform, which the registry's package depends on. */
function program() {
  return createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
