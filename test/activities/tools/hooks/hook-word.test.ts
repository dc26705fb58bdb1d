import { describe, expect, it } from 'vitest';
import { wordOf } from '../../../../src/activities/tools/hooks/hook-word.js';

const says = (output: object): ReturnType<typeof wordOf> =>
  wordOf('before', { output: { exit_code: 0, stdout: JSON.stringify(output), stderr: '' } });

describe('what a hook says before a call', () => {
  it.each(['block', 'deny', 'ask', 'BLOCK', ''])('forbids the call by any decision but to approve: %j', (decision) => {
    expect(says({ decision, reason: 'no' })).toEqual({ kind: 'denies', reason: 'no' });
  });

  it('lets it pass where it approves, or decides nothing', () => {
    expect(says({ decision: 'approve' })).toEqual({ kind: 'passes' });
    expect(says({})).toEqual({ kind: 'passes' });
  });

  it.each([
    '{"decision": "deny", "decision": "approve"}',
    '{"decision": "approve", "reas',
    '{"a\\q": 1}',
    '{"two\nlines": 1}',
  ])('is no word where it is no JSON, or has a key twice: %j', (stdout) => {
    expect(wordOf('before', { output: { exit_code: 0, stdout, stderr: '' } })).toMatchObject({ kind: 'denies' });
  });
});
