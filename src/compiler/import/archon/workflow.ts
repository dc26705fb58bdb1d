import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { ImportContext } from '../shared/context.js';
import type { Losses, WrittenFile } from '../shared/loss.js';
import { sentencesOf } from '../shared/loss.js';
import { slug } from '../shared/names.js';
import { writeYaml } from '../shared/write-yaml.js';
import type { Graph } from './graph.js';
import { readNodes } from './read.js';
import type { Resources } from './resources.js';
import { archonWorkflow } from './schema.js';
import { readsOf, shapeOf, textsIn } from './shapes.js';
import type { Reads } from './shapes.js';
import { lastOf, stepsOf } from './steps.js';
import type { Translation } from './translation.js';
import { OF_MODELS } from './lost-keys.js';
import { ownOf } from '../../../plan/values/own.js';

/** A workflow of Archon in our words. */
export interface ArchonImport {
  name: string;
  inputs: ReadonlySet<string>;
  files: WrittenFile[];
}

export interface Archon extends ImportContext {
  resources: Resources;
  losses: Losses;
  nested: Translation['nested'];
}

/** Writes a workflow of Archon in our words; null when something in it is refused, which is reported. */
export function importArchonWorkflow(at: Node, archon: Archon): ArchonImport | null {
  const { report, losses, resources, nested } = archon;
  const said = check(archonWorkflow, at, { report });
  const list = memberOf(at, 'nodes');
  if (said === null || list === null) return null;
  const taken = new Set<string>();
  const graph = readNodes(list, { report, losses, taken });
  if (graph === null) return null;
  const texts = textsOf(at, resources);
  const reads = readsOf(texts, valuesUnder('when', at.value), valuesUnder('items', at.value));
  const translation: Translation = {
    ...{ name: slug(said.name, 'workflow'), said, at, report, losses, resources, nested, taken },
    shapes: new Map(shapesIn(graph, list, reads)),
    inputs: new Map(),
    uses: new Set(),
    agents: new Map(),
    comments: new Map(),
    kept: new Map(),
  };
  const steps = stepsOf({ graph, outer: null }, translation, texts);
  const output = outputOf(graph, translation);
  if (steps === null || output === null) return null;
  nameTop(translation);
  const early = earlySteps(translation);
  const value = workflowOf(translation, [...early, ...steps], output);
  return { name: translation.name, inputs: new Set(translation.inputs.keys()), files: filesOf(value, translation) };
}

function textsOf(at: Node, resources: Resources): string[] {
  const own = textsIn(at.value);
  const commands = new Set([...valuesUnder('command', at.value)]);
  return [...own, ...[...commands].flatMap((name) => resources.command(name.trim())?.text ?? [])];
}

/** Every text that stands under a key, at any depth. */
function valuesUnder(key: string, value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesUnder(key, item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : valuesUnder(key, inner),
  );
}

/** What nodes yield, those in the bodies of loops among them. */
function shapesIn(graph: Graph, list: Node, reads: Reads): [string, ReturnType<typeof shapeOf>][] {
  const silent = { report: () => undefined, losses: NO_LOSSES, taken: new Set<string>() };
  return graph.nodes.flatMap((node) => {
    const body = memberOf(memberOf(node.at, 'loop_group') ?? node.at, 'nodes');
    const inner = body === null || body === list ? null : readNodes(body, silent);
    return [
      [node.id, shapeOf(node, reads)] as [string, ReturnType<typeof shapeOf>],
      ...(inner === null || body === null ? [] : shapesIn(inner, body, reads)),
    ];
  });
}

const NO_LOSSES: Losses = { list: [], changed: () => undefined, harmless: () => undefined };

/** What the workflow yields: the node that it names, else the first that nothing depends on. */
function outputOf(graph: Graph, { said: { returns }, at, report }: Translation): string | null {
  const node = returns === undefined ? lastOf(graph) : graph.byId.get(returns);
  if (node != null) return `\${steps.${node.step}.output ?? ''}`;
  report({
    code: 'unknown-step',
    at: memberOf(at, 'returns') ?? at,
    message: `There is no node \`${returns ?? ''}\`.`,
  });
  return null;
}

