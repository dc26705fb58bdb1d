/** A task as a planner answers it. */
export const task = (id: string, agent_name: string, dependencies: string[]) => ({
  id,
  name: `Do ${id}`,
  description: 'As wished.',
  acceptance_criteria: ['It is there.'],
  dependencies,
  agent_name,
});

/** Tasks for three agents that hold every rule. */
export const TASKS = [
  task('begin', 'expert-code-implementer', []),
  task('add', 'expert-code-implementer', ['begin']),
  task('test', 'general-purpose', ['add']),
  task('look', 'code-reviewer', ['test']),
];
