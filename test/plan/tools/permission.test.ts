import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/plan/tools/action.js';
import type { Permissions } from '../../../src/plan/tools/permission.js';
import { allowsHost, boundBy, isAgentCall, judgeAction, subjectOf } from '../../../src/plan/tools/permission.js';
import { inline } from '../../../src/plan/values/value.js';
import { NO_PERMISSIONS } from '../helpers/build-plan.js';

const NOTHING: Permissions = { ...NO_PERMISSIONS, protected: ['.git', '/definitions'] };
const verdictOf = (action: Action, more: Partial<Permissions> = {}): string =>
  judgeAction({ ...NOTHING, ...more }, action).verdict;
const reasonOf = (action: Action, more: Partial<Permissions> = {}): string => {
  const verdict = judgeAction({ ...NOTHING, ...more }, action);
  return 'reason' in verdict ? verdict.reason : '';
};
const write = (path: string): Action => ({ kind: 'write', path });
const get = (url: string): Action => ({ kind: 'request', method: 'GET', url });
const run = (...argv: string[]): Action => ({ kind: 'command', argv, cwd: '' });
const made = (files?: string[]): Action => ({
  kind: 'call',
  what: 'made',
  name: 'helper',
  ...(files === undefined ? {} : { files }),
});

/** Allowed as far as patterns can. */
const ALL: Partial<Permissions> = {
  allow: ['read', 'write', 'command', 'request', 'agent', 'make'],
  network: true,
  protected: [],
};

describe('what nothing can allow', () => {
  it.each<[string, Action, RegExp]>([
    ['a path outside', write('/etc/passwd'), /`\/etc\/passwd` is outside of the workspace/],
    ['a way up', { kind: 'read', path: 'a/../../b' }, /is outside of the workspace/],
    ['a NUL in a path', write('a\0b'), /path has a NUL/],
    ['the state', { kind: 'read', path: './.perdure/x' }, /is the state of Perdure itself/],
    ['the state in capitals, anywhere', write('sub/.PERDURE'), /is the state of Perdure itself/],
    ['a NUL in an argument', run('ls', 'a\0b'), /argument has a NUL/],
    ['no program', run(), /There is no program/],
    ['an empty program', run('', 'x'), /There is no program/],
    ['a command elsewhere', { kind: 'command', argv: ['ls'], cwd: '..' }, /is outside of the workspace/],
    ['an address that is none', get('javascript:1'), /Expected an http or https address with a plain host/],
    ['a host with a name before it', get('http://user@example.org/'), /plain host/],
    ['an address after a word', get('x http://example.org/'), /plain host/],
    ['a host that goes on', get('http://example.org\\@evil.org'), /plain host/],
    ['a port of too many digits', get('http://[::1]:123456/'), /plain host/],
    ['a second file outside that a made agent is shown', made(['a', '../b']), /`\.\.\/b` is outside/],
  ])('is %s', (_, action, reason) => {
    expect(verdictOf(action, ALL)).toBe('deny');
    expect(reasonOf(action, ALL)).toMatch(reason);
  });

  it.each<[string, Action]>([
    ['a file', write('a/b')],
    ['dots in a name', write('a..b/..c')],
    ['a made agent without files', made()],
    ['files inside', made(['a'])],
    ['what does nothing', { kind: 'none' }],
    ['an address', get('https://[::1]:8080/x')],
    ['an address without a port', get('https://[::1]/x')],
    ['a called tool', { kind: 'call', what: 'tool', name: 'deploy' }],
    ['an address without a path', get('http://example.org')],
    ['one with a question', get('http://example.org:80?x')],
  ])('is not %s', (_, action) => {
    expect(verdictOf(action, ALL)).toBe('allow');
  });
});

describe('paths that say what runs', () => {
  it.each([
    ['.git', 'deny'],
    ['.git/config', 'deny'],
    ['sub/.GIT/hooks/x', 'deny'],
    ['definitions/a.yml', 'deny'],
    ['./definitions', 'deny'],
    ['sub/definitions/a.yml', 'allow'],
    ['.gitignore', 'allow'],
    ['git', 'allow'],
    ['definitions2', 'allow'],
  ])('are protected: writing `%s` is %s', (path, verdict) => {
    expect(verdictOf(write(path))).toBe(verdict);
  });

  it('may be read, and written where `allow` names them', () => {
    expect(verdictOf({ kind: 'read', path: '.git/config' })).toBe('allow');
    expect(judgeAction({ ...NOTHING, allow: ['write:.git/*'] }, write('.git/config'))).toEqual({
      verdict: 'allow',
      sandbox: false,
    });
  });
});

