import { z } from 'zod';
import type { Check } from '../text/check.js';
import { check } from '../text/check.js';
import { nearest, meansPerhaps } from '../problems/did-you-mean.js';
import { listText, wordsOf } from '../text/words.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, startOf, withItems, withMembers, without } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { renamed, respelled } from '../text/respell.js';
import { checkSound } from '../text/sound-part.js';
import type { AuthoredBlockStep, AuthoredStep } from './step.js';
import {
  agentStep,
  approvalGateStep,
  approvalStep,
  askStep,
  blockStep,
  commandStep,
  compileStep,
  flashStep,
  planStep,
  serialStep,
  setStep,
  STEP_KINDS,
  toolStep,
  waitStep,
  workflowStep,
} from './step.js';

/** A step as it was found: what has no fault of it can be looked at further. */
export interface ReadStep {
  /** The sound part; null when it is not even known what the step is, or when it has `steps`. */
  authored: AuthoredStep | null;
  /** The step's own `steps`, and the sound part of what it says beside them; null when it has none. */
  block: { authored: AuthoredBlockStep | null; steps: ReadStep[] } | null;
  /** Positions of that part; of all that is written where `authored` is null. */
  node: Node;
  /** All that is written, with the keys spelled right. */
  spelled: Node;
  /** Whether the step has no fault of form. */
  whole: boolean;
  /** Keys of the step that have faults: what is said there is not known. */
  faulty: ReadonlySet<string>;
}

/** The sound part of what a step says whatever its kind; null where nothing is sound. */
export function saidOf({ authored, block }: ReadStep): AuthoredStep | AuthoredBlockStep | null {
  return authored ?? block?.authored ?? null;
}

/** What the language has and this version does not run. */
const UNSUPPORTED_STEP_KEYS = new Set(['tools', 'toolsets', 'permissions', 'session']);

/** Words of other tools for what has another name here. */
const STEP_WORDS: Record<string, string> = {
  name: 'id',
  depends_on: 'needs',
  dependsOn: 'needs',
  if: 'when',
  run: 'command',
  shell: 'command',
  script: 'command',
  uses: 'agent',
  env_vars: 'env',
  working_directory: 'cwd',
  retries: 'retry',
  group: 'parallel_group',
  onError: 'on_error',
  args: 'command',
  max_iterations: 'max',
  times: 'max',
  with: 'inputs',
  input: 'inputs',
  instruction: 'prompt',
  question: 'approval',
  max_output: 'max_output_kb',
  approvers: 'required_approver',
  approver: 'required_approver',
  required_approvers: 'required_approver',
  escalation: 'escalate',
  remind: 'reminder',
};

/** What one kind of gate calls otherwise than the other. */
const GATE_WORDS: Record<'approval' | 'ask', Record<string, string>> = {
  approval: { choices: 'options' },
  ask: { options: 'choices' },
};

/** Reads one step; every fault of its form is reported where it is. */
export function readStep(node: Node, report: Report): ReadStep {
  const nothing = { authored: null, block: null, node, spelled: node, whole: false, faulty: new Set<string>() };
  if (node.members === null) {
    report({
      code: 'invalid-value',
      at: node,
      message: `Expected a step: a map with one of ${STEP_KINDS.join(', ')}.`,
    });
    return nothing;
  }
  const options: Check = { report, unsupported: UNSUPPORTED_STEP_KEYS, words: STEP_WORDS };
  if (memberOf(node, 'steps') !== null) return readBlock(node, options);
  const found = kindOfStep(node, report);
  if (found.kind === 'steps') return readBlock(found.node, options);
  if (found.kind === null) return found.later ? nothing : readKindless(node, found.instead, options);
  return readKind(found.kind, found.node, options);
}

/** One line a kind. */
function readKind(kind: AuthoredStep['kind'], node: Node, options: Check): ReadStep {
  switch (kind) {
    case 'agent':
      return readAs(kind, agentStep, node, options);
    case 'command':
      return isCommandList(node, options.report)
        ? readAs(kind, commandStep, node, options)
        : readKindless(node, kind, options);
    case 'tool':
      return readAs(kind, toolStep, node, options);
    case 'workflow':
      return readAs(kind, workflowStep, node, options);
    case 'plan':
      return readAs(kind, planStep, node, options);
    case 'approval':
      return readAs(
        kind,
        memberOf(node, kind)?.members == null ? approvalStep : approvalGateStep,
        node,
        wordsFor(kind, options),
      );
    case 'ask':
      return readAs(kind, askStep, node, wordsFor(kind, options));
    case 'set':
      return readAs(kind, setStep, node, options);
    case 'wait':
      return readAs(kind, waitStep, node, options);
    default:
      return readDevice(kind, node, options);
  }
}

