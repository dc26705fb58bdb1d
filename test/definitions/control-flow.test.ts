// @module-tag git
// @seconds 10
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

const verdict = (good: boolean, advice: string): { text: string } => ({ text: JSON.stringify({ good, advice }) });

describe('polish-text', () => {
  it('rewrites by the advice of the round before, until the critic is content', async () => {
    const drafts = ['One adds.', 'It adds.'];
    const verdicts = [verdict(false, 'Say what adds.'), verdict(true, '')];
    let edited = 0;
    let judged = 0;
    const { result } = await project.run('polish-text', ['-i', 'file=adder.js'], {
      'You rewrite texts': () => ({ text: drafts[edited++] ?? 'too often' }),
      'You judge texts': () => verdicts[judged++] ?? verdict(true, 'too often'),
    });
    expect(result).toMatchObject({ status: 'success', output: { text: 'It adds.', shorter: true } });
    const [first, second, third] = project.asked('You rewrite texts').map(({ prompt }) => prompt);
    expect(first).toContain('Advice: none yet\n\nexport const add');
    expect(second).toContain('Advice: Say what adds.\n\nOne adds.');
    expect(third).toBeUndefined();
  });

  it('takes the fourth draft when the critic never is', async () => {
    const { result } = await project.run('polish-text', ['-i', 'file=subtractor.js'], {
      'You rewrite texts': () => ({ text: 'Same.' }),
      'You judge texts': () => verdict(false, 'More!'),
    });
    expect(result).toMatchObject({ status: 'success', output: { text: 'Same.', shorter: true } });
    expect(project.asked('You rewrite texts')).toHaveLength(4);
  });
});

describe('review-changes', () => {
  it('reviews each changed file by itself, and tells of all in their order', async () => {
    const { result } = await project.run('review-changes', ['-i', 'since=v1'], {
      'You review code for defects': ({ prompt }) => ({
        text: JSON.stringify({ summary: /change of (\S+)/.exec(prompt)?.[1] }),
      }),
    });
    expect(result).toMatchObject({
      status: 'success',
      output: [
        { file: 'adder.js', summary: 'adder.js' },
        { file: 'subtractor.js', summary: 'subtractor.js' },
      ],
    });
    const asked = project
      .asked('You review code for defects')
      .map(({ prompt }) => prompt)
      .sort();
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('+export const add = (a, b) => a + b;');
  });

  it('goes on with the other files when one cannot be reviewed', async () => {
    const { result } = await project.run('review-changes', ['-i', 'since=v1'], {
      'You review code for defects': ({ prompt }) =>
        prompt.includes('adder.js') ? { status: 400, message: 'no' } : { text: '{"summary": "fine"}' },
    });
    expect(result).toMatchObject({ status: 'partial', output: [null, { file: 'subtractor.js', summary: 'fine' }] });
  });
});
