// @seconds 45
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { viewOfRecord } from '../../../src/cli/observe/closed.js';
import type { RunView } from '../../../src/cli/observe/view/view.js';
import type { Plan } from '../../../src/plan/plan.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { FULL, random } from '../../faults/seed.js';
import { harnessOfFile } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';

/**
 * All that nests, waits, fails and goes round; each command appends a line of its own to the workspace's `done.txt`.
 */
const FILES = {
  'all.yml': `
name: all
execution: dag
steps:
  - id: numbers
    command: [sh, -c, "echo numbers >> done.txt; echo '[0, 1, 2, 3, 4, 5, 6]'"]
    schema: {type: array}
  - id: slow
    foreach: {items: "\${steps.numbers.output}", max_parallel: 3}
    timeout: 1m
    command: [sh, -c, "echo slow-$0 >> done.txt; echo $0", "\${item}"]
  - id: pairs
    foreach: "\${steps.slow.output}"
    steps:
      - {id: one, command: [sh, -c, "echo one-$0 >> done.txt; echo $0", "\${item}"], timeout: 10s}
      - set: {item: "\${item}", one: "\${steps.one.output}", first: "\${steps.slow.output[0]}"}
        output: both
      - id: two
        command: [sh, -c, "echo two-$0 >> done.txt; echo $0", "\${both.one}"]
        timeout: 1m
        when: "\${index > 1}"
    yields: "\${both.one} \${steps.two.output ?? 'none'}"
  - id: some
    foreach: [a, b, c, d, e]
    on_error: continue
    command: [sh, -c, "echo some-$0 >> done.txt; test $0 != c && echo $0", "\${item}"]
  - id: rounds
    loop: {until: "\${index == 3}", max: 5}
    steps:
      - id: count
        command: [sh, -c, "echo round-$0 >> done.txt; echo \\"$1$0\\"", "\${index}", "\${steps.last.output ?? ''}"]
        timeout: 1m
      - {id: grid, foreach: [x, y], loop: {until: "\${index == 1}", max: 3}, set: {at: "\${index}"}}
      - {id: last, command: [sh, -c, "echo last-$0 >> done.txt; echo $1", "\${index}", "\${steps.count.output}"]}
  - id: below
    foreach: [k, l, m]
    workflow: ./below.yml
    inputs: {letter: "\${item}"}
  - id: retried
    foreach: {items: [0, 1, 2], max_parallel: 1}
    command: [sh, -c, "echo try-$0 >> done.txt; mkdir tried-$0 2> /dev/null && exit 1; echo $0", "\${item}"]
    retry: {attempts: 2, backoff: 10ms}
  - {id: stopped, workflow: ./stopped.yml, on_error: continue}
  - id: endless
    on_error: continue
    loop: {until: "\${steps.odd.output == 'never'}", max: 4}
    steps:
      - {id: odd, command: [sh, -c, "echo odd-$0 >> done.txt; test $0 != 1 && echo $0", "\${index}"], timeout: 1m}
      - {id: even, command: [sh, -c, "echo even-$0 >> done.txt; echo $0", "\${index}"]}
  - {id: unwanted, command: [echo, never], when: "\${1 == 2}"}
  - {id: broken, command: ["false"], on_error: skip_dependents}
  - {id: without, command: [echo, never], needs: [broken]}
  - id: spared
    foreach: [p, q, r]
    when: "\${index != 1}"
    steps:
      - {id: first, command: [sh, -c, "echo first-$0 >> done.txt; echo $0", "\${item}"]}
      - {id: second, command: [sh, -c, "echo second-$0 >> done.txt; echo $0", "\${steps.first.output}"]}
  - id: sum
    command:
      - echo
      - "\${steps.retried.output} \${steps.pairs.output} \${steps.some.output} \${steps.rounds.output} \\
        \${steps.below.output} \${steps.spared.output} \${steps.unwanted.error} \${steps.without.error}"
finally:
  - {id: end, command: [sh, -c, "echo end >> done.txt; echo $0", "\${steps.sum.output}"]}
output: {slow: "\${steps.slow.output}", sum: "\${steps.sum.output}"}
`,
  'stopped.yml': `
name: stopped
steps:
  - foreach: {items: [0, 1, 2, 3, 4], max_parallel: 1}
    command: [sh, -c, "echo stopped-$0 >> done.txt; test $0 != 3", "\${item}"]
    timeout: 1m
  - command: [echo, never]
finally:
  - command: [sh, -c, "echo stopped >> done.txt"]
`,
  'below.yml': `
name: below
inputs: {letter: {type: string}}
steps:
  - id: each
    foreach: [0, 1, 2, 3]
    command: [sh, -c, "echo below-$0-$1 >> done.txt; echo $0$1", "\${letter}", "\${item}"]
    timeout: 1m
  - command: [echo, "\${steps.each.output}"]
output: "\${steps.each.output}"
`,
};

