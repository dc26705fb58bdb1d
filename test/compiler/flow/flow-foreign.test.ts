import { describe, expect, it } from 'vitest';
import { compileFlowText } from '../helpers/flow-compile.js';

describe('a file in another syntax', () => {
  it.each([
    ['JSON', '{"steps": [{"step": 1, "systemPrompt": "a -> b"}]}\n'],
    ['a diagram in Mermaid', '%% a\nflowchart TD\n  A[Start] --> B{Ok?}\n  B -->|yes| C\n'],
    ['a diagram in Mermaid', '---\ntitle: "x"\n---\ngraph LR\n  A --> B\n'],
    ['a workflow in YAML', 'name: x\nsteps:\n  - agent: a\n    prompt: "do it"\n'],
    ['YAML', 'name: x\njobs:\n  build:\n    runs-on: here\n'],
    ['a shell script', '#!/bin/sh\nset -e\nnpm test || exit 1\n'],
    ['a shell script', 'set -euo pipefail\nif [ -f a ]; then\n  echo "a"\nfi\n'],
    ['a Markdown document', '# Title\n\nThis is a guide.\n\n- one\n- two\n'],
    ['a Markdown document', 'Run this:\n\n```\na:"x" -> b:"y"\n```\n'],
    ['a Python program', 'import os\n\ndef main() -> None:\n    print("x")\n'],
    ['a Python program', '#!/usr/bin/env python3\nfrom a.b import c\nc()\n'],
  ])('is told in one sentence: %s', (what, text) => {
    const { problems } = compileFlowText(text.repeat(text.startsWith('{') ? 1 : 4));
    expect(problems).toMatchObject([{ code: 'foreign-file', severity: 'error' }]);
    expect(problems[0]?.message).toContain(`This seems to be ${what}`);
  });

  it.each([
    ['blocks', 'flow "deploy" {\n  step build {\n    run = "npm ci && npm run build"\n  }\n}\n'],
    ['sentences', 'step 1: analyze code\nstep 2: fix code\n  if failed then goto step 2\ndone\n'],
    ['tasks', 'task scan;\ntask review after scan;\ntask fix after review, scan;\n'],
  ])('that nobody knows is told in one sentence at its first fault: %s', (_what, text) => {
    const { problems } = compileFlowText(text);
    expect(problems).toMatchObject([{ code: 'foreign-file', severity: 'error', line: 1 }]);
    expect(problems[0]?.message).toMatch(/another syntax than that of flows: \d+ places cannot be read/);
  });

  it('with a few faults among steps is a flow, each of whose faults is told', () => {
    const step = 'Plan:"a" ';
    const { problems } = compileFlowText(`Explore:"x" ${step.repeat(7)}`);
    expect(problems.filter(({ code }) => code === 'missing-operator')).toHaveLength(7);
  });

  it('that other versions of the language had is refused by name, once', () => {
    for (const rest of ['', ' -> Plan:"a"']) {
      const { problems } = compileFlowText(`loop retry-with-backoff(3): Plan:"Try {x}"${rest}`);
      expect(problems.map(({ message }) => message)).toEqual([
        'This version knows no definition of `loop retry-with-backoff`.',
      ]);
    }
  });

  it('is no flow with a fault', () => {
    for (const text of [
      '# Title\n# - one\nExplore:"Write\n```\nx\n```" => Plan',
      '# Title\n- Explore:"x" -> Plan:"y"',
      'done:"x" =>\nfi:"y"',
    ])
      expect(compileFlowText(text).problems.map(({ code }) => code)).not.toContain('foreign-file');
  });
});

describe('agents that are nowhere', () => {
  it('are named in one problem that says what to do', () => {
    const { problems } = compileFlowText('scout:"x":a -> code-reviwer:"{a}":b -> judge:"{b}"');
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        message: 'There are no agents `scout`, `code-reviwer` (`code-reviewer`?), `judge`.',
        suggestion: expect.stringContaining('`.claude/agents/`') as string,
      },
    ]);
  });

  it('may be defined as the suggestion says', () => {
    const { plan } = compileFlowText('$scout := {base: "general-purpose", prompt: "…"}\n$scout:"x"');
    expect(plan?.steps).toHaveLength(1);
  });
});

describe('a name in braces that nothing captures', () => {
  it('comes with what to do, also where others are captured', () => {
    const { problems } = compileFlowText('Explore:"Look":seen -> Plan:"Plan {seen} in {braces}"');
    expect(problems).toMatchObject([
      { code: 'unknown-variable', suggestion: expect.stringContaining('`\\{`') as string },
    ]);
    expect(compileFlowText('Explore:"Look":seen -> Plan:"Plan {seen} in \\{braces}"').problems).toEqual([]);
  });
});

describe('a fault of syntax', () => {
  it.each([
    [`Explore:'Look at src':seen -> Plan:"Plan {seen}"`, `Explore:"Look at src":seen -> Plan:"Plan {seen}"`],
    ['Explore:Look at src -> Plan:"Plan {seen}"', null],
    ['Explore:"Look" as seen -> Plan:"Plan {seen}"', 'Explore:"Look":seen -> Plan:"Plan {seen}"'],
    ['Explore "Look":seen -> Plan:"Plan {seen}"', 'Explore:"Look":seen -> Plan:"Plan {seen}"'],
  ])('is one problem, and no unknown name beside it: %s', (text, mended) => {
    const { problems } = compileFlowText(text);
    expect(problems).toHaveLength(1);
    const [{ fix } = { fix: null }] = problems;
    if (mended === null || fix === null) return expect(mended).toBeNull();
    expect(text.slice(0, fix.column - 1) + fix.text + text.slice(fix.end_column - 1)).toBe(mended);
  });
});

describe('branches of one condition', () => {
  it('may capture the same name', () => {
    const text = 'Explore:"x":x (if passed)~> Plan:"a {x}":way (if failed)~> Plan:"b {x}":way';
    expect(compileFlowText(text).problems).toEqual([]);
  });
});
