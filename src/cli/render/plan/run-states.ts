import { joinPath, segmentOf } from '../../../plan/plan.js';
import type { RunView, StepView } from '../../observe/view/view.js';
import { nestedIn } from '../../observe/view/view.js';
import type { BoxState } from './plan-picture.js';

const STATES: Record<StepView['status'], BoxState> = {
  pending: { tone: 'quiet', text: '○ not started' },
  running: { tone: 'active', text: '▸ running' },
  waiting: { tone: 'attention', text: '◆ waits for a person' },
  success: { tone: 'good', text: '✓ success' },
  error: { tone: 'bad', text: '✗ error' },
  timeout: { tone: 'bad', text: '✗ timeout' },
  skipped: { tone: 'quiet', text: '– skipped' },
  unknown: { tone: 'quiet', text: '? not known' },
};

/** How the steps of a run stand, by their paths in its Plan; of items and rounds the latest counts. */
export function runStates({ steps }: RunView): Map<string, BoxState> {
  const states = new Map<string, BoxState>();
  addStates(states, steps, '');
  return states;
}

function addStates(states: Map<string, BoxState>, steps: StepView[], above: string): void {
  for (const step of steps) {
    const path = joinPath(above, segmentOf(step.step));
    states.set(path, stateOf(step));
    for (const { steps: body } of step.rounds) addStates(states, body, path);
    for (const nested of nestedIn(step)) addStates(states, nested.steps, path);
  }
}

function stateOf({ status, result }: StepView): BoxState {
  if (status !== 'success') return STATES[status];
  if (result?.partial !== undefined) return { tone: 'attention', text: '! done in part' };
  return result?.reused === true ? { tone: 'good', text: '✓ taken over' } : STATES.success;
}
