/**
 * What `npm run mutants:hand` breaks (docs/mutants.md): what is broken, where, the code as it is and as it is made, and
 * the test that must fail.
 */
export const MUTANTS = {
  'early-signal': {
    what: 'a signal that came before the first workflow task of a Temporal run is dropped',
    file: 'src/workflows/interpreter.ts',
    from: '  receiveNested(whole, () => startReady(whole));',
    to: '  acceptUnknownSignals(gates);\n  receiveNested(whole, () => startReady(whole));',
    tier: 'server',
    test: 'test/workflows/lifecycle/continuing.test.ts',
  },
  'late-journal': {
    what: 'an answer is journalled after it was returned',
    file: 'src/activities/attempt/call-journal.ts',
    from: 'if (await writeAnswer(store, key, { entry, claim: taken.claim, tellLate }, call)) return response;',
    to:
      'setTimeout(() => void writeAnswer(store, key, { entry, claim: taken.claim, tellLate }, call), 0);\n' +
      '    return response;',
    tier: 'faults',
    test: 'test/faults/agent-kill.test.ts',
  },
  'no-window': {
    what: 'all that is ready is started at once',
    file: 'src/workflows/running/step-runner.ts',
    from: 'const MOST_ACTIVITIES = 50;',
    to: 'const MOST_ACTIVITIES = 5_000;',
    tier: 'server',
    test: 'test/workflows/running/window.test.ts',
  },
  prefix: {
    what: 'a path is inside of the workspace when its text is, wherever its links lead',
    file: 'src/activities/workspace/open.ts',
    from: 'O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;',
    to: 'O_DIRECTORY, O_NONBLOCK } = constants;\nconst O_NOFOLLOW = 0;',
    tier: 'hostile',
    test: 'test/hostile/tool-escapes.test.ts',
  },
};
