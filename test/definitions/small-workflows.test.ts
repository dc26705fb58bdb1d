import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => { project = await openShippedProject(); });
afterAll(async () => { await project.close(); });

describe('release-notes', () => {
  it('shows the writer the commits and files after a revision, and none before it', async () => {
    const { result } = await project.run('release-notes', ['-i', 'from=v1'], { 'You write release notes': () => ({ text: '## Added\n- Subtraction' }) });
    expect(result).toMatchObject({ status: 'success', output: '## Added\n- Subtraction' });
    const [{ prompt } = { prompt: '' }] = project.asked('You write release notes');
    expect(prompt).toMatch(/[0-9a-f]{7,} Mend addition\n/);
    expect(prompt).toContain(' subtractor.js | 2 ++');
    expect(prompt).not.toContain('Begin\n');
  });

  it('takes a revision that looks like an option for a revision', async () => {
    const { result } = await project.run('release-notes', ['-i', 'from=--output=stolen']);
    expect(result.status).toBe('error');
    expect(readdirSync(project.folder)).not.toContain('stolen..HEAD');
    expect(project.asked('')).toEqual([]);
  });
});

describe('explain-file', () => {
  it('shows the file with line numbers, its history and the question', async () => {
    const { result } = await project.run('explain-file', ['-i', 'file=adder.js', '-i', 'question=Why a plus?'], { 'You explain a source file': () => ({ text: 'It adds.' }) });
    expect(result).toMatchObject({ status: 'success', output: 'It adds.' });
    const [{ prompt } = { prompt: '' }] = project.asked('You explain');
    expect(prompt).toMatch(/^Why a plus\?/);
    expect(prompt).toContain('1\texport const add = (a, b) => a + b;');
    expect(prompt).toMatch(/Mend addition\n.*Begin/);
  });

  it('stops before it asks a model when the file is not there', async () => {
    const { result } = await project.run('explain-file', ['-i', 'file=nowhere.js']);
    expect(result.status).toBe('error');
    expect(result.error).toContain('nowhere.js');
    expect(project.asked('')).toEqual([]);
  });
});

describe('changelog-check', () => {
  it('gives what is missing as JSON, and asks again when the answer is none', async () => {
    const answers = ['All is well!', JSON.stringify({ complete: false, missing: [{ commit: 'abc1234', entry: 'Addition adds' }] })];
    let asked = 0;
    const { result } = await project.run('changelog-check', ['-i', 'since=v1'], { 'You compare a change log': () => ({ text: answers[asked++] ?? '' }) });
    expect(result).toMatchObject({ status: 'success', output: { complete: false, missing: [{ commit: 'abc1234', entry: 'Addition adds' }] } });
    const [first, second] = project.asked('You compare a change log');
    expect(first?.prompt).toContain('## next\n- Subtraction');
    expect(first?.prompt).toContain('Mend addition');
    expect(second?.messages.map(({ text }) => text).join('\n')).toContain('All is well!');
  });
});

it('leaves no shipped workflow without a test', () => {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts')).map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');
  const shipped = readdirSync(join(project.folder, 'definitions', 'workflows')).map((name) => name.replace(/\.yml$/, ''));
  // `write-report` is run by `review-repository`.
  expect(shipped.filter((name) => name !== 'write-report' && !tests.includes(`'${name}'`))).toEqual([]);
});
