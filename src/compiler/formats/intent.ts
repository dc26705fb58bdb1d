import { z } from 'zod';
import type { Json } from '../../plan/values/json.js';
import { isObject, toText } from '../../plan/values/json.js';
import type { Place, Report } from '../problems/problem.js';
import { check } from '../text/check.js';
import type { Member, Node } from '../text/node.js';
import { keyOf, memberOf, startOf, withItems, withMembers, withoutPaths } from '../text/node.js';
import { filledText } from './values.js';
import { ownOf } from '../../plan/values/own.js';

const FAMILIES = ['imperative', 'intent', 'guardrails', 'learning', 'hybrid'] as const;
/** Keys that only workflows have which say what is wanted, and not how. */
const INTENT_KEYS = ['constraints', 'success_criteria', 'boundaries', 'checkpoints'] as const;

const texts = z
  .union([filledText, z.array(filledText, { error: 'a list of texts' }).min(1, { error: 'at least one text' })], {
    error: 'a text, or a list of texts',
  })
  .optional();

/** What such a workflow says in place of steps. */
export const intentShape = {
  type: z
    .enum(['imperative', 'intent'], { error: 'imperative or intent' })
    .optional()
    .describe('imperative, with `steps` (when left out), or intent, with a `goal`.'),
  goal: filledText.optional().describe('What is wanted, of a workflow without `steps`: tasks are planned for it.'),
  constraints: texts.describe('What must hold: criteria of the tasks, looked at once more at the end.'),
  success_criteria: texts.describe('When the goal is reached: likewise.'),
};

const intentSchema = z.object({ ...intentShape, goal: filledText });

/** What the other family of Glee's workflows has beside, and what says the same here. */
const REFUSED: Record<string, string> = {
  checkpoints:
    'leave it out: a person approves the tasks before they are carried out, and `autonomy: hitl` asks before each of ' +
    'them',
  boundaries: 'write under `constraints` what must not be done; `permissions` of perdure.yml enforce it',
  memory: 'leave it out: memories that fit the goal are told anyway; `perdure memory add` keeps what was learned',
};

/** Tells whether a document says what is wanted and not how, in the words of such workflows, or names its family. */
export function isIntent(value: Record<string, Json>, file: string): boolean {
  if ('nugget' in value || 'requirements' in value || 'prompt' in value) return false;
  if (FAMILIES.some((family) => family === value['type'])) return true;
  if ('steps' in value || !('goal' in value)) return false;
  return INTENT_KEYS.some((key) => key in value) || /\/workflows\/[^/]*$/.test(file);
}

/**
 * A workflow that says its goal as one with steps: an agent plans tasks, a person approves them, agents carry them out,
 * and what was done is held against the constraints and criteria. Others are given back as they are. Null where it is
 * of a family that is not run, which is reported.
 */
export function withSteps(node: Node, report: Report): Node | null {
  const { value } = node;
  if (!isObject(value) || !isIntent(value, node.source.absolute)) return node;
  const family = FAMILIES.find((one) => one === value['type']);
  if (family === 'imperative' || (family === undefined && 'steps' in value)) return omit(node, ['type']);
  if (family !== undefined && family !== 'intent') return refuseFamily(family, node, report);
  if ('steps' in value) {
    report({
      code: 'conflicting-keys',
      at: keyOf(node, 'steps'),
      message: 'A workflow says what is wanted or how it is done: this one is of `type: intent` and has `steps`.',
      suggestion: 'leave `type` and `goal` out, or `steps`',
    });
    return null;
  }
  return planned(node, report);
}

function refuseFamily(family: string, node: Node, report: Report): null {
  report({
    code: 'unsupported-key',
    at: memberOf(node, 'type') ?? node,
    message: `This version runs no workflow of \`type: ${family}\`: nothing would hold it to what it says.`,
    suggestion:
      'write `type: intent` with `goal` and `constraints`, or `steps` with `severity` where a person is to be asked',
  });
  return null;
}

/** Sentences as people write them: `Size: at most 1 MB` is a map in YAML, and a sentence all the same. */
function withSentences(node: Node): Node {
  const members = [...(node.members ?? [])].map(([key, member]): [string, Member] =>
    ['constraints', 'success_criteria'].includes(key)
      ? [key, { ...member, node: sentencesIn(member.node) }]
      : [key, member],
  );
  return withMembers(node, members);
}