describe('paths under `writable`', () => {
  it.each([
    ['src', 'allow'],
    ['src/a/b.js', 'allow'],
    ['./src//a', 'allow'],
    ['index.html', 'allow'],
    ['SRC/a', 'deny'],
    ['src2/a', 'deny'],
    ['lib/src/a', 'deny'],
    ['src/.git/config', 'deny'],
    ['package.json', 'deny'],
  ])('are the only ones that are written: `%s` is %s', (path, verdict) => {
    expect(verdictOf(write(path), { writable: ['src/', './index.html'] })).toBe(verdict);
  });

  it('are named in a refusal, are none in an empty list, and limit nothing where they are all', () => {
    expect(reasonOf(write('a'), { writable: ['src/', 'b'] })).toBe(
      '`a` is not under `writable` of the permissions (`src/`, `b`).',
    );
    expect(reasonOf(write('a'), { writable: [] })).toContain('which names nothing');
    expect(verdictOf(write('a'), { writable: ['.'] })).toBe('allow');
    expect(verdictOf({ kind: 'read', path: 'a' }, { writable: [] })).toBe('allow');
  });

  it.each<[string[] | undefined, string[] | undefined, string[] | undefined]>([
    [undefined, undefined, undefined],
    [['src/'], undefined, ['src/']],
    [undefined, ['src/'], ['src/']],
    [
      ['src/', 'docs'],
      ['src/a', 'docs/'],
      ['docs', 'src/a', 'docs/'],
    ],
    [['src/'], ['lib'], []],
    [['.'], ['lib'], ['lib']],
  ])('of an agent %j and of its maker %j are %j', (own, maker, both) => {
    const withPaths = (writable: string[] | undefined): Permissions => ({
      ...NOTHING,
      ...(writable === undefined ? {} : { writable }),
    });
    expect(boundBy(withPaths(own), [withPaths(maker)]).writable).toEqual(both);
  });
});

describe('patterns', () => {
  const MAKE: Action = { kind: 'make', what: 'agent', name: 'judge', content: inline('x') };

  it.each<[string, Action, Partial<Permissions>, string]>([
    ['`deny` goes before `allow` and `ask`', write('a'), { deny: ['write'], allow: ['write'], ask: ['write'] }, 'deny'],
    ['`ask` makes a question of what the rules allow', write('a'), { ask: ['write:a'], allow: ['write'] }, 'ask'],
    ['`ask` lifts no denial', write('.git/x'), { ask: ['write'] }, 'deny'],
    ['`allow` lifts a denial', get('http://example.org/'), { allow: ['request'] }, 'allow'],
    ['`allow` answers what would be asked', MAKE, { allow: ['make:agent'] }, 'allow'],
    ['what is made is asked about', MAKE, {}, 'ask'],
    ['what is made is known by its name', MAKE, { deny: ['make:agent:judge'] }, 'deny'],
    [
      'a method stands before an address',
      get('http://example.org/x'),
      { network: true, deny: ['request:GET http://example.org/*'] },
      'deny',
    ],
    [
      'another method is another action',
      get('http://example.org/x'),
      { network: true, deny: ['request:POST *'] },
      'allow',
    ],
    [
      'a command is known by its words',
      run('ls', '-l'),
      { commands: [{ words: 'ls', class: 'safe' }], deny: ['command:ls -l'] },
      'deny',
    ],
    ['a called tool by its name', { kind: 'call', what: 'tool', name: 'deploy' }, { deny: ['tool:deploy'] }, 'deny'],
    ['an agent is no tool', { kind: 'call', what: 'agent', name: 'deploy' }, { deny: ['tool:deploy'] }, 'allow'],
    ['a made agent is an agent', made(), { deny: ['agent:helper'] }, 'deny'],
    ['a made agent can be told apart', made(), { deny: ['made'] }, 'deny'],
    ['files that are handed on can be told apart', made(['a']), { deny: ['attachments'] }, 'deny'],
    ['no files are handed on', made([]), { deny: ['attachments'] }, 'allow'],
    ['paths are compared without what means nothing', write('./a//b'), { deny: ['write:a/b'] }, 'deny'],
    ['what does nothing has no name', { kind: 'none' }, { deny: ['none', '*'] }, 'allow'],
  ])('%s', (_, action, more, verdict) => {
    expect(verdictOf(action, more)).toBe(verdict);
  });

  it.each<[Action, string[]]>([
    [{ kind: 'read', path: './a//b/' }, ['read', 'read:a/b']],
    [write('a'), ['write', 'write:a']],
    [run('git', 'push', '-f'), ['command', 'command:git push -f']],
    [get('http://a.b/'), ['request', 'request:GET http://a.b/']],
    [MAKE, ['make', 'make:agent', 'make:agent:judge']],
    [{ kind: 'call', what: 'mcp', name: 'x__y' }, ['mcp', 'mcp:x__y', 'mcp:mcp__x__y']],
    [{ kind: 'call', what: 'agent', name: 'judge' }, ['agent', 'agent:judge']],
    [
      { kind: 'call', what: 'agent', name: 'judge', files: ['a'] },
      ['agent', 'agent:judge', 'attachments', 'attachments:judge'],
    ],
    [made(), ['agent', 'agent:helper', 'made', 'made:helper']],
    [made([]), ['agent', 'agent:helper', 'made', 'made:helper']],
    [
      made(['a']),
      [
        ...['agent', 'agent:helper', 'made', 'made:helper'],
        ...['attachments', 'attachments:helper', 'attachments:made/helper'],
      ],
    ],
    [{ kind: 'none' }, []],
  ])('are held against what %j is called', (action, subjects) => {
    expect(subjectOf(action)).toEqual(subjects);
    expect(isAgentCall(action)).toBe(subjects[0] === 'agent');
  });

  it('are named in the reason', () => {
    expect(reasonOf(write('a'), { deny: ['x', 'write'] })).toBe('`write` stands under `deny` of the permissions.');
    expect(reasonOf(write('a'), { ask: ['write:a'] })).toBe('`write:a` stands under `ask` of the permissions.');
    expect(reasonOf(MAKE)).toBe('It makes the agent `judge`.');
  });

  it.each<[Permissions['asking'], string]>([
    ['ask', 'ask'],
    ['allow', 'allow'],
    ['deny', 'deny'],
  ])('that ask, where the run says %s: %s', (asking, verdict) => {
    expect(verdictOf(MAKE, { asking })).toBe(verdict);
    expect(verdictOf(write('a'), { asking, ask: ['write'] })).toBe(verdict);
    if (asking === 'deny') expect(reasonOf(MAKE, { asking })).toContain('Nobody is asked in this run.');
  });

  it('never allow a command without its sandbox', () => {
    expect(judgeAction({ ...NOTHING, allow: ['command:odd'] }, run('odd'))).toEqual({
      verdict: 'allow',
      sandbox: true,
    });
    expect(judgeAction({ ...NOTHING, allow: ['request'] }, get('http://a.b/'))).toEqual({
      verdict: 'allow',
      sandbox: false,
    });
  });
});

