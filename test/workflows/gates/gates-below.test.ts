import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { loadConfig } from '../../../src/compiler/project/config.js';
import { findProject } from '../../../src/compiler/project/project.js';
import type { Decision, DecisionReceipt, Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import type { Plan } from '../../../src/plan/plan.js';
import { inline } from '../../../src/plan/values/value.js';
import { until } from '../../faults/project.js';
import { continueAsNew, createPeople, refusal } from '../helpers/gate-setting.js';
import { harnessOfFile } from '../helpers/harness.js';

const FILES = {
  'perdure.yml': '{}\n',
  'below.yml': `name: below
steps:
  - id: each
    foreach: [a, b]
    steps:
      - id: draft
        command: [printf, "%s", "\${item}: \${rework.feedback ?? 'a first draft'}"]
      - id: first
        approval: Is this it?
        content: "\${steps.draft.output}"
      - id: ok
        approval: Fine?
        content: "\${steps.first.output}"
        quorum: 2
        different_from: [first]
        rework: {step: draft, max: 1}
  - id: nest
    workflow: ./nest.yml
    inputs: {text: "\${steps.each.output}"}
`,
  'nest.yml': `name: nest
inputs: {text: {type: list}}
steps:
  - id: round
    loop: {until: "\${steps.sure.output == 'yes'}", max: 3}
    steps:
      - id: sure
        ask: Sure?
        choices: ["yes", "no"]
        required_approver: ana
        escalate: {after: 1s, to: cy}
      - id: okay
        approval: Really?
        content: "round \${index}: \${text[0]}, \${text[1]}"
        deadline: 1s
        default: approve
`,
};

const harness = await harnessOfFile();
const people = createPeople(harness);

async function compiled(): Promise<Plan> {
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(harness.folder, name), text);
  await mkdir(join(harness.folder, 'definitions'), { recursive: true });
  const project = findProject(harness.folder);
  const { plan, problems, texts } = compileDefinition({
    file: 'below.yml',
    cwd: harness.folder,
    project,
    config: loadConfig(project).config,
  });
  if (plan === null) throw new Error(JSON.stringify(problems));
  for (const text of texts.values()) await harness.store.putAlways(text);
  return plan;
}

it('gates in a foreach and in a loop of a nested workflow go their own course, as gates elsewhere do', async () => {
  const handle = await harness.start(await compiled());
  const run = handle.workflowId;
  /** The gate with this path, once it is open, in the run that owns it. */
  const gateAt = (path: string, owner = run, is: (gate: Gate) => boolean = () => true): Promise<Gate> =>
    until(async () => {
      const told = await harness.client.workflow
        .getHandle(owner)
        .describe()
        .catch(() => null); // A nested run may not have started.
      // written by the interpreter
      return ((told?.memo?.[MEMO.waiting] ?? []) as Gate[]).find((gate) => gate.path === path && is(gate));
    });
  const say = async (path: string, by: string, what: Partial<Decision> = {}, owner = run): Promise<DecisionReceipt> =>
    people.decide(owner, { gate: path, decision: 'approve', hash: (await gateAt(path, owner)).hash, by, ...what });

  await say('each/0/first', 'ana', { edit: inline('a: edited') });
  const early = await gateAt('each/1/first');
  await say('each/1/first', 'ana');
  expect(await refusal(say('each/0/ok', 'ana'))).toContain('wants somebody else than ana');
  await say('each/0/ok', 'bo');
  expect(await refusal(say('each/0/ok', 'bo'))).toContain('already decided by bo');

  // What was rejected goes back, and voids what ana had approved; the other item goes on where it was.
  await say('each/1/ok', 'bo', { decision: 'reject', comment: 'be brief' });
  const again = await gateAt('each/1/first', run, ({ hash }) => hash !== early.hash);
  expect(again.content).toEqual(inline('b: be brief'));
  expect(
    await refusal(people.decide(run, { gate: early.path, decision: 'approve', hash: early.hash, by: 'ana' })),
  ).toContain('shows other content');
  await continueAsNew(harness, run);
  await say('each/1/first', 'cy');
  await say('each/1/ok', 'bo');
  await say('each/1/ok', 'ana');
  await say('each/0/ok', 'cy');

  const nest = `${run}/nest`;
  await gateAt('nest/round/0/sure', nest, ({ escalated }) => escalated !== undefined);
  await say('nest/round/0/sure', 'cy', { decision: 'answer', value: inline('no') }, nest);
  expect(await refusal(say('nest/round/1/sure', 'eve', { decision: 'answer', value: inline('yes') }, nest))).toContain(
    'eve',
  );
  await say('nest/round/1/sure', 'ana', { decision: 'answer', value: inline('yes') }, nest);
  const outcome = await handle.result();
  expect(await harness.json(outcome.output)).toBe('round 1: a: edited, b: be brief');
  expect(await harness.results(outcome)).toMatchObject({ each: { status: 'success' }, nest: { status: 'success' } });
});
