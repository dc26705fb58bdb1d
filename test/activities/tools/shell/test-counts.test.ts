import { describe, expect, it } from 'vitest';
import { testCounts } from '../../../../src/activities/tools/shell/test-counts.js';

describe('how many tests ran', () => {
  it.each([
    ['node, for people', 'ℹ tests 5\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 0\n', 3, 2],
    ['node, as TAP', 'ok 1 - adds\n# tests 1\n# pass 1\n# fail 0\n# cancelled 0\n', 1, 0],
    ['node, without a test', '# tests 0\n# pass 0\n# fail 0\n# cancelled 0\n', 0, 0],
    ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  2 failed | 3 passed (5)\n', 3, 2],
    ['vitest, in colour', '\u001b[2m      Tests \u001b[22m \u001b[32m3 passed\u001b[39m (3)\n', 3, 0],
    ['jest', 'Test Suites: 1 passed, 1 total\nTests:       1 failed, 4 passed, 5 total\n', 4, 1],
    ['mocha', '\n  3 passing (5ms)\n  1 failing\n', 3, 1],
    ['pytest', '===== 1 failed, 2 passed, 1 error in 0.12s =====\n', 2, 1],
    ['pytest, quiet', '..\n2 passed in 0.01s\n', 2, 0],
    ['unittest', 'Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n', 2, 2],
    ['unittest, all well', 'Ran 4 tests in 0.001s\n\nOK (skipped=1)\n', 3, 0],
    ['cargo', 'test result: ok. 2 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed;\n', 3, 2],
    ['go -v', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n', 1, 1],
    ['go', 'ok  \texample/a\t0.003s\nok  \texample/b\t0.001s [no tests to run]\n', 1, 0],
    ['deno', 'ok | 3 passed | 0 failed (5ms)\n', 3, 0],
    ['bun', ' 2 pass\n 1 fail\n', 2, 1],
    ['a script', 'PASS: it adds\nFAIL: it subtracts\n', 1, 1],
  ])('is read from what %s writes', (_runner, output, passed, failed) => {
    expect(testCounts(output)).toEqual({ passed, failed });
  });

  it.each(['', 'all is well', 'pass'])('is not known of %j', (output) => {
    expect(testCounts(output)).toBeNull();
  });
});