describe('hosts', () => {
  it.each<[Permissions['network'], string, boolean]>([
    [true, 'example.org', true],
    [false, 'example.org', false],
    [[], 'example.org', false],
    [['example.org'], 'EXAMPLE.org', true],
    [['Example.ORG'], 'example.org:8080', true],
    [['example.org:80'], 'example.org', false],
    [['example.org:80'], 'example.org:80', true],
    [['a:1.example.org'], 'a:1.example.org:80', true],
    [['example.org'], 'evil-example.org', false],
    [['*.example.org'], 'a.example.org', true],
    [['*.example.org'], 'example.org', false],
    [['*.example.org'], '.example.org', false],
    [['*.example.org'], 'xexample.org', false],
    [['*.example.org'], 'a.b.example.org:1', true],
  ])('%j reach `%s`: %s', (network, host, expected) => {
    expect(allowsHost(network, host)).toBe(expected);
  });

  it.each([
    ['http://example.org/', 'example.org:80', 'allow'],
    ['https://example.org/', 'example.org:443', 'allow'],
    ['https://example.org/', 'example.org:80', 'deny'],
    ['http://[::1]/', '[::1]:80', 'allow'],
    ['http://example.org:81/', 'example.org:80', 'deny'],
  ])('have the port of their scheme: %s where `%s` is reached is %s', (url, host, verdict) => {
    expect(verdictOf(get(url), { network: [host] })).toBe(verdict);
  });

  it('are denied where they are not reached, and paths that are protected are named', () => {
    expect(verdictOf(get('http://example.org/'), { network: ['other.org'] })).toBe('deny');
    expect(reasonOf(write('.git/x'))).toBe('`.git/x` is protected by the permissions.');
  });

  it('that are not reached are named', () => {
    expect(reasonOf(get('http://Example.org:81/x'), { network: ['other.org'] })).toBe(
      'The network is closed to this agent: `example.org:81` is not under `network` of its permissions.',
    );
    expect(verdictOf(get('http://other.org/x'), { network: ['other.org'] })).toBe('allow');
  });
});

