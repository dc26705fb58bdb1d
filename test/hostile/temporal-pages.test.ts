// @seconds 15
import { get } from 'node:http';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchWeb } from '../../src/activities/tools/web/fetch.js';
import { DECIDE } from '../../src/plan/names.js';
import { NO_PERMISSIONS } from '../plan/helpers/build-plan.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const LISTENS = '0A';

let project: Project;
let places: Place[];
let uiPort: number;

/** Where somebody listens. */
interface Place {
  address: string;
  port: number;
}

/** All places where a process listens. */
async function placesOf(pid: number): Promise<Place[]> {
  const folder = `/proc/${String(pid)}/fd`;
  const open = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return sockets.flatMap(([, local = '', , state, , , , , , inode = '']) =>
    state === LISTENS && open.includes(`socket:[${inode}]`) ? [placeOf(local)] : [],
  );
}

/** `0100007F:2029` is port 8233 of 127.0.0.1: this machine's byte order is that of x86 and ARM. */
function placeOf(local: string): Place {
  const [address = '', port = ''] = local.split(':');
  const bytes = (address.match(/../g) ?? []).reverse().map((byte) => parseInt(byte, 16));
  return { address: bytes.join('.'), port: parseInt(port, 16) };
}

/** What a port of 127.0.0.1 answers to a browser that was led there by a name. */
function statusAt(port: number, host: string, path: string): Promise<number> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });
}

/** What a browser sends for a page of another origin without asking before: no header says JSON. */
async function post({ address, port }: Place, path: string, body: object): Promise<number | null> {
  const headers = { 'content-type': 'text/plain', origin: 'http://page.example' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://${address}:${String(port)}/api/v1/namespaces/default/${path}`, init).catch(
    () => null,
  );
  return response?.status ?? null;
}

beforeAll(async () => {
  project = await openProject({ 'gated.yml': 'name: gated\nsteps:\n  - {id: ok, approval: "Save this?"}\n' });
  expect((await project.run('run', 'gated.yml', '--id', 'gated', '--no-wait')).code).toBe(4);
  const { server, host } = await project.pids();
  uiPort = Number(/Web UI +http:\/\/127\.0\.0\.1:(\d+)/.exec((await project.run('server', 'status')).stdout)?.[1]);
  places = [...(await placesOf(server ?? 0)), ...(await placesOf(host ?? 0))];
  expect(places.length).toBeGreaterThan(3);
});
afterAll(() => project.close());

describe('a page of another origin in a browser of this machine', () => {
  it('decides no gate at any port of the server or the host', async () => {
    const [gate] = JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as { hash: string }[];
    const decision = { gate: 'ok', hash: gate?.hash, decision: 'approve', by: 'page' };
    for (const place of places) {
      expect(await post(place, `workflows/gated/signal/${DECIDE}`, { input: [decision] })).not.toBe(200);
      expect(await post(place, 'workflows/gated/terminate', {})).not.toBe(200);
    }
    expect(JSON.parse((await project.run('list', '--waiting', '--json')).stdout)).toHaveLength(1);
  });

  it('is not the Web UI under a name of its own that it has made mean this machine', async () => {
    const path = '/api/v1/namespaces/default/workflows';
    for (const { port } of places)
      expect(await statusAt(port, `page.example:${String(port)}`, path), String(port)).not.toBe(200);
    expect(await statusAt(uiPort, `page.example:${String(uiPort)}`, '/')).toBe(403);
    // People see it as ever, also through a tunnel.
    for (const host of [`127.0.0.1:${String(uiPort)}`, `localhost:${String(uiPort)}`, 'localhost:9000'])
      expect(await statusAt(uiPort, host, path), host).toBe(200);
    // The UI itself is where no page finds it.
    const ui = places.filter(({ port }) => port === uiPort).map(({ address }) => address);
    expect(ui).toHaveLength(2);
    expect(ui.filter((address) => address !== '127.0.0.1')).toEqual([
      expect.stringMatching(/^127\.\d+\.\d+\.\d+$/) as string,
    ]);
  });
});

describe('a tool of an agent', () => {
  it('decides no gate at any port of the server or the host, though its permissions name the port', async () => {
    const [gate] = JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as { hash: string }[];
    const decision = { gate: 'ok', hash: gate?.hash, decision: 'approve', by: 'tool' };
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const payload = { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(decision)) };
    // As much as the UI asks of its own pages: a cookie, and a header with the same in it.
    const headers = { cookie: '_csrf=a', 'x-csrf-token': 'a' };
    const asked = { method: 'POST', headers, body: JSON.stringify({ input: { payloads: [payload] } }) };
    const path = `/api/v1/namespaces/default/workflows/gated/signal/${DECIDE}`;
    const answered: [number, string][] = [];
    for (const { port } of places) {
      const url = `http://localhost:${String(port)}${path}`;
      const permissions = { ...NO_PERMISSIONS, network: [`localhost:${String(port)}`] };
      const said = await fetchWeb({ ...asked, url }, permissions, AbortSignal.timeout(60_000)).then(
        ({ status, body }) => `${String(status)} ${body}`,
        String,
      );
      expect(said, String(port)).not.toMatch(/^2/);
      answered.push([port, said]);
    }
    expect(answered).toContainEqual([uiPort, expect.stringContaining('403 Requests of tools are not served here')]);
    expect(JSON.parse((await project.run('list', '--waiting', '--json')).stdout)).toHaveLength(1);
  });
});
