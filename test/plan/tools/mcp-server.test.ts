import { describe, expect, it } from 'vitest';
import { filledValues, variablesIn, variablesOf } from '../../../src/plan/tools/mcp-server.js';

const BEARER = 'Bearer ${env.TOKEN}';

describe('the variables of an MCP server', () => {
  it('are those that its environment, or its headers, name', () => {
    const env = { A: '${env.ONE} and ${env.TWO}', B: '${env.ONE}', C: 'plain' };
    expect(variablesOf({ kind: 'stdio', argv: ['${env.THREE}'], env, cwd: null, timeout_ms: 1 })).toEqual([
      'ONE',
      'TWO',
    ]);
    const headers = { authorization: BEARER };
    expect(variablesOf({ kind: 'http', url: 'http://a/${env.URL}', headers, timeout_ms: 1 })).toEqual(['TOKEN']);
  });

  it.each<[string, string[]]>([
    ['${env.A_1}', ['A_1']],
    ['${env._}', ['_']],
    ['${env.1A}', []],
    ['${env.}', []],
    ['${env.A', []],
    ['$env.A', []],
    ['${ENV.A}', []],
    ['${env.A B}', []],
  ])('are written %j: %j', (value, names) => {
    expect(variablesIn([value])).toEqual(names);
  });

  it('are put in wherever they stand, and what they hold is not read again', () => {
    const values = { authorization: BEARER, both: '${env.A}-${env.TOKEN}', plain: 'x' };
    expect(filledValues(values, { TOKEN: '$& ${env.A}', A: 'a' })).toEqual({
      values: { authorization: 'Bearer $& ${env.A}', both: 'a-$& ${env.A}', plain: 'x' },
    });
    expect(filledValues({}, {})).toEqual({ values: {} });
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['is not set', { TOKEN: 't' }],
    ['is nothing', { TOKEN: 't', A: undefined }],
    ['is empty', { TOKEN: 't', A: '' }],
  ])('are told by the first one that %s', (_, variables) => {
    expect(filledValues({ one: BEARER, two: '${env.A}${env.B}' }, variables)).toEqual({ missing: 'A' });
  });
});
