import { describe, expect, it } from 'vitest';
import { deploySteps } from '../../../src/activities/builds/deploy-steps.js';
import { testedAgain } from '../../../src/activities/builds/steps/evidence-steps.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import { compileText } from '../../compiler/helpers/temporary-project.js';

const PLACE = { needs: ['tests'], mend: null, context: null, again: null, trouble: null };
const LOOPED = {
  needs: ['tests'],
  mend: { agent: 'scanner', name: 'Bob', rounds: 2 },
  context: {
    before: [{ name: 'task-1: Set up', text: 'Did it.' }],
    reviews: [],
    results: [{ name: 'tests', text: '${steps.tests.output ?? "It did not end."}' }],
  },
  again: testedAgain({
    test_command: ['npm', 'test'],
    start_command: null,
    page: null,
    needs: [],
    testers: [],
    fixed: ['tests'],
    mend: null,
    rules: null,
    context: null,
  }),
  trouble: {
    step: (part: string, { when, shown }: { when: string; shown: string }) => ({
      id: 'trouble',
      when: `\${${when}}`,
      approval: { message: part, content: shown, options: ['try again', 'stop'] },
    }),
    decided: "(steps.trouble.output ?? '') == 'stop'",
    wish: '',
    rounds: 3,
  },
};
const BOARDS = {
  deployment: { target: 'esp32' },
  devices: [
    { name: 'lamp', sources: ['lamp/lamp.ino'], expect: 'ready' },
    { name: 'door', images: [{ offset: 'bootloader', image: '${a}.bin' }], files: ['main.py'] },
    { name: 'bell', compile: ['make', 'bell.bin'], image: 'bell.bin' },
  ],
};
const DEVICES = JSON.stringify({
  devices: {
    lamp: { kind: 'simulated' },
    door: { kind: 'simulated', simulates: 'esp32' },
    bell: { kind: 'simulated', simulates: 'esp32c3' },
    esp32: { kind: 'simulated', simulates: 'esp32' },
  },
});

/** The steps in a workflow of our language: its problems, and the ids and kinds of its steps. */
function compiled(
  spec: Json,
  place = PLACE as Parameters<typeof deploySteps>[1],
): { problems: string[]; steps: string[] } {
  const { steps, output } = deploySteps(spec, place);
  const workflow = {
    name: 'tasks',
    execution: 'dag',
    workspace: 'worktree',
    steps: [{ id: 'begun', tool: 'compare_workspace' }, { id: 'tests', set: { ok: true } }, ...steps],
    output: { deploy: output },
  };
  const { plan, problems } = compileText(JSON.stringify(workflow), { 'perdure.yml': DEVICES });
  return {
    problems: problems.map(({ message }) => message),
    steps: plan?.steps.slice(2).map(({ id, kind }) => `${id ?? ''}: ${kind}`) ?? [],
  };
}

describe('the deployment of a build', () => {
  it.each<[string, JsonObject]>([
    ['a preview', {}],
    ['a page that is no target', { nugget: { type: 'website' } }],
    ['hardware without boards', { nugget: { type: 'hardware' } }],
  ])('has no steps for %s', (_, spec) => {
    expect(deploySteps(spec, PLACE)).toEqual({ steps: [], output: null });
  });

  it.each<[string, JsonObject, string[]]>([
    ['a page', { deployment: { target: 'web' } }, ['deploy_page: tool']],
    [
      'a page behind a checklist',
      { deployment: { target: 'web' }, rules: [{ trigger: 'before_deploy', prompt: 'Not a ${secret} in it.' }] },
      ['deploy_checklist: approval', 'deploy_page: tool'],
    ],
    [
      'boards: sources, images that are there, a command',
      BOARDS,
      [
        'deploy_1_compile: compile',
        'deploy_1_flash: flash',
        'deploy_1_listen: serial',
        'deploy_2_flash: flash',
        'deploy_2_listen: serial',
        'deploy_3_compile: tool',
        'deploy_3_flash: flash',
        'deploy_3_listen: serial',
      ],
    ],
  ])('is in our own language for %s', (_, spec, steps) => {
    expect(compiled(spec)).toEqual({ problems: [], steps });
  });

  it('sends a page that does not build back to its builder', () => {
    const web = { deployment: { target: 'web' } };
    expect(compiled(web, LOOPED)).toEqual({ problems: [], steps: ['deploy_page: loop'] });
    expect(deploySteps(web, LOOPED).output?.['page']).toBe('${steps.deploy_page.output.made ?? null}');
  });

  it('sends code that does not compile back to its builder, then asks a person, and flashes nothing', () => {
    const { problems, steps } = compiled(BOARDS, LOOPED);
    expect(problems).toEqual([]);
    expect(steps).toContain('deploy_1_compile: loop');
    const [loop, flash] = deploySteps(BOARDS, LOOPED).steps as JsonObject[];
    expect(loop).toMatchObject({
      loop: { max: 6 },
      steps: [
        { id: 'found' },
        { id: 'gathered', tool: 'gather_context', inputs: { results: [{ name: 'tests' }] } },
        { id: 'mend', agent: 'scanner' },
        { id: 'mended' },
        { id: 'compiled', on_error: 'continue' },
        { id: 'tested', tool: 'run_tests' },
        { id: 'authors' },
        { id: 'judged' },
        { id: 'trouble', when: '${steps.judged.output.ask}' },
        { id: 'good', require: expect.stringContaining('steps.tested.output.ok') as string },
      ],
    });
    expect(flash?.['when']).toBe('${steps.deploy_1_compile.output.made}');
  });

  it('of a board that cannot be flashed is a step that fails and says why', () => {
    const spec = { ...BOARDS, board_faults: { lamp: 'There is no ${lamp}.' } };
    expect(deploySteps(spec, PLACE).steps.slice(0, 2)).toMatchObject([
      { id: 'deploy_1_flash', set: { message: 'There is no \\${lamp}.' }, require: false },
      { id: 'deploy_2_flash' },
    ]);
    expect(compiled(spec).problems).toEqual([]);
  });

  it('asks before each flash unless the spec says `auto_flash`, and takes a board called esp32 for none', () => {
    const ready = (deployment: JsonObject): unknown[] =>
      (deploySteps({ deployment }, PLACE).steps as { flash?: JsonObject }[]).flatMap(({ flash }) =>
        flash === undefined ? [] : [[flash['device'], flash['ready'] !== undefined]],
      );
    expect(ready({ target: 'esp32' })).toEqual([['esp32', true]]);
    expect(ready({ target: 'esp32', auto_flash: true })).toEqual([['esp32', false]]);
  });
});
