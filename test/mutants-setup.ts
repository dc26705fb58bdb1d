import fc from 'fast-check';

// With mutants (docs/mutants.md) it counts that a property fails: not by which smallest example, nor that it holds for
// long.
fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 500 });
