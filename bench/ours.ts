import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { chooseModels } from '../src/activities/models/choice/choose.js';
import { compileDefinition } from '../src/compiler/compile.js';
import { loadConfig } from '../src/compiler/project/config.js';
import { findProject } from '../src/compiler/project/project.js';
import { INTERPRETER } from '../src/plan/names.js';
import { shortPlan } from '../src/plan/packing/packed-plan.js';
import type { Plan } from '../src/plan/plan.js';
import type { RunInput, RunSettings } from '../src/plan/run-input.js';
import { LINK_STEPS, UNLIMITED, WAYS_OF_TODAY } from '../src/plan/run-input.js';
import type { Store } from '../src/store/store.js';

/**
 * What runs of a Plan are started with. As compiling it, that is no part of a run: a second one of the same Plan is
 * started with the same.
 */
const prepared = new WeakMap<Plan, RunInput>();

/** Compiles definitions and starts runs of them, as the CLI does. */
export class Ours {
  readonly client: Client;
  readonly #store: Store;
  readonly #folder: string;
  readonly #taskQueue: string;

  constructor(client: Client, { store, folder, taskQueue }: { store: Store; folder: string; taskQueue: string }) {
    this.client = client;
    this.#store = store;
    this.#folder = folder;
    this.#taskQueue = taskQueue;
  }

  /** The same project, served by another worker. */
  on(taskQueue: string): Ours {
    return new Ours(this.client, { store: this.#store, folder: this.#folder, taskQueue });
  }

  /** Writes a definition into the project, and compiles and stores it. */
  async compile(definition: Record<string, unknown>): Promise<Plan> {
    const folder = join(this.#folder, 'definitions', 'workflows');
    const file = join(folder, `${String(definition['name'])}.yml`);
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify(definition));
    const project = findProject(this.#folder);
    const { plan, texts, problems } = compileDefinition({
      file,
      cwd: this.#folder,
      project,
      config: loadConfig(project).config,
    });
    if (plan === null) throw new Error(problems.map(({ message, path }) => `${path}: ${message}`).join('\n'));
    for (const text of texts.values()) await this.#store.putAlways(text);
    await this.#store.putPlan(plan);
    return plan;
  }

  async start(plan: Plan): Promise<WorkflowHandle> {
    const input = prepared.get(plan) ?? (await this.#prepare(plan));
    return this.client.workflow.start(INTERPRETER, {
      taskQueue: this.#taskQueue,
      workflowId: `ours-${randomUUID()}`,
      args: [input],
    });
  }

  async #prepare(plan: Plan): Promise<RunInput> {
    const chosen = await chooseModels({ plan, options: {}, env: { ANTHROPIC_API_KEY: 'bench' }, rehearse: false });
    if ('failure' in chosen) throw new Error(chosen.failure);
    const settings: RunSettings = {
      models: chosen.models,
      rehearsal: false,
      submitted_by: 'bench',
      gates: 'ask',
      ...WAYS_OF_TODAY,
      search_attributes: false,
      budget: plan.budgets,
      ...(plan.durability === undefined ? {} : { durability: plan.durability }),
      workspace: this.#folder,
      caller: this.#folder,
    };
    const input: RunInput = {
      plan: shortPlan(plan),
      input: {},
      root: null,
      path: '',
      lease: UNLIMITED,
      settings,
      link_steps: LINK_STEPS,
      carried: null,
    };
    prepared.set(plan, input);
    return input;
  }

  async run(plan: Plan): Promise<WorkflowHandle> {
    const handle = await this.start(plan);
    await handle.result();
    return handle;
  }
}
