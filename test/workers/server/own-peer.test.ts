import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { isOwnPeer } from '../../../src/workers/server/own-peer.js';

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

// Only root can start a program of another account: for others the half of it is looked at that they can see.
it('knows who connects from its own account, and who from another one', async () => {
  const server = createServer((socket) => void isOwnPeer(socket).then((isOwn) => socket.end(String(isOwn))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // bound to a port just now
  const code = `require('node:net').connect(${port}, '127.0.0.1').pipe(process.stdout)`;
  const connect = async (as: object): Promise<string> =>
    (await promisify(execFile)(process.execPath, ['-e', code], { cwd: '/', ...as })).stdout;
  expect([await connect({}), ...(isRoot ? [await connect(NOBODY)] : [])]).toEqual(
    isRoot ? ['true', 'false'] : ['true'],
  );
});