function wordsFor(kind: 'approval' | 'ask', options: Check): Check {
  return { ...options, words: { ...options.words, ...GATE_WORDS[kind] } };
}

function readDevice(kind: 'compile' | 'flash' | 'serial', node: Node, options: Check): ReadStep {
  switch (kind) {
    case 'compile':
      return readAs(kind, compileStep, node, options);
    case 'flash':
      return readAs(kind, flashStep, node, options);
    case 'serial':
      return readAs(kind, serialStep, node, options);
  }
}

function readAs<K extends AuthoredStep['kind'], T extends object>(
  kind: K,
  schema: z.ZodType<T>,
  node: Node,
  options: Check,
): Omit<ReadStep, 'authored'> & { authored: ({ kind: K } & T) | null } {
  const { value, ...sound } = checkSound(schema, node, options);
  return {
    ...sound,
    block: null,
    authored: value && { kind, ...value },
    whole: value !== null && sound.faulty.size === 0,
  };
}

/** A step with `steps`: they are read like those of a workflow. */
function readBlock(written: Node, options: Check): ReadStep {
  const node = respelled(blockStep, written, options);
  const kind = STEP_KINDS.find((candidate) => memberOf(node, candidate) !== null) ?? null;
  const repeated = memberOf(node, 'foreach') !== null || memberOf(node, 'loop') !== null;
  if (kind !== null) {
    options.report({
      code: 'step-kind',
      at: keyOf(node, 'steps'),
      message: `A step is one thing: this one is \`${kind}\`, and has \`steps\` of its own.`,
      suggestion: `make \`${kind}\` one of the \`steps\``,
    });
  } else if (!repeated) {
    options.report({
      code: 'step-kind',
      at: keyOf(node, 'steps'),
      message: 'Expected `foreach` or `loop` beside `steps`.',
      suggestion: 'steps that run once are steps of the workflow, or a workflow of their own',
    });
  }
  const { value, faulty, ...sound } = checkSound(blockStep, without(node, kind), options);
  const steps = (memberOf(node, 'steps')?.items ?? []).map((item) => readStep(item, options.report));
  const spelled = withSpelled(node, 'steps', steps);
  const whole = value !== null && faulty.size === 0 && repeated && kind === null && steps.every((step) => step.whole);
  return { ...sound, spelled, faulty, authored: null, block: { authored: value, steps }, whole };
}

/** A map with its steps as they were meant to be spelled; the same map where nothing was misspelled. */
export function withSpelled(node: Node, key: string, steps: ReadStep[]): Node {
  const list = node.members?.get(key);
  if (list?.node.items == null || steps.every(({ spelled }, index) => spelled === list.node.items?.[index]))
    return node;
  const items = withItems(
    list.node,
    steps.map(({ spelled }) => spelled),
  );
  const members = [...(node.members ?? [])].map(
    ([name, one]) => [name, name === key ? { ...one, node: items } : one] as const,
  );
  return withMembers(node, members);
}

/** Every key that some step has; what a step of each kind must have is not asked. */
const anyStep = z.strictObject({
  ...agentStep.shape,
  ...commandStep.shape,
  ...toolStep.shape,
  ...workflowStep.shape,
  ...planStep.shape,
  ...approvalStep.shape,
  ...askStep.shape,
  ...setStep.shape,
  ...waitStep.shape,
  ...compileStep.shape,
  ...flashStep.shape,
  ...serialStep.shape,
  default: z.unknown().optional(),
  agent: z.unknown().optional(),
  command: z.unknown().optional(),
  tool: z.unknown().optional(),
  workflow: z.unknown().optional(),
  plan: z.unknown().optional(),
  approval: z.unknown().optional(),
  ask: z.unknown().optional(),
  set: z.unknown().optional(),
  wait: z.unknown().optional(),
  compile: z.unknown().optional(),
  flash: z.unknown().optional(),
  serial: z.unknown().optional(),
});

/** A step of no kind, or of two: its other keys are looked at, but for the one that was told of. */
function readKindless(node: Node, told: string | null, options: Check): ReadStep {
  check(anyStep, without(node, told), options);
  return { authored: null, block: null, node, spelled: node, whole: false, faulty: new Set() };
}

