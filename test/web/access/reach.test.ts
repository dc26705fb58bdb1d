import { describe, expect, it } from 'vitest';
import { judgeEntrance } from '../../../src/web/access/guard.js';
import type { ReachOptions } from '../../../src/web/access/reach.js';
import { reachOf, THIS_MACHINE } from '../../../src/web/access/reach.js';

const reach = (options: Partial<ReachOptions> = {}): ReturnType<typeof reachOf> =>
  reachOf({ ...THIS_MACHINE, ...options }, '/');

describe('where pages listen', () => {
  it('is this machine alone, unless somebody says otherwise', () => {
    expect(reach()).toEqual({ listen: '127.0.0.1', port: 0, publicOrigin: null, trustedProxy: null, tls: null });
  });

  it.each<[string, Partial<ReachOptions>]>([
    ['all addresses', { listen: '0.0.0.0' }],
    ['all addresses of IPv6', { listen: '::' }],
    ['one of the network', { listen: '10.0.0.5' }],
    ['all of them with a name and no TLS', { listen: '0.0.0.0', publicUrl: 'https://runs.example.com' }],
    ['a name that nothing ends TLS for', { publicUrl: 'https://runs.example.com' }],
    ['a name without TLS', { publicUrl: 'http://runs.example.com', trustedProxy: '127.0.0.1' }],
    ['a name with a path', { publicUrl: 'https://runs.example.com/perdure', trustedProxy: '127.0.0.1' }],
    ['a proxy without a name', { trustedProxy: '127.0.0.1' }],
    ['a proxy that is no address', { publicUrl: 'https://runs.example.com', trustedProxy: 'caddy' }],
    ['a certificate without its key', { tlsCert: 'box.crt' }],
    ['a name to listen at', { listen: 'runs.example.com' }],
    ['a port that is none', { port: '0' }],
  ])('is refused for %s', (_, options) => {
    expect(() => reach(options)).toThrow(/^(Expected|`--listen)/);
  });

  it('is another address behind a proxy that is trusted', () => {
    const options = { listen: '10.0.0.5', publicUrl: 'https://runs.example.com', trustedProxy: '10.0.0.2' };
    expect(reach(options)).toMatchObject({ publicOrigin: 'https://runs.example.com', trustedProxy: '10.0.0.2' });
  });
});

describe('a request', () => {
  const behindProxy = reach({ publicUrl: 'https://runs.example.com', trustedProxy: '10.0.0.2' });
  const judge = (
    host: string | undefined,
    remote = '127.0.0.1',
    forwardedProto: string | undefined = undefined,
  ): string => {
    const entrance = judgeEntrance(behindProxy, 8765, { host, remote, forwardedProto, tool: undefined });
    return entrance.kind === 'open' ? entrance.origin : 'refused';
  };

  it('comes in by the names of this machine, with the port', () => {
    expect(['127.0.0.1:8765', 'localhost:8765', '[::1]:8765'].map((host) => judge(host))).toEqual([
      'http://127.0.0.1:8765',
      'http://localhost:8765',
      'http://[::1]:8765',
    ]);
  });

  it('comes in by another loopback address that is listened at', () => {
    const asked = { host: '127.0.0.2:8765', remote: '127.0.0.1', forwardedProto: undefined, tool: undefined };
    expect(judgeEntrance(reach({ listen: '127.0.0.2' }), 8765, asked)).toEqual({
      kind: 'open',
      origin: 'http://127.0.0.2:8765',
    });
  });

  it.each([undefined, '', '127.0.0.1', '127.0.0.1:80', 'evil.example:8765', 'localhost.evil.example:8765'])(
    'gets nothing by the name %s',
    (host) => {
      expect(judge(host)).toBe('refused');
    },
  );

  it('comes in by the public name through the proxy alone, and over TLS', () => {
    expect(judge('runs.example.com', '10.0.0.2', 'https')).toBe('https://runs.example.com');
    expect(judge('runs.example.com', '::ffff:10.0.0.2', 'https')).toBe('https://runs.example.com');
    expect(judge('runs.example.com', '10.0.0.9', 'https')).toBe('refused');
    expect(judge('runs.example.com', '10.0.0.2', 'http')).toBe('refused');
    expect(judge('runs.example.com', '10.0.0.2')).toBe('refused');
  });

  it('gets nothing by the names of this machine where the network is listened at', () => {
    const open = reach({ listen: '0.0.0.0', publicUrl: 'https://runs.example.com', trustedProxy: '10.0.0.2' });
    const asked = { host: '127.0.0.1:8765', remote: '10.0.0.9', forwardedProto: 'https', tool: undefined };
    const entrance = judgeEntrance(open, 8765, asked);
    expect(entrance.kind).toBe('refused');
  });

  it('of a tool gets nothing, by whatever name', () => {
    const ways = [
      { host: 'localhost:8765', remote: '127.0.0.1', forwardedProto: undefined },
      { host: 'runs.example.com', remote: '10.0.0.2', forwardedProto: 'https' },
    ];
    for (const way of ways) {
      expect(judgeEntrance(behindProxy, 8765, { ...way, tool: undefined }).kind).toBe('open');
      expect(judgeEntrance(behindProxy, 8765, { ...way, tool: '1' }).kind).toBe('refused');
    }
  });
});
