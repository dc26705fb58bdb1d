import { describe, expect, it } from 'vitest';
import type { NotifySettings } from '../../../src/plan/gates/notice.js';
import { addressVariable, filledAddress, waysOf } from '../../../src/plan/gates/notice.js';

const email = { server: 'smtps://mail.example', from: 'runs@example.org', to: ['ana@example.org', 'bo@example.org'] };

describe('a notice', () => {
  it('is told by each way of the settings by itself, and by nothing where there is none', () => {
    expect(waysOf({ on: ['waiting'] })).toEqual([]);
    const all: NotifySettings = {
      on: ['ended'],
      command: ['notify', '-u'],
      webhook: 'https://hooks.example/x',
      slack: 'https://slack.example/x',
      teams: 'https://teams.example/x',
      email,
    };
    expect(waysOf(all)).toEqual([
      { command: ['notify', '-u'] },
      { webhook: 'https://hooks.example/x' },
      { slack: 'https://slack.example/x' },
      { teams: 'https://teams.example/x' },
      { email: { ...email, to: 'ana@example.org' } },
      { email: { ...email, to: 'bo@example.org' } },
    ]);
  });

  it('is signed only where it is posted to an address of its own, and a secret is there', () => {
    const secret = '${env.SECRET}';
    expect(waysOf({ on: [], webhook: 'https://a.example', secret })).toEqual([
      { webhook: 'https://a.example', secret },
    ]);
    expect(waysOf({ on: [], secret })).toEqual([]);
  });
});

describe('the address of a notice', () => {
  it.each<[string | undefined, string | null]>([
    ['${env.HOOK}', 'HOOK'],
    ['${env._h2}', '_h2'],
    ['${env.H}', 'H'],
    ['${env.2H}', null],
    ['${env.}', null],
    ['${env.A B}', null],
    ['https://a.example/${env.HOOK}', null],
    ['${env.HOOK}/more', null],
    ['https://a.example', null],
    [undefined, null],
  ])('%s is held by the variable %s', (written, variable) => {
    expect(addressVariable(written)).toBe(variable);
  });

  it.each<[string, string | null]>([
    ['https://a.example/x', 'https://a.example/x'],
    ['http://a.example', 'http://a.example'],
    ['${env.HOOK}', 'https://h.example'],
    ['${env.NONE}', null],
    ['${env.EMPTY}', null],
    ['${env.OTHER}', null],
    ['ftp://a.example', null],
    ['see https://a.example', null],
    ['https:///etc', null],
    ['https:// a', null],
  ])('%s is filled in: %s', (written, address) => {
    const variables = { HOOK: 'https://h.example', EMPTY: '', OTHER: 'file:///etc/passwd', NONE: undefined };
    expect(filledAddress(written, variables)).toBe(address);
  });
});
