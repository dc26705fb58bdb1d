import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/compiler/text/disk.js';

/** Asks a server of its own by each address that it is given, and prints what came of it. */
const ASK = `
import { createServer } from 'node:http';
const [root, ...hosts] = process.argv.slice(1);
const { fetchWeb } = await import(root + '/activities/tools/web/fetch.js');
const { permissionsFrom } = await import(root + '/compiler/agents/permissions.js');
const server = createServer((_request, response) => void response.end('CANARY'));
await new Promise((resolve) => server.listen(0, '::', resolve));
for (const host of hosts)
  console.log(
    await fetchWeb(
      { method: 'GET', url: 'http://' + host + ':' + server.address().port, headers: {}, body: null },
      { ...permissionsFrom([], false), network: true },
      AbortSignal.timeout(10_000),
    ).then(({ body }) => body, ({ message }) => message),
  );
server.close();
`;

it('a request does not reach this machine by a public address that it has', () => {
  // In a network of its own, where any address may be given to it.
  const addresses = ['8.8.4.4', '[2600::1]', '168.63.129.16'];
  const give = addresses.map((address) => `ip addr add ${address.replace(/[[\]]/g, '')} dev lo`).join('; ');
  const words = ['--map-root-user', '--net', 'sh', '-c', `ip link set lo up; ${give}; exec "$@"`, 'sh'];
  const dist = pathToFileURL(join(packageRoot(), 'dist')).href;
  const node = [process.execPath, '--input-type=module', '-e', ASK, dist, ...addresses];
  const said = execFileSync('unshare', [...words, ...node], { encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(said).toHaveLength(addresses.length);
  for (const line of said) expect(line).toContain('is not public');
});
