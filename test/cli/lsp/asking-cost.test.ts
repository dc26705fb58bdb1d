// @seconds 45
import { expect, it } from 'vitest';
import { createChecks } from '../../../src/cli/lsp/checks.js';
import type { Asking } from '../../../src/cli/lsp/asking.js';
import { createDocuments } from '../../../src/cli/lsp/documents.js';
import { createFolders } from '../../../src/cli/lsp/folders.js';
import { hoverAt } from '../../../src/cli/lsp/hover.js';
import { definitionAt, referencesAt, renameAt, symbolsOf } from '../../../src/cli/lsp/navigation.js';
import { withOverlay } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';

const STEPS = 2_000;
const ROUNDS = 7;
const PATH = '/nowhere/big.yml';

function bigWorkflow(): string {
  const steps = Array.from({ length: STEPS }, (_, index) => {
    const before = `\${steps.s${Math.max(0, index - 1)}.output}`;
    return `  - id: s${index}\n    agent: Explore\n    prompt: "Look at \${target} ${before}"\n`;
  });
  return `name: big\ninputs:\n  target: {type: string}\nsteps:\n${steps.join('').replace(' ${steps.s0.output}', '')}`;
}

function cpuOf(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

it.each<[string, (asking: Asking) => unknown, unknown]>([
  ['hover', hoverAt, { contents: { kind: 'markdown', value: '`steps.s998.output`: any' } }],
  ['definition', definitionAt, [{ range: { start: { character: 8 } } }]],
  ['references', referencesAt, [{ id: 's998' }, { id: 's998' }]],
  ['rename', (asking) => renameAt(asking, 'other'), { changes: { [`file://${PATH}`]: [{}, {}] } }],
  ['the list of steps', ({ document, read }) => symbolsOf(read(document.text)).length, STEPS],
])(`after an edit in a file of ${STEPS} steps %s costs a tenth of a full compile`, (_what, ask, expected) => {
  const documents = createDocuments();
  const checks = createChecks(
    { documents, folders: createFolders() },
    () => undefined,
    () => undefined,
  );
  let text = bigWorkflow();
  const answer = (version: number): unknown => {
    const document = documents.open(`file://${PATH}`, version, text);
    const read: Asking['read'] = (now) => checks.documentOf(document, now);
    return ask({ document, offset: text.indexOf('${steps.s998.') + 9, cwd: '/nowhere', documents, read });
  };
  answer(0);
  const [anew, asked]: [number[], number[]] = [[], []];
  let last: unknown = null;
  for (let round = 1; round <= ROUNDS; round++) {
    text = text.replace('  - id: s10\n', `  - id: n${round}\n    wait: 1s\n  - id: s10\n`);
    anew.push(cpuOf(() => withOverlay({ texts: new Map([[PATH, text]]) }, () => validatePaths([PATH], '/nowhere'))));
    asked.push(cpuOf(() => void (last = answer(round))));
  }
  checks.stop();
  if (typeof expected === 'number') expect(last).toBe(expected + ROUNDS);
  else expect(last).toMatchObject(expected as object); // a picture of the answer
  expect(Math.min(...asked) / Math.min(...anew)).toBeLessThan(0.1);
});
