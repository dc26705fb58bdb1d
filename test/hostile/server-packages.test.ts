import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openServer } from '../../src/activities/mcp/open-server.js';
import { temporaryFolder } from '../activities/helpers/harness.js';

const NAME = '@perdure-canary/server';

it('a server that `npx` starts is no package that an agent has put into the project', async () => {
  const root = await temporaryFolder();
  const mark = join(root, 'mark');
  const folder = join(root, 'node_modules', NAME);
  await mkdir(folder, { recursive: true });
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'project', dependencies: { [NAME]: '*' } }));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: NAME, version: '1.0.0', bin: { server: 'x.js' } }),
  );
  await writeFile(
    join(folder, 'x.js'),
    `#!/usr/bin/env node\nrequire('fs').writeFileSync(${JSON.stringify(mark)}, '')\n`,
  );
  await chmod(join(folder, 'x.js'), 0o755);
  await mkdir(join(dirname(dirname(folder)), '.bin'));
  await symlink(join('..', NAME, 'x.js'), join(root, 'node_modules', '.bin', 'server'));
  const server = {
    kind: 'stdio' as const,
    argv: ['npx', '-y', NAME],
    env: { npm_config_offline: 'true' },
    timeout_ms: 30_000,
  };
  const place = { name: 'canary', root, store: 'none', credentials: () => ({}), server };
  await expect(openServer(place as unknown as Parameters<typeof openServer>[0])).rejects.toThrow('cannot be used');
  expect(existsSync(mark)).toBe(false);
});
