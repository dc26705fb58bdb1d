// The workloads as Perdure's users write them. YAML is a superset of JSON, so a definition is written as one.
type Definition = Record<string, unknown>;

const AGENT = 'bench-agent';

/** `agents/bench-agent.yml`: the same system prompt as the hand-written side's. */
export const AGENT_FILE = JSON.stringify({ name: AGENT, description: 'Answers.', prompt: 'You answer in one line.', model: 'claude-sonnet-4-6' });

/** Model calls one after another, each shown the answer before. */
export function sequential(steps: number, name = 'bench-sequential'): Definition {
  return { name, steps: range(steps, (step) => ({ agent: AGENT, prompt: step === 0 ? 'Step 0. Before: ' : `Step ${step}. Before: \${steps[${step - 1}].output}` })) };
}

/** Commands one after another. */
export function commands(steps: number): Definition {
  return { name: 'bench-commands', steps: range(steps, () => ({ command: ['true'] })) };
}

/** Independent model calls, windowed. */
export function fanOut(items: number, window: number): Definition {
  return {
    name: 'bench-fan-out',
    execution: 'dag',
    budgets: { max_parallel: window, max_steps: items + 1 },
    steps: range(items, (item) => ({ agent: AGENT, prompt: `Item ${item}.` })),
  };
}

/** Nested workflows one after another. */
export function nested(children: number, inner: string): Definition {
  return { name: 'bench-nested', budgets: { max_steps: 10_000 }, steps: range(children, () => ({ workflow: inner })) };
}

/** A command's output of a size, used by five later steps. */
export function reuse(kilobytes: number): Definition {
  return {
    name: `bench-reuse-${kilobytes}`,
    steps: [
      { id: 'value', command: ['node', '-e', `process.stdout.write('x'.repeat(${kilobytes * 1024}))`] },
      ...range(5, (user) => ({ agent: AGENT, prompt: `User ${user} of \${steps.value.output}` })),
    ],
  };
}

function range<T>(length: number, item: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => item(index));
}
