// @module-tag git
// @seconds 10
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShippedProject, Voices } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

const SECURITY = 'You are a security expert. You are shown one source file';
const PERFORMANCE = 'a thousand times the data';
const LINT = 'as a strict linter would';
const TYPES = 'You follow the types';
const REVIEWER = 'You review code as its next maintainer';
const AGGREGATOR = 'results of several scanners';

describe('full-review', () => {
  const voices: Voices = {
    [SECURITY]: () => ({ text: 'HIGH line 2: SECURITY-FINDING' }),
    [PERFORMANCE]: () => ({ text: 'line 2: PERFORMANCE-FINDING' }),
    [REVIEWER]: () => ({ text: 'reviewed' }),
  };

  it('shows both scanners the file, and the reviewer both reports', async () => {
    const { result } = await project.run('full-review', ['-i', 'target=subtractor.js'], voices);
    expect(result).toMatchObject({ status: 'success', output: 'reviewed' });
    expect(project.asked(SECURITY)[0]?.prompt).toContain('2\texport const subtract');
    for (const finding of ['SECURITY-FINDING', 'PERFORMANCE-FINDING'])
      expect(project.asked(REVIEWER)[0]?.prompt).toContain(finding);
  });

  it('is written without a scanner that failed', async () => {
    const { result } = await project.run('full-review', ['-i', 'target=adder.js'], {
      ...voices,
      [SECURITY]: () => ({ status: 400, message: 'no' }),
    });
    expect(result).toMatchObject({ status: 'partial', output: 'reviewed' });
    expect(project.asked(REVIEWER)[0]?.prompt).toContain('No security scan available');
  });
});

describe('parallel-scan', () => {
  it('hands the results of all scanners, failed ones too, to one report', async () => {
    const { result } = await project.run('parallel-scan', ['-i', 'target=subtractor.js'], {
      [SECURITY]: () => ({ text: 'S-FINDING' }),
      [LINT]: () => ({ text: 'L-FINDING' }),
      [TYPES]: () => ({ status: 400, message: 'no' }),
      [AGGREGATOR]: () => ({ text: 'one report' }),
    });
    expect(result).toMatchObject({ status: 'partial', output: 'one report' });
    const [report] = project.asked(AGGREGATOR);
    expect(report?.prompt).toContain('S-FINDING');
    expect(report?.prompt).toContain('L-FINDING');
    expect(report?.prompt).toContain('"status": "error"');
  });
});

describe('run-restaurant', () => {
  const voices: Voices = {
    'You close the books': () => ({ text: 'BALANCE-12' }),
    'You buy for a restaurant': ({ prompt }) => ({ text: `buy flour; ${/BALANCE-\d+/.exec(prompt)?.[0] ?? '?'}` }),
    'You take orders': ({ prompt }) => ({ text: `ORDER of ${/two soups/.exec(prompt)?.[0] ?? '?'}` }),
    'You prepare the payment': ({ prompt }) => ({ text: `8 for ${/ORDER/.exec(prompt)?.[0] ?? '?'}` }),
    "You write the kitchen's slip": ({ prompt }) => ({ text: `SLIP of ${/ORDER/.exec(prompt)?.[0] ?? '?'}` }),
    'You hand over an order': ({ prompt }) => ({ text: `handed over: ${/SLIP of ORDER/.exec(prompt)?.[0] ?? '?'}` }),
    'You plan the cleaning': ({ prompt }) => ({ text: `clean after ${/handed over/.exec(prompt)?.[0] ?? '?'}` }),
  };

  it('runs its four workflows in order, each with what it needs', async () => {
    const inputs = ['takings=900 in, 300 out', 'stock=no flour', 'menu=soup 4', 'guest=two soups please'].flatMap(
      (pair) => ['-i', pair],
    );
    const { result } = await project.run('run-restaurant', inputs, voices);
    expect(result.status).toBe('success');
    expect(result.output).toBe(
      '# Books\nBALANCE-12\n\n# Bought\nbuy flour; BALANCE-12\n\n# Served\nhanded over: SLIP of ORDER\n\n# ' +
        'Cleaning\nclean after handed over\n',
    );
  });

  it('says which workflow needs an input that is not given, and starts nothing', async () => {
    const { code, stderr } = await project.perdure(
      'run',
      'run-restaurant',
      '-i',
      'takings=1',
      '-i',
      'stock=1',
      '-i',
      'menu=1',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('`guest`');
    expect(stderr).toContain('service/order');
  });
});

describe('serve-customers', () => {
  it("runs alone as well, with the guest's channel", async () => {
    const { result } = await project.run(
      'serve-customers',
      ['-i', 'menu=tea 2', '-i', 'guest=a tea', '-i', 'channel=app'],
      {
        'You take orders': ({ prompt }) => ({ text: `order by ${/app/.exec(prompt)?.[0] ?? '?'}` }),
        'You prepare the payment': () => ({ text: 'paid' }),
        "You write the kitchen's slip": () => ({ text: 'slip' }),
        'You hand over': ({ prompt }) => ({ text: /order by app/.exec(prompt)?.[0] ?? '?' }),
      },
    );
    expect(result.output).toBe('order by app');
  });
});
