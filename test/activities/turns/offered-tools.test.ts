import { expect, it } from 'vitest';
import { inputOf } from '../../../src/activities/models/protocol/message.js';
import { findCall } from '../../../src/activities/turns/offered-tools.js';
import { toolContext } from '../helpers/tool-context.js';

it.each([
  ['{"path": "a.txt", "path": "b.txt"}', 'without a key that is written twice, such as `path`'],
  ['{"path": "a.txt", "more": {"n": 1e400}}', 'without numbers as large as 1e309'],
  ['{"path": "a.txt"', 'are no JSON'],
])('a model hears what its arguments may not have: %s', async (written, told) => {
  const { store, workspace } = await toolContext();
  const call = { kind: 'call' as const, id: 'one', name: 'read_file', input: inputOf(written) };
  expect(await findCall(store, { uses: [{ kind: 'builtin', name: 'read_file' }] }, call, workspace)).toEqual({
    refusal: expect.stringContaining(told) as string,
  });
});
