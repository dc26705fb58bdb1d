// @seconds 15
// @module-tag python-venv
// @module-tag sandbox
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { deploySteps } from '../../src/activities/builds/deploy-steps.js';
import type { Json } from '../../src/plan/values/json.js';
import { createPeople } from '../workflows/helpers/gate-setting.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { closeEspBoards, espImage } from './esp-boards.js';
import { endOf, startFlow } from './flow.js';
import { installPythonTool } from './python-tools.js';

closeEspBoards();

const harness = await harnessOfFile();
const people = createPeople(harness);
beforeAll(() => installPythonTool('esptool', '5.6.0'));

const SPEC = parse(readFileSync(new URL('../../definitions/builds/esp-counter.yml', import.meta.url), 'utf8')) as Json;
/** What a builder of that spec writes. */
const makeFor = (chip: 'esp32' | 'esp32s3'): string => {
  const image = espImage(chip, ['counter ready', 'tick %d']).toString('base64');
  return `import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('counter', { recursive: true });
writeFileSync('counter/counter.bin', Buffer.from('${image}', 'base64'));
`;
};

/** The deployment of the shipped spec, for a builder that wrote this script. */
async function deploy(script: string): Promise<Awaited<ReturnType<typeof startFlow>>> {
  const { steps, output } = deploySteps(SPEC, {
    needs: ['tests'],
    mend: null,
    context: null,
    again: null,
    trouble: null,
  });
  return startFlow(harness, {
    devices: { counter: { kind: 'simulated', simulates: 'esp32' } },
    execution: 'dag',
    steps: [{ id: 'tests', set: { ok: true } }, ...steps],
    output: output as never, // a map of templates, as YAML would have it
    files: { 'make-image.mjs': script },
  });
}

describe('the deployment of the shipped build for an ESP32', () => {
  it('asks, makes the image, flashes the simulated board and hears it count', async () => {
    const run = await deploy(makeFor('esp32'));
    const checklist = await people.gate(run.workflowId, ({ path }) => path === 'deploy_checklist');
    expect(await harness.json(checklist.content)).toContain('[ ] The board is not one that something else depends on.');
    await people.say(run.workflowId, 'ana');
    const ready = await people.gate(run.workflowId, ({ path }) => path === 'deploy_1_flash');
    expect(ready).toMatchObject({ kind: 'ready', message: 'Is `counter` plugged in and ready to be flashed?' });
    await people.say(run.workflowId, 'ana');
    const { outcome } = await endOf(harness, run);
    expect({ status: outcome.status, error: outcome.error }).toEqual({ status: 'success', error: null });
    expect(await harness.json(outcome.output)).toMatchObject({
      target: 'esp32',
      devices: {
        counter: {
          compile_error: null,
          flashed: { images: [{ offset: '0x10000' }] },
          heard: expect.stringMatching(/simulated: counter ready[^]*simulated: tick 3$/) as string,
        },
      },
    });
  });

  it('flashes nothing that does not compile, and tells with its line why', async () => {
    const run = await deploy("console.error('counter.c:7:3: error: expected `;`');\nprocess.exit(1);\n");
    await people.say(run.workflowId, 'ana', {});
    const { outcome, steps } = await endOf(harness, run);
    expect(outcome.status).not.toBe('success');
    expect(steps).toMatchObject({
      deploy_1_compile: { status: 'error', error: expect.stringContaining('counter.c:7:3: error') as string },
      deploy_1_flash: { status: 'skipped' },
      deploy_1_listen: { status: 'skipped' },
    });
  });

  it.each([
    ['was made for another chip', makeFor('esp32s3'), 'The image is for `esp32s3`'],
    ['was not made', '', 'The image `counter/counter.bin` cannot be used: there is no such file.'],
  ])(
    'fails by its step alone where the image %s, and asks nobody whether the board is there',
    async (_, script, said) => {
      const run = await deploy(script);
      await people.say(run.workflowId, 'ana', {});
      const { outcome, steps } = await endOf(harness, run);
      expect(outcome.status).toBe('partial');
      expect(steps).toMatchObject({
        deploy_1_compile: { status: 'success' },
        deploy_1_flash: { status: 'error', error: expect.stringContaining(said) as string },
        deploy_1_listen: { status: 'skipped' },
      });
    },
  );
});
