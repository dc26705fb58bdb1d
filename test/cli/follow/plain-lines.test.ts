import { describe, expect, it } from 'vitest';
import { createPlainLines, HELD_MS } from '../../../src/cli/follow/plain-lines.js';
import { commandStep } from '../../plan/helpers/build-plan.js';
import { agentStep, ended, runView, stepView } from '../helpers/views.js';

const script = 'for file in *; do echo "$file"; done; echo the end of a long script that nobody reads in a line';
const step = commandStep(0, ['sh', '-c', script], { id: 'facts' });

describe('a plain line', () => {
  it('shows the head of a command, and never the whole of a long one', () => {
    const tell = createPlainLines();
    expect(tell(runView([stepView(step, { status: 'running' })]), 0)).toEqual([
      '▸ facts  command  sh -c for file in *; do echo "$file"; done; ech…',
    ]);
    expect(tell(runView([stepView(step, ended('success'))]), 0)).toEqual([
      '✓ facts  command  sh -c for file in *; do echo "$file"; done; ech…  1.0s',
    ]);
  });

  it('names the agent or the workflow of a step that has no id', () => {
    const nameless = { ...stepView({ ...agentStep(1, 'look'), id: null }, ended('success')), actor: 'code-reviewer' };
    expect(createPlainLines()(runView([nameless]), 0)).toEqual(['✓ 1  code-reviewer  1.0s']);
    expect(createPlainLines()(runView([{ ...nameless, model: 'claude-sonnet-5-5' }]), 0)).toEqual([
      '✓ 1  code-reviewer  claude-sonnet-5-5  1.0s',
    ]);
  });

  it('tells a failure in its own words, whole', () => {
    const error = 'sh: a message that is longer than what a step does may be, because it is why the step failed';
    expect(createPlainLines()(runView([stepView(step, ended('error', { error }))]), 0)).toEqual([
      `✗ facts  command  ${error}  1.0s`,
    ]);
  });

  it('tells of a step that others went past when the record of the run says whether it had begun', () => {
    const tell = createPlainLines();
    const passed = ended('skipped', { error: 'the run starts nothing any more' });
    expect(tell(runView([stepView(step, passed)]), 0)).toEqual([]);
    expect(tell(runView([stepView(step, passed)], { endedAt: 1 }), 0)).toEqual([]);
    const cut = ended('error', { error: 'cancelled: item 1 failed', failure: 'cancelled' });
    expect(tell(runView([stepView(step, cut)], { endedAt: 1 }), 0)).toEqual([
      '✗ facts  command  cancelled: item 1 failed  1.0s',
    ]);
  });

  it('says of a step that is reused only that, and that it has begun once it lasts', () => {
    const running = runView([stepView(step, { status: 'running' })], { reuses: true });
    const tell = createPlainLines();
    expect([tell(running, 1_000), tell(running, 1_900)]).toEqual([[], []]);
    expect(tell(runView([stepView(step, ended('success', { reused: true }))], { reuses: true }), 2_000)).toEqual([
      '✓ facts  command  reused  1.0s',
    ]);
    const lasting = createPlainLines();
    expect([lasting(running, 1_000), lasting(running, 1_000 + HELD_MS), lasting(running, 9_000)]).toEqual([
      [],
      ['▸ facts  command  sh -c for file in *; do echo "$file"; done; ech…'],
      [],
    ]);
  });
});
