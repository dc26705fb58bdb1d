// @module-tag git
// @seconds 20
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

describe('daily-digest', () => {
  it('shows the commits of the last day up to a time, and asks nobody where there are none', async () => {
    const { result } = await project.run('daily-digest', [], {
      '': () => ({ text: 'Addition was mended.' }),
    });
    expect(result).toMatchObject({ status: 'success', output: 'Addition was mended.' });
    expect(project.asked('')[0]?.prompt).toContain('Mend addition');
    const before = await project.run('daily-digest', ['-i', 'until=1990-01-01']);
    expect(before.result).toMatchObject({ status: 'success', output: 'Nothing has changed.' });
    expect(project.asked('')).toEqual([]);
  });
});

describe('explain-failure', () => {
  it('shows the commit of the build, takes no option for one, and keeps what a person approves', async () => {
    const { result } = await project.run('explain-failure', ['-i', 'title=CI', '-i', 'commit=HEAD', '--yes'], {
      '': () => ({ text: 'The sign.' }),
    });
    expect(result).toMatchObject({ status: 'success', output: 'The sign.' });
    expect(project.asked('')[0]?.prompt).toContain('The build of "CI" has failed.');
    const odd = ['-i', 'title=CI', '-i', 'commit=--output=stolen', '--unattended'];
    const { result: other } = await project.run('explain-failure', odd, { '': () => ({ text: 'Unknown.' }) });
    expect(other.output).toBe('');
    expect(readdirSync(project.folder)).not.toContain('stolen');
    expect(project.asked('')[0]?.prompt).toContain('The commit is not here.');
  });
});
