// @module-tag git
// @seconds 10
import { readFileSync } from 'node:fs';
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

const REVIEWERS = {
  defects: 'You review code for defects',
  security: 'You review code for weaknesses',
  structure: 'You judge the structure',
  practice: 'You judge how people work',
};
const WRITER = 'You write a review report';
const CHECKER = 'You are given a draft report';

/** Each answer holds what it was asked about, so that a later step can only know it from there. */
const VOICES: Voices = {
  [REVIEWERS.defects]: () => ({ text: '- **low** `adder.js:1` FINDING-DEFECTS' }),
  [REVIEWERS.security]: () => ({ text: '- **high** `subtractor.js:2` FINDING-SECURITY' }),
  [REVIEWERS.structure]: () => ({ text: '- **low** `adder.js` FINDING-STRUCTURE' }),
  [REVIEWERS.practice]: () => ({ text: '- **medium** `subtractor.js:1` FINDING-PRACTICE' }),
  [WRITER]: ({ prompt }) => ({ text: `# Review\nDRAFT of ${(prompt.match(/FINDING-[A-Z]+/g) ?? []).length} findings` }),
  [CHECKER]: ({ prompt }) => ({
    text: `# Review\nCHECKED ${/DRAFT of \d findings/.exec(prompt)?.[0] ?? 'nothing'}\nlast line`,
  }),
};

const report = (name: string): string => readFileSync(join(project.folder, name), 'utf8');

describe('review-repository', () => {
  it('hands measured facts to four reviewers, their findings to the writer, and saves what was approved', async () => {
    const { code, result } = await project.run('review-repository', ['-i', 'report=out.md'], VOICES);
    expect(result).toMatchObject({ status: 'success', output: 'out.md', rehearsal: false, error: null });
    expect(code).toBe(0);

    const [defects] = project.asked(REVIEWERS.defects);
    expect(defects?.prompt).toContain('### adder.js\n1\texport const add = (a, b) => a + b;');
    const [security] = project.asked(REVIEWERS.security);
    expect(security?.prompt).toContain('subtractor.js:2: export const subtract = (a, b) => eval(`${a}-${b}`);');
    const [structure] = project.asked(REVIEWERS.structure);
    expect(structure?.prompt).toContain('2 commits  adder.js');
    const [practice] = project.asked(REVIEWERS.practice);
    expect(practice?.prompt).toMatch(/Ana: Mend addition\n\n 1 file changed, 1 insertion\(\+\), 1 deletion/);

    const [writer] = project.asked(WRITER);
    expect(writer?.prompt).toContain('subtractor.js:1: // TODO: negative numbers');
    for (const name of ['DEFECTS', 'SECURITY', 'STRUCTURE', 'PRACTICE'])
      expect(writer?.prompt).toContain(`FINDING-${name}`);
    const [checker] = project.asked(CHECKER);
    expect(checker?.prompt).toContain('DRAFT of 4 findings');
    expect(report('out.md').trimEnd()).toBe('# Review\nCHECKED DRAFT of 4 findings\nlast line');
  });

  it('writes the report without a reviewer that failed, and tells the writer so', async () => {
    const voices: Voices = {
      ...VOICES,
      [REVIEWERS.security]: () => ({ status: 400, kind: 'invalid_request_error', message: 'no' }),
    };
    const { code, result } = await project.run('review-repository', ['-i', 'report=three.md'], voices);
    expect(result.status).toBe('partial');
    expect(code).toBe(1);
    expect(project.asked(WRITER)[0]?.prompt).toContain('"status": "error"');
    expect(report('three.md')).toContain('CHECKED DRAFT of 3 findings');
  });

  it('in a rehearsal calls no model, runs every command, and says in the report what it is', async () => {
    const { code, result } = await project.run('review-repository', ['-i', 'report=rehearsal.md', '--rehearse']);
    expect(result).toMatchObject({ status: 'success', rehearsal: true });
    expect(code).toBe(0);
    expect(project.asked('')).toEqual([]);
    expect(report('rehearsal.md')).toMatch(
      /^# Review of perdure-definitions-\w+ at [0-9a-f]+ of .*\n\n> \*\*Rehearsal\.\*\* No model was called/,
    );
    expect(report('rehearsal.md')).toContain('2 commits  adder.js');
  });

  it("stops with git's own words where there is no repository", async () => {
    const { code, result } = await project.run(
      'review-repository',
      ['-i', 'repository=/dev', '-i', 'report=none.md'],
      VOICES,
    );
    expect(result.status).toBe('error');
    expect(result.error).toContain('not a git repository');
    expect(code).toBe(1);
    expect(project.asked('')).toEqual([]);
  });
});