interface Found {
  kind: AuthoredStep['kind'] | 'steps' | null;
  /** The step, with the key spelled right that says what it is. */
  node: Node;
  /** The key that was told of in place of a kind. */
  instead: string | null;
  /** Whether the step is of a kind that this version does not run. */
  later: boolean;
}

function kindOfStep(node: Node, report: Report): Found {
  const keys = [...(node.members?.keys() ?? [])];
  const [kind, second] = STEP_KINDS.filter((candidate) => keys.includes(candidate));
  if (kind !== undefined && second === undefined) return { kind, node, instead: null, later: false };
  if (second !== undefined) {
    report({
      code: 'step-kind',
      at: keyOf(node, second),
      message: `A step is one thing: this one is \`${kind}\` and \`${second}\`.`,
      suggestion: 'make two steps of it',
    });
    return { kind: null, node, instead: null, later: false };
  }
  const later = keys.find((key) => UNSUPPORTED_STEP_KEYS.has(key));
  if (later !== undefined) {
    report({ code: 'unsupported-key', at: keyOf(node, later), message: `This version does not run \`${later}\` yet.` });
    return { kind: null, node, instead: later, later: true };
  }
  return nearKind(node, keys, report);
}

/** A step that says nothing of what it is. A key that is nearly a kind is taken for it, and the rest is looked at. */
function nearKind(node: Node, keys: string[], report: Report): Found {
  const repeated = keys.find((key) => key === 'foreach' || key === 'loop');
  const inner = repeated === undefined ? undefined : keys.find((key) => holdsSteps(node, key));
  const [key, meant] =
    inner === undefined
      ? (keys.map((one) => [one, kindMeantBy(one)] as const).find((pair) => pair[1] !== null) ?? [])
      : ([inner, 'steps'] as const);
  const kinds = STEP_KINDS.map((word) => `\`${word}\``).join(', ');
  // A key that no step has is what the step is, by a word of nobody here.
  const unknown = keys.filter((one) => !Object.hasOwn(anyStep.shape, one) && !Object.hasOwn(STEP_WORDS, one));
  const told = key ?? (unknown.length === 1 ? unknown[0] : undefined);
  report({
    code: 'step-kind',
    at: told === undefined ? startOf(node) : keyOf(node, told),
    message:
      repeated === undefined
        ? `Expected one of ${kinds} in the step.`
        : `Expected \`steps\` beside \`${repeated}\`, or one of ${kinds}.`,
    suggestion: meant == null ? null : meansPerhaps(meant),
  });
  // A word of another tool may hold something else than the kind that has its place here.
  const taken = meant == null || key === undefined || Object.hasOwn(STEP_WORDS, key) ? null : meant;
  return {
    kind: taken,
    node: taken === null || key === undefined ? node : renamed(node, [], { key, meant: taken }),
    instead: told ?? null,
    later: false,
  };
}

/** Tells whether a key that no step has holds a list of maps: the steps of a foreach or a loop, by another name. */
function holdsSteps(node: Node, key: string): boolean {
  const { items = null } = memberOf(node, key) ?? {};
  const isKnown = Object.hasOwn(anyStep.shape, key) || Object.hasOwn(blockStep.shape, key);
  return !isKnown && items !== null && items.length > 0 && items.every(({ members }) => members !== null);
}

function kindMeantBy(key: string): AuthoredStep['kind'] | 'steps' | null {
  const kinds = [...STEP_KINDS, 'steps'] as const;
  const word = Object.hasOwn(STEP_WORDS, key) ? STEP_WORDS[key] : nearest(key, kinds);
  return kinds.find((kind) => kind === word) ?? null;
}

function isCommandList(node: Node, report: Report): boolean {
  const command = memberOf(node, 'command');
  if (typeof command?.value !== 'string') return true;
  const all = wordsOf(command.value);
  const words = all.slice(0, 12);
  const list = listText(words);
  report({
    code: 'command-not-list',
    at: command,
    message: 'Expected a list, got a text: no shell stands between, so each argument is one item.',
    suggestion: `write ${list}`,
    // What a shell would make of other characters is for a person to say.
    fix:
      all.length === words.length && /^[\w./=@: -]+$/.test(command.value) && command.style !== 'block'
        ? { at: command, text: command.source.file.endsWith('.json') ? JSON.stringify(words) : list }
        : null,
  });
  return false;
}