function sentencesIn(node: Node): Node {
  if (node.items !== null) return withItems(node, node.items.flatMap(sentencesOf));
  const sentences = sentencesOf(node);
  return node.members === null || sentences[0] === node
    ? node
    : { ...node, members: null, items: sentences, value: sentences.map(({ value }) => value) };
}

/** A sentence for each key of a map; a map that holds more than texts and numbers is left as it is. */
function sentencesOf(node: Node): Node[] {
  const members = [...(node.members ?? [])];
  if (
    members.length === 0 ||
    members.some(
      ([
        ,
        {
          node: { members: map, items },
        },
      ]) => map !== null || items !== null,
    )
  )
    return [node];
  return members.map(
    ([
      key,
      {
        key: at,
        node: { end, value },
      },
    ]) => ({
      ...{ ...node, ...at, end },
      ...{ value: value === null ? key : `${key}: ${toText(value)}`, members: null, style: 'plain' as const },
    }),
  );
}

function planned(written: Node, report: Report): Node | null {
  const node = withSentences(written);
  const refused = Object.keys(REFUSED).filter((key) => memberOf(node, key) !== null);
  for (const key of refused)
    report({
      code: 'unsupported-key',
      at: keyOf(node, key),
      message: `A workflow with a \`goal\` has no \`${key}\` here.`,
      suggestion: ownOf(REFUSED, key) ?? null,
    });
  const said = pick(node, Object.keys(intentShape));
  if (check(intentSchema, said, { report }) === null || refused.length > 0) return null;
  const at = keyOf(node, 'goal');
  const given = pick(node, ['goal', 'constraints', 'success_criteria']);
  const steps = made(STEPS, at, given);
  const rest = omit(node, ['type', 'goal', 'constraints', 'success_criteria']);
  return withMembers(rest, [
    ...(rest.members ?? []),
    ['steps', { key: at, node: steps }],
    ...(memberOf(node, 'output') === null
      ? [['output', { key: at, node: made('${steps.work.output}', at, given) }] as [string, Member]]
      : []),
  ]);
}

/** Stands for what the file says: its goal, constraints and criteria, each where it is written. */
const SAID = { $said: true };

const STEPS: Json = [
  {
    id: 'plan',
    agent: 'Plan',
    prompt:
      'Look at the project, and plan tasks that reach the goal. Each constraint and each success criterion is an ' +
      'acceptance criterion, word for word, of every task that it is about, and of the last task, which holds all of ' +
      'the work against them.',
    inputs: SAID,
    tasks: ['general-purpose', { agent: 'code-reviewer', role: 'reviewer' }],
  },
  { id: 'work', plan: '${steps.plan.output}', message: 'Are these the tasks that reach the goal?' },
  {
    id: 'check',
    agent: 'code-reviewer',
    prompt:
      'Hold what was done against the goal and against each constraint and each success criterion. Look at the files ' +
      'themselves. `met` says whether all of them hold; `unmet` names those that do not, and why.',
    inputs: { $said: true, done: '${steps.work.output}' },
    schema: {
      type: 'object',
      required: ['met', 'unmet'],
      properties: { met: { type: 'boolean' }, unmet: { type: 'array', items: { type: 'string' } } },
    },
    rehearsal: { met: true, unmet: [] },
  },
  {
    id: 'held',
    set: { message: 'The goal is not reached: ${steps.check.output.unmet}' },
    require: '${steps.check.output.met}',
  },
];

/** A value as if it were written at a place; `$said` in a map stands for the members of `said`. */
function made(value: Json, at: Place, said: Node): Node {
  const place = { source: at.source, path: at.path, start: at.start, end: at.end };
  const plain = { ...place, value, members: null, items: null, style: null };
  if (Array.isArray(value)) {
    return withItems(
      plain,
      value.map((item) => made(item, at, said)),
    );
  }
  if (!isObject(value)) return plain;
  const members = Object.entries(value).flatMap(([key, inner]): [string, Member][] =>
    key === '$said' ? [...(said.members ?? [])] : [[key, { key: place, node: made(inner, at, said) }]],
  );
  return withMembers(plain, members);
}

function pick(node: Node, keys: readonly string[]): Node {
  const members = [...(node.members ?? [])].filter(([key]) => keys.includes(key));
  return withMembers({ ...node, ...startOf(node) }, members);
}

function omit(node: Node, keys: readonly string[]): Node {
  return withoutPaths(
    node,
    keys.map((key) => [key]),
  );
}
