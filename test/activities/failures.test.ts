import { expect, it } from 'vitest';
import { toFailure } from '../../src/activities/failures.js';
import { FileRefusal, MissingRefusal } from '../../src/activities/refusal.js';

it.each([new FileRefusal('`a` is a pipe or a device.'), new MissingRefusal('`a` does not exist.')])(
  'what a workspace refuses is told in its own sentence where no model hears it: %s',
  (refusal) => {
    expect(toFailure(refusal)).toMatchObject({ type: 'internal', message: refusal.message, nonRetryable: true });
  },
);
