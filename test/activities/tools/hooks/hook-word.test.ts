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

  it('is no word where a key of it is written twice', () => {
    const stdout = '{"decision": "deny", "decision": "approve"}';
    expect(wordOf('before', { output: { exit_code: 0, stdout, stderr: '' } })).toMatchObject({ kind: 'denies' });
  });
});
