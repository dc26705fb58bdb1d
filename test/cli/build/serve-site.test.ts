import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serveSite } from '../../../src/cli/build/serve-site.js';
import { temporaryFolder } from '../../activities/helpers/harness.js';

/** Asks for exactly this path, as no browser would. */
function ask(
  address: string,
  path: string,
  { method = 'GET', ...headers }: { method?: string; host?: string; 'service-worker'?: string } = {},
): Promise<{ status: number; body: string; type: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, type: response.headers['content-type'] ?? '' }),
      );
    })
      .on('error', reject)
      .end();
  });
}

it('serves the files of its folder, and nothing else', async () => {
  const root = await temporaryFolder();
  const site = join(root, 'project', 'dist');
  await mkdir(join(site, 'sub'), { recursive: true });
  await mkdir(join(site, '.git'));
  for (const [path, text] of [
    ['index.html', '<p>hello'],
    ['sub/index.html', '<p>below'],
    ['app.js', '1'],
    ['.env', 'SECRET'],
    ['.git/config', 'SECRET'],
    ['../perdure.yml', 'SECRET'],
    ['../../outside.txt', 'SECRET'],
  ] as const)
    await writeFile(join(site, path), text);
  await symlink(join(root, 'outside.txt'), join(site, 'link.txt'));
  await symlink(root, join(site, 'up'));
  let folder: string | null = null;
  const { address, close } = await serveSite(join(root, 'project'), () => Promise.resolve(folder));
  onTestFinished(close);

  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await ask(address, '/')).toMatchObject({ status: 404, body: 'There is no page yet.' });
  folder = 'dist';
  expect(await ask(address, '/')).toMatchObject({ status: 200, body: '<p>hello', type: 'text/html; charset=utf-8' });
  expect(await ask(address, '/app.js?v=1')).toMatchObject({
    status: 200,
    body: '1',
    type: 'text/javascript; charset=utf-8',
  });
  expect(await ask(address, '/sub')).toMatchObject({ status: 301 });
  expect(await ask(address, '/sub/')).toMatchObject({ status: 200, body: '<p>below' });
  expect(await ask(address, '/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  expect(await ask(address, '/', { method: 'POST' })).toMatchObject({ status: 405 });
  expect(await ask(address, '/app.js', { 'service-worker': 'script' })).toEqual({
    status: 403,
    body: 'Pages that are served here run no service workers.',
    type: 'text/plain; charset=utf-8',
  });
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1:1'])
    expect(await ask(address, '/', { host })).toMatchObject({ status: 421 });
  for (const path of [
    '/none.txt',
    '/../perdure.yml',
    '/%2e%2e/perdure.yml',
    '/sub/..%2f..%2f..%2foutside.txt',
    '/..%5c..%5coutside.txt',
    '//etc/passwd',
    '/.env',
    '/.git/config',
    '/link.txt',
    '/up/outside.txt',
    '/app.js%00.html',
    '/%ff',
  ]) {
    const { status, body } = await ask(address, path);
    expect({ path, status, secret: body.includes('SECRET') }).toEqual({ path, status: 404, secret: false });
  }
});
