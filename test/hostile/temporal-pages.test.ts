// @seconds 15
import { readdir, readFile, readlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DECIDE } from '../../src/plan/names.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const LISTENS = '0A';

let project: Project;
let ports: number[];

/** All ports that a process listens at. */
async function portsOf(pid: number): Promise<number[]> {
  const folder = `/proc/${String(pid)}/fd`;
  const open = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return sockets.flatMap(([, local = '', , state, , , , , , inode = '']) =>
    state === LISTENS && open.includes(`socket:[${inode}]`) ? [parseInt(local.split(':')[1] ?? '', 16)] : [],
  );
}

/** What a browser sends for a page of another origin without asking before: no header says JSON. */
async function post(port: number, path: string, body: object): Promise<number | null> {
  const headers = { 'content-type': 'text/plain', origin: 'http://page.example' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${String(port)}/api/v1/namespaces/default/${path}`, init).catch(
    () => null,
  );
  return response?.status ?? null;
}

beforeAll(async () => {
  project = await openProject({ 'gated.yml': 'name: gated\nsteps:\n  - {id: ok, approval: "Save this?"}\n' });
  expect((await project.run('run', 'gated.yml', '--id', 'gated', '--no-wait')).code).toBe(4);
  ports = await portsOf((await project.pids()).server ?? 0);
  expect(ports.length).toBeGreaterThan(1);
});
afterAll(() => project.close());

describe('a page of another origin in a browser of this machine', () => {
  it('decides no gate at any port of the server', async () => {
    const [gate] = JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as { hash: string }[];
    const decision = { gate: 'ok', hash: gate?.hash, decision: 'approve', by: 'page' };
    for (const port of ports) {
      expect(await post(port, `workflows/gated/signal/${DECIDE}`, { input: [decision] })).not.toBe(200);
      expect(await post(port, 'workflows/gated/terminate', {})).not.toBe(200);
    }
    expect(JSON.parse((await project.run('list', '--waiting', '--json')).stdout)).toHaveLength(1);
  });
});