const EARLY: Record<'artifacts_dir' | 'state_dir' | 'workflow_id', JsonObject> = {
  artifacts_dir: {
    command: [
      'bash',
      '-c',
      [
        'if [ -n "$GIVEN" ]; then printf %s "$GIVEN"; exit; fi',
        'mkdir -p .artifacts',
        'printf "*\\n" > .artifacts/.gitignore',
        'mktemp -d .artifacts/run-XXXXXXXX\n',
      ].join('\n'),
    ],
    env: { GIVEN: '${artifacts}' },
  },
  state_dir: { command: ['bash', '-c', 'mkdir -p .archon/state && printf %s .archon/state'] },
  workflow_id: { command: ['bash', '-c', 'printf %s "${1##*/}"'.replace('${', '\\${'), 'id', '${artifacts_dir}'] },
};

/** Steps that make what Archon has ready before the first node. */
function earlySteps({ uses, inputs, taken, losses, at }: Translation): JsonObject[] {
  if (uses.has('workflow_id')) uses.add('artifacts_dir');
  if (uses.has('artifacts_dir')) {
    inputs.set('artifacts', {
      type: 'string',
      default: '',
      description: 'The folder for files of this run; one of its own when left out.',
    });
    losses.changed('$ARTIFACTS_DIR', at, 'it is a folder below `.artifacts/` of the project, one for each run');
  }
  if (uses.has('state_dir')) losses.changed('$STATE_DIR', at, 'it is `.archon/state/` of the project');
  return (['artifacts_dir', 'state_dir', 'workflow_id'] as const).flatMap((name) => {
    if (!uses.has(name)) return [];
    const id = taken.has(name) ? `archon-${name}` : name;
    return [{ id, ...EARLY[name], output: name }];
  });
}

const TOP: Record<string, [why: string, changes: boolean]> = {
  interactive: ['every run can wait for people', false],
  tags: ['there are no tags', false],
  requires: ['what a run needs is seen when it uses it', true],
  mutates_checkout: ['runs in one folder do not wait for each other', true],
  container: ['what agents may do is for `permissions` to say', true],
  persist_sessions: ['each run begins anew; `perdure run --session` goes on with one', true],
  ...OF_MODELS,
  modelReasoningEffort: ['how deep a model thinks is its own choice here', true],
  webSearchMode: ['searching the web is a tool: `web_search`', true],
  evidence_policy: ['nothing looks for `evidence.json`: add a `set` with `require`, or a command that fails', true],
  outcome_field: ['a run has no verdict beside its status', true],
};

/** Takes down which keys of the whole workflow are not carried over. */
function nameTop({ at, said, losses }: Translation): void {
  for (const [key, { key: place }] of at.members ?? []) {
    const known = ownOf(TOP, key);
    if (known !== undefined) (known[1] ? losses.changed : losses.harmless)(key, place, known[0]);
    else if (!Object.hasOwn(archonWorkflow.shape, key))
      losses.harmless(key, place, 'there is no such key; Archon reads past it too');
  }
  if (said.worktree?.enabled === undefined)
    losses.changed(
      'worktree',
      keyOf(at, 'name'),
      'Archon runs it in a work tree of git unless it is told otherwise; here it works in the folder of the project: ' +
        'write `workspace: worktree` for one',
    );
}

const NO_LIMITS = { max_steps: 500, max_runtime_mins: 1_440 };

function workflowOf({ name, said, inputs }: Translation, steps: JsonObject[], output: string): JsonObject {
  const description = said.description?.trim();
  return {
    name,
    ...(description ? { description } : {}),
    ...(inputs.size === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
    execution: 'dag',
    ...(said.worktree?.enabled ? { workspace: 'worktree' } : {}),
    budgets: NO_LIMITS,
    steps,
    output,
  };
}

function filesOf(value: JsonObject, { name, agents, comments, losses, at, said }: Translation): WrittenFile[] {
  const from = at.source.file;
  const head = [
    `Imported from ${from}, a workflow of Archon.`,
    ...(said.name === name ? [] : [`There it is called ${said.name}.`]),
    ...sentencesOf(losses),
  ];
  return [
    { path: `workflows/${name}.yml`, text: writeYaml(value, head, comments) },
    ...[...agents].map(([agent, said]) => ({
      path: `agents/${agent}.yml`,
      text: writeYaml(
        said,
        agent === 'archon-agent' ? ['Does what nodes of Archon do that name no tools.'] : [`Imported from ${from}.`],
      ),
    })),
  ];
}
