import type { Json, JsonObject } from '../../../plan/values/json.js';
import { didYouMean } from '../../problems/did-you-mean.js';
import { keyOf, memberOf } from '../../text/node.js';
import { ownName } from './inputs.js';
import type { Task } from './step-parts.js';
import { siteOf, stepWith } from './step-parts.js';
import { findReferences, meaningOf, promptText } from './references.js';
import type { Nested } from './translation.js';
import { valueTemplate } from './values.js';

/** A node that stands for another workflow, be it put in its place or run by itself. */
export function nestedSteps(task: Task): JsonObject[] | null {
  const { node, translation } = task;
  const { said, kind } = node;
  const name = (kind === 'include' ? said.include : said.workflow)?.trim() ?? '';
  const nested = translation.nested(name);
  if (typeof nested === 'string') {
    const known = translation.resources.workflows();
    const told = NOT_NESTED[nested](name, known);
    translation.report({ ...told, at: memberOf(node.at, kind) ?? node.at });
    return null;
  }
  const given = inputsOf(task, nested.inputs);
  const items = itemsOf(task);
  if (given === null || items === null) return null;
  nameLost(task);
  const inputs = Object.keys(given).length === 0 ? {} : { inputs: given };
  return [stepWith(task, { workflow: `./${nested.name}.yml`, ...inputs, ...items })];
}

type Told = { code: 'unknown-workflow' | 'workflow-cycle'; message: string; suggestion?: string };

const NOT_NESTED: Record<Exclude<Nested, object>, (name: string, known: string[]) => Told> = {
  missing: (name, known) => ({
    code: 'unknown-workflow',
    message: `There is no workflow \`${name}\` in \`.archon/workflows/\`.`,
    suggestion: didYouMean(name, known) ?? 'put its file there; those that Archon brings along are not here',
  }),
  refused: (name) => ({
    code: 'unknown-workflow',
    message: `The workflow \`${name}\` cannot be imported itself.`,
    suggestion: `see \`perdure import\` of its file`,
  }),
  around: (name) => ({ code: 'workflow-cycle', message: `The workflow \`${name}\` would contain itself.` }),
};

/** What the other workflow is given: what it was asked, the folder for artifacts where it shares it, and `with:`. */
function inputsOf(task: Task, taken: ReadonlySet<string>): JsonObject | null {
  const { said, kind, at, id } = task.node;
  const inputs: JsonObject = {};
  const give = (name: string, value: Json): void => {
    if (taken.has(name)) inputs[name] = value;
  };
  const as = said.fan_out?.as;
  if (kind === 'include') {
    if (taken.has('request')) give('request', ofVariable('ARGUMENTS', task));
    if (taken.has('artifacts')) give('artifacts', ofVariable('ARTIFACTS_DIR', task));
  } else if (said.fan_out !== undefined && as === undefined) give('request', '${item}');
  else if (said.input !== undefined) {
    const text = promptText(said.input, siteOf(task, ['input']));
    if (text === null) return null;
    give('request', text);
  }
  for (const name of Object.keys(said.with ?? {})) {
    const value = valueTemplate(task, ['with', name]);
    if (value === undefined) return null;
    give(ownName(name), value);
    if (!taken.has(ownName(name)))
      task.translation.losses.harmless(`${id}.with.${name}`, keyOf(at, 'with'), 'the other workflow does not read it');
  }
  if (as !== undefined) give(ownName(as), '${item}');
  return inputs;
}

function ofVariable(name: string, task: Task): string {
  const meaning = meaningOf({ start: 0, end: 0, kind: 'variable', name, field: null }, siteOf(task, []));
  return typeof meaning === 'string' ? meaning : '';
}

/** One run for each item of a list. */
function itemsOf(task: Task): JsonObject | null {
  const { fan_out: fan } = task.node.said;
  if (fan === undefined) return {};
  const { translation, node } = task;
  const at = memberOf(node.at, 'fan_out') ?? node.at;
  if (fan.join === 'first_success') {
    translation.report({
      code: 'unsupported-key',
      at: memberOf(at, 'join') ?? at,
      message: 'A run that ends its fellows (`first_success`) is refused, as by Archon itself.',
      suggestion: 'write `all_done`',
    });
    return null;
  }
  const site = siteOf(task, ['fan_out', 'items']);
  const [only, second] = findReferences(fan.items);
  const isWhole =
    only?.kind === 'node' && second === undefined && fan.items.trim() === fan.items.slice(only.start, only.end);
  if (!isWhole) {
    const message = `Expected one \`$node.output\` that is a list, got \`${fan.items.slice(0, 40)}\`.`;
    translation.report({ code: 'invalid-value', at: memberOf(at, 'items') ?? at, message });
    return null;
  }
  const items = meaningOf(only, site);
  if (typeof items !== 'string') return null;
  const foreach: Json = { items, max_parallel: fan.max_parallel ?? 5 };
  if (fan.join === 'all_success') return { foreach };
  translation.losses.changed(
    `${node.id}.fan_out.join`,
    at,
    'what failed is null in the list, and makes the run `partial`',
  );
  return { foreach, on_error: 'continue' };
}

function nameLost({ node: { id, at, said, kind }, translation: { losses } }: Task): void {
  if (said.isolation === 'worktree')
    losses.changed(
      `${id}.isolation`,
      keyOf(at, 'isolation'),
      'it works in the same files as this run: `workspace: worktree` holds for a whole run',
    );
  if (kind === 'include')
    losses.harmless(
      `${id}.include`,
      keyOf(at, 'include'),
      'it is a nested workflow of its own, not put in the place of the node',
    );
  if (said.output_format !== undefined && kind === 'workflow')
    losses.harmless(`${id}.output_format`, keyOf(at, 'output_format'), 'the other workflow says what it yields');
}
