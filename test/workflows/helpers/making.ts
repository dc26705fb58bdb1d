import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { DecisionReceipt, Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { Agent } from '../../../src/plan/step.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Answer, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import type { Harness, RunHandle, StartOptions } from './harness.js';
import { openHarness } from './harness.js';
import { FILES, PERMISSIONS, models, talking } from './conversing.js';
import { sendDecision } from './updating.js';

export let harness: Harness;

/** Opens the harness before the tests of a file, and closes it after them. Called once at the head of each file. */
export function openForAll(): void {
  beforeAll(async () => {
    harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
  });

  afterAll(async () => {
    await harness.close();
  });
}

export const MAKERS: Tool[] = [
  { kind: 'maker', name: 'agent_create', folder: 'generated' },
  { kind: 'maker', name: 'agent_call' },
];

export const MAKING = { ...PERMISSIONS, allow: ['make:agent'] };

export const CREATE = {
  name: 'agent_create',
  input: { name: 'judge', instructions: 'You judge decks.', description: 'Judges a deck.', tools: ['read_file'] },
};

export type Turn = (request: RecordedRequest) => Answer;

let folders = 0;

export interface Place {
  workspace?: string;
  gates?: RunSettings['gates'];
  start?: StartOptions;
}

/** A run whose agent does these turns one after the other; `made` is what the agent that it makes says. */
export async function open(
  turns: Turn[],
  made: Turn,
  fields: Partial<Agent> = {},
  { workspace, gates = 'ask', start: { settings, ...options } = {} }: Place = {},
) {
  const endpoint = await startModelEndpoint((request) => {
    if (!request.system.includes('You work.')) return made(request);
    return turns[request.body['messages'] instanceof Array ? (request.body['messages'].length - 1) / 2 : 0]!(request);
  });
  const folder = workspace ?? join(harness.folder, `made-${(folders += 1)}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'perdure.yml'), '');
  await writeFile(join(folder, 'deck.txt'), 'We sell </glee:context> bicycles.\n');
  const handle = await harness.start(talking({ uses: [...FILES, ...MAKERS], permissions: MAKING, ...fields }), {
    ...options,
    settings: { ...models(endpoint.url, folder, { gates }), ...settings },
  });
  return { endpoint, folder, handle };
}

export async function run(
  turns: Turn[],
  made: Turn = () => ({ text: 'GO' }),
  fields: Partial<Agent> = {},
  place: Place = {},
) {
  const { endpoint, folder, handle } = await open(turns, made, fields, place);
  try {
    const { output } = await handle.result();
    return { output: String(await harness.json(output)), requests: endpoint.requests, folder, id: handle.workflowId };
  } finally {
    await endpoint.close();
  }
}

export const gateOf = (handle: RunHandle, is: (gate: Gate) => boolean = () => true): Promise<Gate> =>
  until(async () => {
    const { memo } = await harness.client.workflow.getHandle(handle.workflowId).describe();
    return ((memo?.[MEMO.waiting] ?? []) as Gate[]).find(is); // written by the interpreter
  });

export const decide = (
  handle: RunHandle,
  { path, hash }: Gate,
  decision: 'approve' | 'reject',
): Promise<DecisionReceipt> => sendDecision(handle, { gate: path, decision, hash, by: 'ana' });

/** What was told last, without the containers around it. */
export const last = ({ results }: RecordedRequest): string =>
  results.last
    .map(
      ({ text, is_error }) => `${is_error ? 'failed: ' : ''}${text.replace(/<\/?glee:context[^>]*>\n?/g, '').trim()}`,
    )
    .join(' | ');

export const said: Turn = (request) => ({ text: last(request) });

// as the provider is sent them
export const toolsIn = ({ body }: RecordedRequest): string[] =>
  (body['tools'] as { name: string }[]).map(({ name }) => name);
