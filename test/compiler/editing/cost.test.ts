// @seconds 80
import { expect, it } from 'vitest';
import { createChecker } from '../../../src/compiler/editing/checker.js';
import { withOverlay } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';

const STEPS = 2_000;
const ROUNDS = 9;
/** The least of some rounds comes near to what the work takes; beside other work that needs more of them. */
const MOST_ROUNDS = 60;
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

/** Milliseconds of CPU that some work takes, without what other processes take. */
function cpuOf(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

it.each<[string, (text: string, round: number) => string]>([
  ['a letter in a prompt', (now) => now.replace('"Look at ${target} ${steps.s999', '"Look at x${target} ${steps.s999')],
  ['a letter in an id', (now) => now.replace(/id: s1001(x*)\n/, 'id: s1001$1x\n')],
  // The numbers of all steps below it change.
  [
    'a step near the top',
    (now, round) => now.replace('  - id: s10\n', `  - id: n${round}\n    wait: 1s\n  - id: s10\n`),
  ],
  ['a key that is not finished', (now, round) => now.replace('id: s700\n', `id: s700\n    key${round}\n`)],
  [
    'a description above the steps',
    (now) => now.replace('name: big', 'description: x\nname: big').replace(/(description: x\n)+/, '$1'),
  ],
])(`after %s in a file of ${STEPS} steps its problems cost a tenth of finding them anew`, (_, edit) => {
  let now = bigWorkflow();
  const texts = new Map([[file, now]]);
  const { check } = createChecker(file, '/nowhere');
  expect(check(texts)).toEqual([]);
  const [anew, again]: [number[], number[]] = [[], []];
  // One of the first kind, one of the other: whatever slows the machine slows both.
  const ratio = (): number => Math.min(...again) / Math.min(...anew);
  for (let round = 0; round < ROUNDS || (ratio() >= 0.1 && round < MOST_ROUNDS); round++) {
    now = edit(now, round);
    texts.set(file, now);
    anew.push(cpuOf(() => withOverlay({ texts }, () => validatePaths([file], '/nowhere'))));
    again.push(cpuOf(() => check(texts)));
  }
  expect(check(texts)).toEqual(withOverlay({ texts }, () => validatePaths([file], '/nowhere').problems));
  expect(ratio()).toBeLessThan(0.1);
});
