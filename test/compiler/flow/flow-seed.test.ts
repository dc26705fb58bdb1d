import { describe, expect, it } from 'vitest';
import { pendingGraph } from '../../../src/cli/render/plan/pending-graph.js';
import { compileFlowText, flowPlan } from '../helpers/flow-compile.js';

/** The complete example of arrow flows, word for word. */
const SEED = `$security-scanner := {
  base: "general-purpose",
  prompt: "You are a security expert. Focus on OWASP top 10 vulnerabilities.",
  model: "opus"
}

$fixer := {
  base: "expert-code-implementer",
  prompt: "Fix security issues while maintaining functionality.",
  model: "sonnet"
}

$security-scanner:"Scan authentication and authorization code":issues ->
$fixer:"Fix the following issues: {issues}":fixes ->
general-purpose:"Verify fixes are complete"
`;

/** The graph of a flow that must compile. */
function graphOf(text: string) {
  const { plan, texts, problems } = compileFlowText(text);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return pendingGraph({ plan, texts });
}

describe('the complete example of arrow flows', () => {
  it('has the graph of the seed, field for field', () => {
    expect(graphOf(SEED)).toEqual({
      nodes: [
        {
          id: 'node-0',
          type: 'agent',
          agent: 'general-purpose',
          outputVar: 'issues',
          model: 'opus',
          instruction:
            'You are a security expert. Focus on OWASP top 10 vulnerabilities.\n\nScan authentication and ' +
            'authorization code',
          status: 'pending',
        },
        {
          id: 'node-1',
          type: 'agent',
          agent: 'expert-code-implementer',
          outputVar: 'fixes',
          model: 'sonnet',
          templateVars: ['issues'],
          instruction: 'Fix security issues while maintaining functionality.\n\nFix the following issues: {issues}',
          status: 'pending',
        },
        {
          id: 'node-2',
          type: 'agent',
          agent: 'general-purpose',
          instruction: 'Verify fixes are complete',
          status: 'pending',
        },
      ],
      edges: [
        { from: 'node-0', to: 'node-1' },
        { from: 'node-1', to: 'node-2' },
      ],
      variables: {},
    });
  });

  it('compiles to three steps in order, whose agents have base and prompt', () => {
    const plan = flowPlan(SEED);
    const [scan, fix, verify] = plan.steps;
    expect(plan.steps.map(({ needs }) => needs.map(({ step }) => step))).toEqual([[], [0], [1]]);
    expect([scan, fix, verify].map((step) => step?.kind === 'agent' && plan.agents[step.agent]?.name)).toEqual([
      'security-scanner',
      'fixer',
      'general-purpose',
    ]);
    expect(fix).toMatchObject({
      prompt: {
        kind: 'text',
        parts: ['Fix the following issues: ', { expression: { root: 'step:0.output', source: 'issues' } }],
      },
    });
    const scanner = scan?.kind === 'agent' ? plan.agents[scan.agent] : undefined;
    expect(scanner?.model).toBe('opus');
    expect(JSON.stringify(scanner?.prompt)).toContain(
      '\\n\\nYou are a security expert. Focus on OWASP top 10 vulnerabilities.',
    );
  });
});

describe('the graph of a flow', () => {
  it('has edges for order, branches, conditions and jumps', () => {
    const graph = graphOf(
      '@try -> [Explore:"a":a || Plan:"b"] -> general-purpose:"{a}" (if failed)~> Plan:"c" -> @try (if ' +
        'passed)~> @ship:"Ship {a}?"',
    );
    expect(graph).toMatchObject({
      nodes: [
        { id: 'node-0' },
        { id: 'node-1' },
        { id: 'node-2' },
        { id: 'node-3' },
        { id: 'node-4', type: 'checkpoint', name: 'ship' },
      ],
      edges: [
        { from: 'node-0', to: 'node-2' },
        { from: 'node-1', to: 'node-2' },
        { from: 'node-2', to: 'node-3', condition: 'failed' },
        { from: 'node-3', to: 'node-0' },
        { from: 'node-3', to: 'node-1' },
        { from: 'node-2', to: 'node-4', condition: 'passed' },
      ],
    });
  });

  it('adds an edge for a reference only where nothing else orders the two', () => {
    expect(graphOf('Explore:"a":a -> Plan:"b" -> Plan:"{a}"')).toMatchObject({
      edges: [
        { from: 'node-0', to: 'node-1' },
        { from: 'node-1', to: 'node-2' },
      ],
    });
  });
});
