import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Conductor, Nested, Site } from './references.js';
import { inputName } from './references.js';
import type { ConductorAgent } from './schema.js';
import { valueAt } from './write-expression.js';

/** A step that runs another workflow, whose file is imported along; null when it is refused, which is reported. */
export function nestedStep(
  said: ConductorAgent,
  { name, at }: { name: string; at: Node },
  site: Omit<Site, 'at' | 'offset'>,
): JsonObject | null {
  const { conductor } = site;
  const path = said.workflow;
  if (path === undefined) {
    conductor.report({ code: 'missing-key', at: keyOf(at, 'type'), message: `Expected \`workflow\` at \`${name}\`.` });
    return null;
  }
  const nested = conductor.nested(path);
  if (typeof nested === 'string') {
    conductor.report({ ...NOT_NESTED[nested](path), at: memberOf(at, 'workflow') ?? at });
    return null;
  }
  const mapping = memberOf(at, 'input_mapping');
  const inputs =
    mapping === null ? forwarded(nested.inputs, conductor) : mapped(mapping, nested.inputs, { name, site });
  if (inputs === null) return null;
  return { workflow: `./${nested.name}.yml`, ...(Object.keys(inputs).length === 0 ? {} : { inputs }) };
}

type Told = { code: 'unknown-workflow' | 'workflow-cycle' | 'unreadable-file'; message: string; suggestion?: string };

const NOT_NESTED: Record<Exclude<Nested, object>, (path: string) => Told> = {
  missing: (path) => ({
    code: 'unknown-workflow',
    message: `There is no file \`${path}\` beside this one.`,
    suggestion: 'put the file there: workflows of a registry are not fetched',
  }),
  outside: (path) => ({ code: 'unreadable-file', message: `\`${path}\` lies outside of this project.` }),
  refused: (path) => ({ code: 'unknown-workflow', message: `The workflow \`${path}\` cannot be imported itself.` }),
  around: (path) => ({ code: 'workflow-cycle', message: `The workflow \`${path}\` would contain itself.` }),
};

type Inputs = Extract<Nested, object>['inputs'];

/** Without a mapping the inputs of the same names go along. */
function forwarded(inputs: Inputs, { said, read }: Conductor): JsonObject {
  const own = [...inputs.keys()].filter((key) => Object.hasOwn(said.workflow.input ?? {}, key));
  for (const key of own) read.add(key);
  return Object.fromEntries(own.map((key) => [inputName(key), `\${${inputName(key)}}`]));
}

function mapped(
  mapping: Node,
  inputs: Inputs,
  { name, site }: { name: string; site: Omit<Site, 'at' | 'offset'> },
): JsonObject | null {
  const { report, losses } = site.conductor;
  const given: [string, Json | undefined][] = [];
  for (const [key, { key: place, node }] of mapping.members ?? []) {
    if (inputs.has(key)) given.push([inputName(key), valueAt(node, site, `${name}.input_mapping.${key}`)]);
    else losses.harmless(`${name}.input_mapping.${key}`, place, 'the other workflow does not read it');
  }
  const absent = [...inputs].filter(([key, { required }]) => required && memberOf(mapping, key) === null);
  for (const [key] of absent)
    report({ code: 'missing-key', at: mapping, message: `Expected \`${key}\`, which the other workflow needs.` });
  if (absent.length > 0 || given.some(([, value]) => value === undefined)) return null;
  return Object.fromEntries(given.map(([key, value]) => [key, value ?? null]));
}
