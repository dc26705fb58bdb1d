import { expect, it } from 'vitest';
import { httpRequest } from '../../../../src/activities/tools/web/http-request.js';
import { WebRefusal, fetchWeb } from '../../../../src/activities/tools/web/fetch.js';
import { plainAddress, plainPattern } from '../../../../src/plan/tools/plain-address.js';
import { permissionsFrom } from '../../../../src/compiler/agents/permissions.js';
import { judgeCall } from '../../../../src/plan/gates/autonomy.js';
import { judgeAction } from '../../../../src/plan/tools/permission.js';

const TOOL = { kind: 'builtin', name: 'http_request' } as const;
const DENIED = [
  'request:* https://internal.example/*',
  'request:* https://api.example/admin*',
  'request:* https://api.example/exact',
  'request:* http://10.0.0.1/*',
  'request:* https://Bücher.Example:443/*',
  'request:* http://192.168.*',
  'request:* HTTP://127.*',
  'request:* https://files.example/%7Eadmin*',
  'request:* https://files.example/g%2fsecret*',
];
const permissions = { ...permissionsFrom([{ network: true, deny: DENIED }], false) };

it.each([
  'https://internal.example./x',
  'https://internal.example../x',
  'https://INTERNAL.example:443/x',
  'https:\\\\internal.example\\x',
  'https:internal.example/x',
  ' https://inter\tnal.example/x',
  'https://user:pw@internal.example/x',
  'https://api.example/%61dmin',
  'https://api.example/%2561dmin',
  'https://api.example//admin',
  'https://api.example/./x/../admin',
  'https://api.example/x/%2e%2e/admin',
  'https://api.example/x/..%2fadmin',
  'https://api.example/;a=b/admin',
  'https://api.example/%5Cadmin',
  'https://api.example/exact#part',
  'https://api.example/exact?',
  'http://10.1/',
  'http://0x0a000001/',
  'http://167772161/',
  'http://012.0.0.1/',
  'http://[::ffff:10.0.0.1]/',
  'https://bücher.example/x',
  'http://192.168.7.7/',
  'http://127.0.0.1:8080/',
  'https://files.example/~admin/x',
  'https://files.example/g%2Fsecret/x',
  'https://xn--bcher-kva.example./x',
])('%s is denied as the address that servers take it for', async (url) => {
  const action = await httpRequest.action(TOOL, { url }, '/');
  if ('invalid' in action) throw new Error(action.invalid);
  expect(judgeAction(permissions, action).verdict).toBe('deny');
  const asked = { method: 'GET', url, headers: {}, body: null };
  await expect(fetchWeb(asked, permissions, AbortSignal.timeout(5_000))).rejects.toThrow(WebRefusal);
});

it.each([
  ['http://localhost:*', 'http://localhost.evil.example/', 'http://localhost:8080/x'],
  ['https://api.example:4*', 'https://api.example.evil.example/', 'https://api.example:4443/'],
  ['https://api.*', 'https://apis.example/', 'https://api.example/x'],
  ['https://api.example', 'https://api.example.evil.example/', 'https://api.example/'],
])('a pattern whose host ends in anything allows what begins so, and no more: %s', (pattern, other, own) => {
  const narrow = permissionsFrom([{ allow: [`request:GET ${pattern}`] }], false);
  const verdict = (url: string) => judgeAction(narrow, { kind: 'request', method: 'GET', url }).verdict;
  expect([verdict(other), verdict(own)]).toEqual(['deny', 'allow']);
});

it('a person is asked about an address that servers take for one that the autonomy names', async () => {
  const policy = { require_approval_for: [plainPattern('request:* https://API.example/admin*')] };
  const action = await httpRequest.action(TOOL, { url: 'https://api.example/%2561dmin' }, '/');
  if ('invalid' in action) throw new Error(action.invalid);
  const open = permissionsFrom([{ allow: ['request'] }], false);
  expect(judgeCall(open, [policy], action).verdict).toBe('ask');
});

it('an address is allowed only as what is asked for', () => {
  const narrow = permissionsFrom([{ allow: ['request:GET https://api.example/open*'] }], false);
  const verdict = (url: string) => judgeAction(narrow, { kind: 'request', method: 'GET', url }).verdict;
  expect([verdict('https://api.example/open/x'), verdict('https://api.example/x/..%2Fopen')]).toEqual([
    'allow',
    'deny',
  ]);
});

it.each([
  ['https://Example.org.:443/a%2fb%7E?q=%61%20#part', 'https://example.org/a%2Fb~?q=a%20'],
  ['http://[::FFFF:127.0.0.1]:8080', 'http://127.0.0.1:8080/'],
  ['http://[::1]/', 'http://[::1]/'],
  ['https://a.example/x;y//z', 'https://a.example/x;y//z'],
])('%s is asked for as %s, which is what a person is shown', async (url, plain) => {
  expect(plainAddress(url)?.href).toBe(plain);
  expect(await httpRequest.action(TOOL, { url }, '/')).toMatchObject({ url: plain });
});
