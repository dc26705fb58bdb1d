// The workloads as Perdure's users write them. YAML is a superset of JSON, so a definition is written as one.
type Definition = Record<string, unknown>;

/** Whether each step waits for the disk. */
export type Durability = 'synced';

const AGENT = 'bench-agent';

/** `agents/bench-agent.yml`: the same system prompt as the hand-written side's. */
export const AGENT_FILE = JSON.stringify({
  name: AGENT,
  description: 'Answers.',
  prompt: 'You answer in one line.',
  model: 'claude-sonnet-4-6',
});

const READER = 'bench-reader';

/** `agents/bench-reader.yml`: the same with a tool. */
export const READER_FILE = JSON.stringify({
  name: READER,
  description: 'Reads.',
  prompt: 'You read.',
  model: 'claude-sonnet-4-6',
  tools: ['read_file'],
  max_turns: 100,
});

/** One agent that reads until it answers. */
export function reader(): Definition {
  return { name: 'bench-reader', steps: [{ agent: READER, prompt: 'Read it all.' }] };
}

/** One whose turns are quick, told this. */
export function quickReader(prompt: string, durability?: Durability): Definition {
  return {
    name: `bench-five${durability === undefined ? '' : '-synced'}`,
    ...durabilityOf(durability),
    steps: [{ agent: READER, prompt, quick: true }],
  };
}

/** A file read again and again, by a tool that takes a moment. */
export function reads(steps: number, path: string, durability?: Durability): Definition {
  return {
    name: `bench-reads${durability === undefined ? '' : '-synced'}`,
    ...durabilityOf(durability),
    steps: range(steps, () => ({ tool: 'read_file', inputs: { path } })),
  };
}

/** Quick questions one after another. */
export function asks(steps: number, durability?: Durability): Definition {
  return {
    name: `bench-asks${durability === undefined ? '' : '-synced'}`,
    ...durabilityOf(durability),
    steps: range(steps, (step) => ({ agent: AGENT, prompt: `Short ${step}.`, quick: true, timeout: '10s' })),
  };
}

/** The items of a list, a model call each, windowed. */
export function items(count: number, window: number): Definition {
  return {
    name: `bench-items-${count}`,
    budgets: { max_parallel: window, max_steps: count },
    steps: [
      {
        id: 'each',
        foreach: { items: range(count, (item) => item), max_parallel: window },
        agent: AGENT,
        prompt: 'Item ${item}.',
      },
    ],
  };
}

/** Model calls one after another, each shown the answer before. */
export function sequential(steps: number, name = `bench-sequential-${steps}`): Definition {
  return {
    name,
    budgets: { max_steps: steps },
    steps: range(steps, (step) => ({
      agent: AGENT,
      prompt: step === 0 ? 'Step 0. Before: ' : `Step ${step}. Before: \${steps[${step - 1}].output}`,
    })),
  };
}

/** Calls of a tool that looks through a folder, one after another, with the usual limit or their own. */
export function lists(steps: number, timeout?: string): Definition {
  return {
    name: `bench-lists-${steps}${timeout === undefined ? '' : '-quick'}`,
    budgets: { max_steps: steps },
    steps: range(steps, () => ({
      tool: 'list_files',
      inputs: { path: '.' },
      ...(timeout === undefined ? {} : { timeout }),
    })),
  };
}

/** Commands one after another, with the usual limit or their own. */
export function commands(steps: number, timeout?: string, durability?: Durability): Definition {
  return {
    name: `bench-commands-${timeout ?? 'usual'}${durability === undefined ? '' : '-synced'}`,
    ...durabilityOf(durability),
    steps: range(steps, () => ({ command: ['true'], ...(timeout === undefined ? {} : { timeout }) })),
  };
}

/** Independent model calls, windowed. */
export function fanOut(items: number, window: number): Definition {
  return {
    name: `bench-fan-out-${items}`,
    execution: 'parallel',
    budgets: { max_parallel: window, max_steps: items },
    steps: range(items, (item) => ({ agent: AGENT, prompt: `Item ${item}.` })),
  };
}

/** Nested workflows one after another. */
export function nested(children: number, inner: string, name = 'bench-nested'): Definition {
  return { name, budgets: { max_steps: 10_000 }, steps: range(children, () => ({ workflow: inner })) };
}

/** Command outputs of a size, each used by five later steps. */
export function reuse(argv: string[], values: number, name: string): Definition {
  const group = (made: number): object[] => [
    { id: `value${made}`, command: argv },
    ...range(5, (user) => ({ agent: AGENT, prompt: `User ${user} of \${steps.value${made}.output}` })),
  ];
  return { name, budgets: { max_steps: values * 6 }, steps: range(values, group).flat() };
}

/** A run that waits for a person. */
export function approval(): Definition {
  return { name: 'bench-approval', steps: [{ id: 'ask', approval: { message: 'Go on?' } }] };
}

/** One command that leaves a file, by whose time its start is known. */
export function firstStep(file: string): Definition {
  return { name: 'bench-first', steps: [{ command: ['touch', file] }] };
}

function durabilityOf(durability: Durability | undefined): { durability?: Durability } {
  return durability === undefined ? {} : { durability };
}

function range<T>(length: number, item: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => item(index));
}
