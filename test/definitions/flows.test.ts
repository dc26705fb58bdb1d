// @module-tag git
// @seconds 20
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

const GENERAL = 'You do the task you are given';
const IMPLEMENTER = 'You implement the change you are given';
const EXPERT = 'You are a security expert. Focus on OWASP';

interface Graph {
  nodes: { id: string; status: string; outputVar?: string }[];
  variables: Record<string, unknown>;
}

const graphOf = async (run: string): Promise<Graph> =>
  JSON.parse((await project.perdure('show', run, '--format', 'graph')).stdout) as Graph;

describe('the flow security-fix', () => {
  const voices = (issues: string): Voices => ({
    [EXPERT]: () => ({ text: issues }),
    [IMPLEMENTER]: ({ prompt }) => ({ text: `fixed ${/ISSUE-\d/.exec(prompt)?.[0] ?? 'nothing'}` }),
    [GENERAL]: ({ prompt }) => ({
      text: prompt.includes('Verify')
        ? `verified: ${/fixed ISSUE-\d/.exec(prompt)?.[0] ?? 'nothing'}`
        : 'nothing was found',
    }),
  });

  it('scans, has a person agree, fixes and verifies; its graph tells what became of each node', async () => {
    const { result } = await project.run(
      '../flows/security-fix.flow',
      ['-i', 'target=.'],
      voices('ISSUE-7 in subtractor.js: eval'),
    );
    expect(result).toMatchObject({ status: 'success', output: 'verified: fixed ISSUE-7' });
    expect(project.asked(EXPERT)[0]?.prompt).toContain('Scan . for');
    const graph = await graphOf(result.run);
    expect(graph.nodes.map(({ status }) => status)).toEqual(['success', 'skipped', 'success', 'success', 'success']);
    expect(graph.variables).toEqual({ issues: 'ISSUE-7 in subtractor.js: eval', fixes: 'fixed ISSUE-7' });
  });

  it('writes one paragraph when nothing was found, and captures no fixes', async () => {
    const { result } = await project.run('../flows/security-fix.flow', [], voices('no issues'));
    expect(result).toMatchObject({ status: 'success', output: 'nothing was found' });
    const graph = await graphOf(result.run);
    expect(graph.nodes.map(({ status }) => status)).toEqual(['success', 'success', 'skipped', 'skipped', 'skipped']);
    expect(graph.variables).toEqual({ issues: 'no issues', fixes: null });
  });
});

describe('the flow fix-tests', () => {
  it('mends until the tests pass, and shows the latest round in its graph', async () => {
    const results = ['two fail\nRESULT: failed', 'one fails\nRESULT: failed', 'none fails\nRESULT: passed'];
    const { result } = await project.run('../flows/fix-tests.flow', ['the login', '-i', 'command=npm run t'], {
      [IMPLEMENTER]: ({ prompt }) => ({ text: `mended: ${/(?:two|one) fails?/.exec(prompt)?.[0] ?? '?'}` }),
      [GENERAL]: () => ({ text: results.shift() ?? '' }),
    });
    expect(result.status).toBe('success');
    const tests = project.asked(GENERAL).map(({ prompt }) => prompt);
    expect(tests).toHaveLength(3);
    expect(tests[0]).toContain('Run `npm run t`');
    expect(tests[2]).toContain('mended: one fails');
    const graph = await graphOf(result.run);
    expect(graph.nodes.map(({ status }) => status)).toEqual(['success', 'skipped', 'success']);
    expect(graph.variables).toEqual({ result: 'none fails\nRESULT: passed', fix: 'mended: one fails' });
  });
});

describe('the flow two-reviews', () => {
  it('asks what to look for before anything else, so that it cannot run unattended', async () => {
    const { result } = await project.run('../flows/two-reviews.flow', []);
    expect(result.status).toBe('error');
    expect(project.asked('')).toEqual([]);
  });

  it('gives both reviewers the answer, and the writer both reviews', async () => {
    const voices: Voices = {
      'You review code as its next maintainer': ({ prompt }) => ({
        text: `DEFECTS ${prompt.includes('races') ? 'races' : '?'}`,
      }),
      'You design the implementation': ({ prompt }) => ({
        text: `STRUCTURE ${prompt.includes('races') ? 'races' : '?'}`,
      }),
      [GENERAL]: ({ prompt }) => ({
        text: `report: ${(prompt.match(/(?:DEFECTS|STRUCTURE) races/g) ?? []).join(', ')}`,
      }),
    };
    const again = () => project.run('../flows/two-reviews.flow', ['--id', 'two-reviews', '--no-wait'], voices);
    expect((await again()).code).toBe(4);
    await project.perdure('answer', 'two-reviews/focus', 'races');
    expect((await again()).code).toBe(4);
    await project.perdure('approve', 'two-reviews/accept');
    expect((await again()).result).toMatchObject({
      status: 'success',
      output: 'report: DEFECTS races, STRUCTURE races',
    });
  });
});

it('ships tests that pass, in which no model and no command is asked', async () => {
  const { code, stdout } = await project.perdure('test', 'definitions');
  expect({ code, passed: stdout.match(/^✓ .*$/gm) }).toEqual({
    code: 0,
    passed: [
      '✓ definitions/flows/fix-tests.flow.test',
      '✓ definitions/flows/security-fix.flow.test',
      '✓ definitions/workflows/guarded-release.test.yml',
      '✓ definitions/workflows/until-green.test.yml',
    ],
  });
});

it('leaves no shipped flow without a test', () => {
  const tests = readFileSync(import.meta.filename, 'utf8');
  expect(
    readdirSync(join(project.folder, 'definitions', 'flows')).filter(
      (name) => name.endsWith('.flow') && !tests.includes(`/${name}'`),
    ),
  ).toEqual([]);
});

describe('the flow nightly-notes', () => {
  const voices = (holds: boolean): Voices => ({
    'You explore code': () => ({ text: 'two commits' }),
    [GENERAL]: ({ prompt }) => ({ text: prompt.includes('announces') ? 'MESSAGE' : 'NOTES' }),
    'You decide in place of a person': () => ({
      text: JSON.stringify({ holds, reason: holds ? 'nothing is missing' : 'the second commit is missing' }),
    }),
  });

  it('has a model judge in an unattended run, and goes on by its yes, which is told as that', async () => {
    const { result } = await project.run('../flows/nightly-notes.flow', ['--unattended'], voices(true));
    expect(result).toMatchObject({ status: 'success', output: 'MESSAGE' });
    const [judged] = project.asked('You decide in place of a person');
    expect(judged?.prompt).toContain('do they tell no secret?');
    expect(judged?.prompt).toContain('NOTES');
    const shown = await project.perdure('show', result.run, '--json');
    expect(shown.stdout).toContain('approved by judge (a model): nothing is missing');
  });

  it('ends by its no, with its reason, and asks nobody else', async () => {
    const { result } = await project.run('../flows/nightly-notes.flow', ['--unattended'], voices(false));
    expect(result.status).toBe('error');
    expect(result.error).toContain('judge (a model) says abort: the second commit is missing');
    expect(project.asked(GENERAL)).toHaveLength(1);
  });

  it('asks no model where the submitter approves', async () => {
    const { result } = await project.run('../flows/nightly-notes.flow', [], voices(false));
    expect(result).toMatchObject({ status: 'success', output: 'MESSAGE' });
    expect(project.asked('You decide in place of a person')).toEqual([]);
  });
});
