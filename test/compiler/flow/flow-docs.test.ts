import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { compileFlowText } from '../helpers/flow-compile.js';

const text = readFileSync(join(packageRoot(), 'docs', 'flows.md'), 'utf8');
const snippets = [...text.matchAll(/^```flow\n([^]*?)^```$/gm)].map(([, snippet]) => snippet ?? '');

describe('docs/flows.md', () => {
  it('has snippets', () => expect(snippets.length).toBeGreaterThan(4));

  it.each(snippets)('shows what compiles: %s', (snippet) => {
    const { plan, problems } = compileFlowText(snippet);
    expect(problems).toEqual([]);
    expect(plan).not.toBeNull();
  });
});
