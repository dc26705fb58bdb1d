import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/compiler/project/config.js';
import { findProject } from '../../src/compiler/project/project.js';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { compileIn, createProject } from './helpers/temporary-project.js';

const text = readFileSync(join(packageRoot(), 'docs', 'workflows.md'), 'utf8');
const snippets = [...text.matchAll(/^## (?<section>.*)$|^```yaml\n(?<yaml>[^]*?)^```$/gm)]
  .reduce<{ section: string; yaml: string }[]>((found, { groups }) => {
    const section = groups?.['section'] ?? found.at(-1)?.section ?? '';
    return [...found, { section, yaml: groups?.['yaml'] ?? '' }];
  }, [])
  .filter(({ yaml }) => yaml !== '');

const NESTED = 'inputs: {subject: {type: string}}\nsteps:\n  - agent: Explore\n    prompt: Look at ${subject}.\n';

describe('docs/workflows.md', () => {
  it('has snippets', () => expect(snippets.length).toBeGreaterThan(7));

  it.each(snippets)('shows what compiles: $section: $yaml', ({ section, yaml }) => {
    if (section === '`perdure.yml`') {
      expect(loadConfig(findProject(createProject({ 'perdure.yml': yaml }))).problems).toEqual([]);
      return;
    }
    const { plan, problems } = compileIn(createProject({ 'snippet.yml': yaml, 'nested.yml': NESTED }), 'snippet.yml');
    expect(problems).toEqual([]);
    expect(plan).not.toBeNull();
  });
});
