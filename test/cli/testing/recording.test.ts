import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/plan/values/json.js';
import { recordingSchema, recordingText, requireReadable } from '../../../src/cli/testing/recording.js';

/** The file of a run whose one command ended with this output. */
function textOf(output: Json): string {
  const recording = recordingSchema.parse({ definition: 'a.yml', commands: [{ step: 'js' }] });
  return recordingText({ ...recording, commands: [{ step: 'js', output }] }, 'r-1');
}

describe('a recording', () => {
  it('is refused by name where a test could not be read again', () => {
    expect(() => requireReadable(textOf({ constructor: 'x' }), 'r-1')).toThrow(
      'The run `r-1` cannot be recorded: `commands[0].output.constructor`: The key `constructor` may not be used.',
    );
    let deep: Json = [];
    for (let level = 0; level < 80; level++) deep = [deep];
    expect(() => requireReadable(textOf(deep), 'r-1')).toThrow('Expected at most 64 levels, got more.');
  });

  it('is read again where it says what is there twice, or is not drawn', () => {
    expect(() => requireReadable(textOf(['a\u202eb', '*x', '3.10', { 'a: b': null }]), 'r-1')).not.toThrow();
  });
});
