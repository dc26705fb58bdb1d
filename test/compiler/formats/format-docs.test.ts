import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

/** The snippets of a page, by the file that they show. */
const PAGES: Record<string, string[]> = {
  chains: ['chain.json', 'workflow.yml'],
  agents: ['agent.yml', 'definitions/agents/guarded.yml', 'fixer.yml'],
  projects: ['project.json', 'main.agent', 'scout.agent'],
  builds: ['build.yml'],
};

describe.each(Object.entries(PAGES))('docs/%s.md', (page, files) => {
  const text = readFileSync(join(packageRoot(), 'docs', `${page}.md`), 'utf8');
  const snippets = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, language, snippet]) =>
    language === 'sh' ? [] : [snippet ?? ''],
  );

  it('shows what compiles', () => {
    expect(snippets).toHaveLength(files.length);
    const root = createProject({
      'transcript.txt': 'Hello.',
      '.claude/hooks/guard.sh': 'exit 0\n',
      ...Object.fromEntries(files.map((file, index) => [file, snippets[index] ?? ''])),
    });
    for (const file of files) {
      const { plan, problems } = compileIn(root, file);
      expect({ file, problems, plan: plan !== null }).toEqual({ file, problems: [], plan: true });
    }
  });
});

describe('docs/tools.md', () => {
  it('shows a tool that lints', () => {
    const [, snippet = ''] =
      /^```yaml\n([^]*?)^```$/m.exec(readFileSync(join(packageRoot(), 'docs', 'tools.md'), 'utf8')) ?? [];
    const file = 'definitions/tools/word-count/tool.yml';
    expect(validatePaths([file], createProject({ [file]: snippet })).problems).toEqual([]);
  });
});

/** A page for each format, with a part for those who bring its files. */
it.each(['agents', 'builds', 'chains', 'flows', 'projects', 'tools', 'workflows'])(
  'docs/%s.md tells those who come from elsewhere what differs',
  (page) => {
    expect(readFileSync(join(packageRoot(), 'docs', `${page}.md`), 'utf8')).toMatch(/^## Coming from /m);
  },
);