const harness = await harnessOfFile();

/** More steps than the run has in all. */
const MOST = 110;

/**
 * How many steps each Temporal run should have: so few that all is cut in two somewhere that can be. Some in every run
 * of the tests.
 */
const LENGTHS = FULL ? Array.from({ length: MOST }, (_, index) => index + 1) : drawn();
function drawn(): number[] {
  const draw = random('link lengths');
  return [1, ...Array.from({ length: 5 }, () => 2 + Math.floor(draw() * (MOST / 4)))];
}

/** The same in one Temporal run. */
const WHOLE = 10_000;
const AT_ONCE = 5;

async function compiled(): Promise<Plan> {
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(harness.folder, name), text);
  await mkdir(join(harness.folder, 'definitions'), { recursive: true });
  const { plan, problems, texts } = compileDefinition({
    file: 'all.yml',
    cwd: harness.folder,
    project: findProject(harness.folder),
    config: {},
  });
  if (plan === null) throw new Error(JSON.stringify(problems));
  for (const text of texts.values()) await harness.store.putAlways(text);
  return plan;
}

/** What a run came to; in an order that is not of time. */
async function outcomeOf(plan: Plan, linkSteps: number): Promise<{ came: object; links: number }> {
  const workspace = join(harness.folder, `links-of-${linkSteps}`);
  await mkdir(workspace);
  const handle = await harness.start(plan, {
    linkSteps,
    settings: { workspace, budget: { ...NO_BUDGETS, max_parallel: 4 } },
  });
  const { status, error, output, spend } = await handle.result();
  const done = (await readFile(join(workspace, 'done.txt'), 'utf8')).trimEnd().split('\n').sort();
  const record = await harness.store.readRun(handle.workflowId);
  if (record === null) throw new Error('The run has left no record');
  const shown = shownIn(await viewOfRecord(record, harness.store));
  return {
    came: { status, error: error?.split('\n').sort(), output: await harness.json(output), spend, done, shown },
    links: (await linksOf(harness, handle)).length,
  };
}

/** Steps as people see them: each with how it ended, its rounds, and the run that is nested in it. */
function shownIn({ steps }: Pick<RunView, 'steps'>): unknown[] {
  return steps.map(({ path, status, result, rounds, nested }) => [
    path,
    status,
    result?.error ?? null,
    rounds.map((round) => [round.index, round.status, round.error, shownIn(round)]),
    nested === null ? null : shownIn(nested),
  ]);
}

it(
  'a run comes to the same, and is shown the same, wherever it continues as new',
  async () => {
    const plan = await compiled();
    const { came, links } = await outcomeOf(plan, WHOLE);
    expect(links).toBe(1);
    expect(came).toMatchObject({ status: 'partial' });
    const lengths = [...new Set(LENGTHS)];
    const failures: string[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let length = lengths.shift(); length !== undefined; length = lengths.shift()) {
          const ended = await outcomeOf(plan, length);
          const difference = differenceOf(linesOf(came), linesOf(ended.came));
          if (difference !== null) failures.push(`${length} steps in a link: ${difference}`);
          if (length < MOST / 4 && ended.links < 2) failures.push(`${length} steps in a link, and one link`);
        }
      }),
    );
    expect(failures).toEqual([]);
  },
  FULL ? 1_200_000 : 600_000,
);

function linesOf(came: object): string[] {
  return JSON.stringify(came, null, 1).split('\n');
}

/** Where two lists begin to differ, with what stands around there; null where they do not. */
function differenceOf(expected: string[], found: string[]): string | null {
  const at = expected.findIndex((line, index) => line !== found[index]);
  const around = (lines: string[]): string =>
    lines
      .slice(Math.max(0, at - 6), at + 6)
      .map((line) => line.trim())
      .join(' ');
  return at < 0 && expected.length === found.length ? null : `line ${at}: ${around(expected)} became ${around(found)}`;
}