describe('what an agent made may do', () => {
  const NAMES = [undefined, true, false, ['a.org', '*.b.org'], ['a.org'], ['x.b.org'], ['*.b.org']] as const;

  it('is at most what it and each of its makers may, in what it reaches too', () => {
    const hosts = ['a.org', 'x.b.org', 'y.b.org', 'c.org'];
    for (const own of NAMES.slice(1))
      for (const maker of NAMES.slice(1)) {
        const [mine, theirs] = [own, maker].map((network) => ({
          ...NOTHING,
          network: network as Permissions['network'],
        })) as [Permissions, Permissions];
        const { network } = boundBy(mine, [theirs]);
        for (const host of hosts) {
          if (allowsHost(network, host))
            expect([own, maker, host, allowsHost(mine.network, host), allowsHost(theirs.network, host)]).toEqual([
              own,
              maker,
              host,
              true,
              true,
            ]);
        }
      }
    expect(
      boundBy({ ...NOTHING, network: ['x.b.org', 'a.org'] }, [{ ...NOTHING, network: ['*.b.org'] }]).network,
    ).toEqual(['x.b.org']);
    expect(boundBy({ ...NOTHING, network: true }, [{ ...NOTHING, network: ['a.org'] }]).network).toEqual(['a.org']);
    expect(boundBy({ ...NOTHING, network: ['a.org'] }, [{ ...NOTHING, network: true }]).network).toEqual(['a.org']);
    expect(boundBy({ ...NOTHING, network: ['*.b.org'] }, [{ ...NOTHING, network: ['*.b.org'] }]).network).toEqual([
      '*.b.org',
    ]);
    expect(boundBy({ ...NOTHING, network: ['*.x.b.org'] }, [{ ...NOTHING, network: ['*.b.org'] }]).network).toEqual([]);
  });

  it('is its own where nobody bounds it, and has the least patience and all that is protected', () => {
    const own: Permissions = { ...NOTHING, protected: ['a'], escalate_after: 2 };
    expect(boundBy(own, [])).toBe(own);
    const bound = boundBy(own, [{ ...NOTHING, protected: ['a', 'b'], escalate_after: 1 }]);
    expect(bound).toMatchObject({ protected: ['a', 'b'], escalate_after: 1 });
    expect(bound.within).toHaveLength(1);
    // A maker that may do the same bounds nothing.
    expect(boundBy(own, [{ ...own }])).not.toHaveProperty('within');
    expect(boundBy({ ...own, within: [NOTHING] }, [{ ...own, deny: ['write'] }]).within).toHaveLength(2);
  });

  it.each<[string, Partial<Permissions>, Partial<Permissions>, [verdict: string, reason: string]]>([
    ['allowed by both', {}, {}, ['allow', '']],
    ['denied by its maker', {}, { deny: ['write'] }, ['deny', '`write` stands under `deny`']],
    ['asked about by its maker', {}, { ask: ['write'] }, ['ask', '`write` stands under `ask`']],
    [
      'denied by itself, and asked about by its maker',
      { deny: ['write:a'] },
      { ask: ['write'] },
      ['deny', '`write:a`'],
    ],
    [
      'asked about by itself, and denied by its maker',
      { ask: ['write:a'] },
      { deny: ['write'] },
      ['deny', '`write` stands'],
    ],
    ['asked about by both', { ask: ['write:a'] }, { ask: ['write'] }, ['ask', '`write:a`']],
    ['asked about by itself', { ask: ['write:a'] }, {}, ['ask', '`write:a`']],
  ])('is the stricter: %s', (_, own, maker, [verdict, reason]) => {
    const permissions = { ...own, within: [{ ...NOTHING, ...maker }] };
    expect(verdictOf(write('a'), permissions)).toBe(verdict);
    expect(reasonOf(write('a'), permissions)).toContain(reason);
  });

  it('runs in the sandbox where one of them wants it', () => {
    const safe: Partial<Permissions> = { commands: [{ words: 'ls', class: 'safe' }] };
    const inside: Partial<Permissions> = { commands: [{ words: 'ls', class: 'workspace' }] };
    const both = (own: Partial<Permissions>, maker: Partial<Permissions>): unknown =>
      judgeAction({ ...NOTHING, ...own, within: [{ ...NOTHING, ...maker }] }, run('ls'));
    expect(both(safe, inside)).toEqual({ verdict: 'allow', sandbox: true });
    expect(both(inside, safe)).toEqual({ verdict: 'allow', sandbox: true });
    expect(both(safe, safe)).toEqual({ verdict: 'allow', sandbox: false });
  });
});
