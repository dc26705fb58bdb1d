import { describe, expect, it } from 'vitest';
import { compileText } from '../helpers/temporary-project.js';

/** The first problem of steps that stand from the second line on, below a head of one line. */
function problemOf(step: string, head = 'description: x'): { suggestion: string | null; fix: string | null } {
  const [problem] = compileText(`${head}\nsteps:\n  - ${step}\n`).problems;
  return { suggestion: problem?.suggestion ?? null, fix: problem?.fix?.text ?? null };
}

describe('what a problem says to write', () => {
  it.each([
    ['{command: [a], retry: 3}', 'write `{attempts: 3}`', '{attempts: 3}'],
    ['{command: [a], retry: 0}', null, null],
    ['{command: [a], retry: -2}', null, null],
    ['{command: [a], retry: 1.5}', null, null],
    ['{command: [a], timeout: 30}', 'write `30s` or `30m`', null],
    ['{command: [a], timeout: 0}', null, null],
    ['{command: [a], timeout: -1}', null, null],
    ['{command: [a], timeout: 999999999}', null, null],
    ['{command: [a], timeout: 0 minutes}', null, null],
    ['{command: [a], timeout: 5 minutes}', 'write `5m`', '5m'],
    ['{command: [a], when: "${x === 1}"}', 'write `==`', '=='],
    ['{command: [a], when: "${x !== 1}"}', 'write `!=`', '!='],
    ['{command: [a], when: $x == 1}', 'write "${x == 1}"', '"${x == 1}"'],
    ['{command: [a], when: "$x == \'$y\'"}', 'write "${x == \'$y\'}"', '"${x == \'$y\'}"'],
    ['{command: [a], when: "yes"}', 'write true', 'true'],
    ['{command: [a], when: Off}', 'write false', 'false'],
    ['{command: [a], max_output_kb: .inf}', 'a limit that there is not is left out', null],
    ['{command: [a], foreach: $files}', 'write "${files}"', null],
    ['{command: npm test}', 'write [npm, test]', '[npm, test]'],
    ['{command: npm install 1.10 true}', 'write [npm, install, "1.10", "true"]', '[npm, install, "1.10", "true"]'],
    ['{command: \'sh -c "echo a b" --x="c d"\'}', 'write [sh, -c, "echo a b", "--x=c d"]', null],
    ['{command: [\'grep "a b" 5\']}', 'write [grep, "a b", "5"]', null],
  ])('is what its place takes: %s', (step, suggestion, fix) => {
    expect(problemOf(step)).toEqual({ suggestion, fix });
  });

  it('has one line, also where a condition has more', () => {
    expect(problemOf("command: [a]\n    when: |\n      x == 'y'")).toEqual({
      suggestion: 'write "${x == \'y\'}"',
      fix: null,
    });
  });

  it.each([
    ['"True"', 'true'],
    ['"false"', 'false'],
    ["'yes'", 'true'],
    ['off', 'false'],
    ['ture', 'true'],
  ])('is a flag, and no text, where one is expected: %s', (written, fix) => {
    expect(problemOf('command: [a]', `narrate: ${written}`)).toEqual({ suggestion: `did you mean \`${fix}\`?`, fix });
    expect(compileText(`narrate: ${fix}\nsteps: [{command: [a]}]\n`).problems).toEqual([]);
  });
});
