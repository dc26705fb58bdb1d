import { expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../src/cli/session.js';
import { createTerminal } from '../../src/cli/terminal.js';
import { reachOf, THIS_MACHINE } from '../../src/web/access/reach.js';
import { servePages } from '../../src/web/serve.js';
import { newFolder } from '../cli/helpers/command-line.js';

it('pages give nothing to a service worker, which would have their port later, nor to a tool of an agent', async () => {
  const cwd = newFolder();
  const terminal = { ...createTerminal(cwd), env: { PATH: process.env['PATH'], HOME: cwd } };
  const session = await openSession(terminal, { taskQueue: null });
  const pages = await servePages({ session, reach: reachOf(THIS_MACHINE, cwd), terminal });
  onTestFinished(() => pages.close());
  const script = `${pages.listens}/assets/page.js`;
  expect((await fetch(script)).status).toBe(200);
  const refused = await fetch(script, { headers: { 'service-worker': 'script' } });
  expect({ status: refused.status, said: await refused.text() }).toEqual({
    status: 403,
    said: 'These pages run no service workers.',
  });
  // Nor does a tool: its agent could decide its own gate.
  expect((await fetch(script, { headers: { 'x-perdure-tool': '1' } })).status).toBe(421);
});
