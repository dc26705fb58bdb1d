import { describe, expect, it } from 'vitest';
import { packPlan, shortPlan, unpackPlan } from '../../../src/plan/packing/packed-plan.js';
import { everything } from '../../cli/helpers/every-kind.js';
import { after, body, commandStep, needs, plan, stepBase } from '../helpers/build-plan.js';

describe('a packed plan', () => {
  const whole = plan(
    [
      commandStep(0, ['git', 'log'], { retry: { attempts: 1, backoff_ms: 2_000 }, timeout_ms: 300_000 }),
      {
        ...commandStep(1, ['cat'], { id: 'x', needs: needs(0), effect: 'external' }),
        stdin: { kind: 'literal', value: 'in' },
        env: { A: { kind: 'literal', value: 'b' } },
      },
      { ...stepBase(2), kind: 'approval', message: { kind: 'literal', value: '?' }, content: null, fallback: 'skip' },
      { ...stepBase(3), kind: 'workflow', workflow: 'leaf', plan: 'sha256:leaf', inputs: {} },
      {
        ...stepBase(4),
        kind: 'agent',
        agent: 'sha256:a',
        prompt: null,
        inputs: {},
        model: 'opus',
        schema: { type: 'object' },
        rehearsal: null,
      },
    ],
    { nested: { 'sha256:leaf': body([commandStep(0, ['true'])]) } },
  );

  it('is the same plan again after it was shortened', () => {
    const short = JSON.parse(JSON.stringify(shortPlan(whole))) as ReturnType<typeof shortPlan>;
    expect(unpackPlan(short)).toEqual(whole);
    expect(short.hash).toBe(whole.hash);
  });

  it('is the same plan again with every kind of step, bodies and nested workflows', () => {
    const all = everything();
    expect(unpackPlan(shortPlan(all))).toEqual(all);
    expect(JSON.stringify(packPlan(all)).length).toBeLessThan(JSON.stringify(all).length * 0.8);
    expect(JSON.stringify(packPlan(all))).not.toContain('"index":');
    expect(shortPlan(whole).short).not.toContain('"');
    const quoted = plan([commandStep(0, ["it's", 'a "b"'])]);
    expect(unpackPlan(shortPlan(quoted))).toEqual(quoted);
  });

  it('has hardly more bytes for steps that resemble each other once it is shortened', () => {
    const many = plan(
      Array.from({ length: 100 }, (_, index) =>
        commandStep(index, ['git', 'log', String(index)], { needs: index === 0 ? [] : after(index - 1) }),
      ),
    );
    expect(JSON.stringify(shortPlan(many)).length).toBeLessThan(JSON.stringify(packPlan(many)).length / 3);
  });

  it('leaves out what says itself', () => {
    expect(packPlan(whole).steps[0]).toEqual({
      kind: 'command',
      argv: [
        { kind: 'literal', value: 'git' },
        { kind: 'literal', value: 'log' },
      ],
    });
  });
});
