import type { Document, Node as YamlNode, Pair, Scalar } from 'yaml';
import { isCollection, isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { keepScalars } from './format-scalars.js';
import { detectFormat } from '../formats/detect.js';
import type { Report } from '../problems/problem.js';
import type { Source } from '../problems/source.js';
import { parseYaml } from '../text/yaml.js';

/** Collections in `{…}` and `[…]` that take more columns are written as blocks. */
const WIDEST_FLOW = 120;

/** How often a text is formatted until nothing changes any more. */
const MOST_ROUNDS = 8;

const WORKFLOW_KEYS = [
  'type',
  'name',
  'description',
  'schedule',
  'on',
  'inputs',
  'goal',
  'constraints',
  'success_criteria',
  'execution',
  'workspace',
  'budgets',
  'autonomy',
  'durability',
  'steps',
  'finally',
  'output',
];
const AGENT_KEYS = [
  'name',
  'description',
  'model',
  'tools',
  'agent',
  'inputs',
  'timeout_mins',
  'max_output_kb',
  'max_turns',
  'source',
  'prompt',
];
const INPUT_KEYS = ['type', 'required', 'default', 'description'];
/** What a step is, what it does that with, what becomes of it, when it runs, how often, and within which limits. */
const STEP_KEYS = [
  'id',
  'agent',
  'command',
  'tool',
  'workflow',
  'approval',
  'ask',
  'set',
  'wait',
  'prompt',
  'inputs',
  'permissions',
  'model',
  'content',
  'cwd',
  'env',
  'stdin',
  'reads',
  'writes',
  'max_output_kb',
  'schema',
  'rehearsal',
  'quick',
  'choices',
  'options',
  'fallback',
  'output',
  'needs',
  'after',
  'parallel_group',
  'require',
  'when',
  'foreach',
  'loop',
  'on_error',
  'retry',
  'timeout',
  'timeout_mins',
  'deadline',
  'effect',
  'severity',
  'type',
  'requires',
  'commit',
  'execution',
  'yields',
  'steps',
];

/**
 * The canonical form of a workflow or an agent in YAML: keys in the order of the reference, two spaces for each level,
 * double quotes. Comments, empty lines and block texts stay. Null when the text is no sound YAML of ours, which is
 * reported.
 */
export function formatYaml(source: Source, report: Report): string | null {
  let broken = false;
  const watch: Report = (finding) => {
    broken ||= finding.severity !== 'warning';
    report(finding);
  };
  const node = parseYaml({ source, start: 0, end: source.text.length }, watch);
  const format = node && detectFormat(node, watch);
  if (broken || format === null) return null;
  // A comment above a key that moves is placed by what stands around it then, which is known once it is read again.
  let text = layOutText(source.text, format);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = layOutText(text, format);
    if (next === text) break;
    text = next;
  }
  return text;
}

function layOutText(text: string, format: ReturnType<typeof detectFormat>): string {
  const document = parseDocument(text, {
    schema: 'core',
    stringKeys: true,
    uniqueKeys: false,
    keepSourceTokens: true,
    customTags: keepScalars,
  });
  if (format === 'workflow') orderWorkflow(document);
  if (format === 'agent') order(document.contents, AGENT_KEYS);
  if (format === 'workflow' || format === 'agent') nameTypes(memberOf(document.contents, 'inputs'));
  layOut(document);
  return document.toString({ indent: 2, lineWidth: 0, flowCollectionPadding: false, indentSeq: true });
}

function orderWorkflow({ contents }: Document): void {
  order(contents, WORKFLOW_KEYS);
  const inputs = memberOf(contents, 'inputs');
  if (isMap(inputs)) for (const { value } of inputs.items) order(value, INPUT_KEYS);
  for (const key of ['steps', 'finally']) orderSteps(memberOf(contents, key));
}

function orderSteps(steps: unknown): void {
  if (!isSeq(steps)) return;
  for (const step of steps.items) {
    order(step, STEP_KEYS);
    liftHead(step);
    orderSteps(memberOf(step, 'steps'));
  }
}

/** Types of inputs by their one name here: `array` of JSON Schema is `list`. */
function nameTypes(inputs: unknown): void {
  const specs = isMap(inputs) ? inputs.items.map(({ value }) => value) : isSeq(inputs) ? inputs.items : [];
  for (const spec of specs) {
    const type = memberOf(spec, 'type');
    if (isScalar(type) && type.value === 'array') type.value = 'list';
  }
}

/** Sorts a map's keys; those that are not named stay behind the others, in their order. */
function order(map: unknown, keys: string[]): void {
  if (!isMap(map)) return;
  const rank = ({ key }: Pair): number => {
    const known = keys.indexOf(nameOf(key));
    return known === -1 ? keys.length : known;
  };
  const [before] = map.items;
  map.items.sort((a, b) => rank(a) - rank(b));
  const [now] = map.items;
  if (now !== before && isScalar(before?.key) && isScalar(now?.key)) moveHead(before.key, now.key);
}

/**
 * What stands above a map stands above its first key: an editor's line stays there; an empty line does not come there.
 */
function moveHead(before: Scalar, now: Scalar): void {
  [before.spaceBefore, now.spaceBefore] = [now.spaceBefore ?? false, before.spaceBefore ?? false];
  const lines = before.commentBefore?.split('\n') ?? [];
  const editor = lines.filter((line) => line.startsWith(' yaml-language-server:'));
  const rest = lines.filter((line) => !editor.includes(line));
  const join = (texts: string[]): string | null => (texts.length === 0 ? null : texts.join('\n'));
  before.commentBefore = join(rest);
  now.commentBefore = join([...editor, ...(now.commentBefore?.split('\n') ?? [])]);
}

/** What stands above a step's first key stands above the step: written behind its `-`, it would be read as that. */
function liftHead(step: unknown): void {
  const first = isMap(step) && step.flow !== true ? step.items[0]?.key : null;
  if (!isMap(step) || !isScalar(first) || first.commentBefore == null) return;
  step.commentBefore = [step.commentBefore, first.commentBefore].filter((text) => text != null).join('\n');
  first.commentBefore = null;
}

function memberOf(map: unknown, name: string): unknown {
  return isMap(map) ? map.items.find(({ key }) => nameOf(key) === name)?.value : undefined;
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

function layOut(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      if (node.type === 'QUOTE_SINGLE' && !/["\\]/.test(String(node.value))) node.type = 'QUOTE_DOUBLE';
    },
    Collection: (_, node, path) => {
      if (node.flow === true && !isInFlow(path) && JSON.stringify(node.toJSON()).length > WIDEST_FLOW)
        node.flow = false;
    },
  });
}

/** Tells whether something around a node is written in `{…}` or `[…]`: then all below it is. */
function isInFlow(path: readonly (Document | YamlNode | Pair)[]): boolean {
  return path.some((parent) => !isPair(parent) && isCollection(parent) && parent.flow === true);
}
