import { beforeAll, describe, expect, it } from 'vitest';
import { createChecker } from '../../../src/compiler/editing/checker.js';
import { withOverlay } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';

const STEPS = 2_000;
const ROUNDS = 5;
const file = '/nowhere/big.yml';

/** Half of the steps are agents', half are commands; each refers to the one before. */
function bigWorkflow(): string {
  const steps = Array.from({ length: STEPS }, (_, index) => {
    const before = index === 0 ? '' : ` \${steps.s${index - 1}.output}`;
    return index % 2 === 0
      ? `  - id: s${index}\n    agent: Explore\n    prompt: "Look at \${target}${before}"\n`
      : `  - id: s${index}\n    command: [echo, "${before.trim()}"]\n    timeout: 5m\n`;
  });
  return `name: big\ninputs:\n  target: {type: string}\nsteps:\n${steps.join('')}output: "\${steps[-1].output}"\n`;
}

/** Milliseconds of CPU that some work takes, without what other processes take: the least of several rounds. */
function leastOf(work: (round: number) => void): number {
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    const begin = process.cpuUsage();
    work(round);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

describe(`after an edit in a file of ${STEPS} steps its problems cost a tenth of finding them anew`, () => {
  const text = bigWorkflow();
  let full = Infinity;
  beforeAll(() => {
    full = leastOf(() => withOverlay({ texts: new Map([[file, text]]) }, () => validatePaths([file], '/nowhere')));
  });

  it.each<[string, (text: string, round: number) => string, number?]>([
    [
      'a letter in a prompt',
      (now) => now.replace('"Look at ${target} ${steps.s999', '"Look at x${target} ${steps.s999'),
    ],
    ['a letter in an id', (now) => now.replace(/id: s1001(x*)\n/, 'id: s1001$1x\n')],
    [
      'a step near the top',
      (now, round) => now.replace('  - id: s10\n', `  - id: n${round}\n    wait: 1s\n  - id: s10\n`),
      // The numbers of all steps below it change.
      0.15,
    ],
    ['a key that is not finished', (now, round) => now.replace('id: s700\n', `id: s700\n    key${round}\n`)],
    [
      'a description above the steps',
      (now) => now.replace('name: big', 'description: x\nname: big').replace(/(description: x\n)+/, '$1'),
    ],
  ])('%s', (_, edit, most = 0.1) => {
    const texts = new Map([[file, text]]);
    const { check } = createChecker(file, '/nowhere');
    const problems = check(texts);
    expect(problems).toEqual([]);
    let now = text;
    const edited = leastOf((round) => {
      now = edit(now, round);
      texts.set(file, now);
      check(texts);
    });
    const expected = withOverlay({ texts }, () => validatePaths([file], '/nowhere').problems);
    expect(check(texts)).toEqual(expected);
    expect(edited / full).toBeLessThan(most);
  });
});
