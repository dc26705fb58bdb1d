import type { JsonObject } from '../../../plan/values/json.js';
import { keyOf } from '../../text/node.js';
import { freeId } from '../shared/names.js';
import { commandPrompt, filled, schemaOf } from './agent-steps.js';
import { playerOf } from './agents.js';
import { bashCommand } from './exec-steps.js';
import type { Site } from './references.js';
import { promptText } from './references.js';
import type { ArchonLoop, ArchonLoopGroup } from './schema.js';
import { signalIn } from './signal.js';
import type { Task } from './step-parts.js';
import { limitsOf, orderOf, siteOf, stepWith } from './step-parts.js';

/** What both kinds of loops say of how they go on. */
type Control = Omit<ArchonLoopGroup, 'nodes'>;

/** A node that asks a model again and again. */
export function loopSteps(task: Task): JsonObject[] | null {
  const { loop } = task.node.said;
  if (loop === undefined) return null;
  const isPlain = loop.until_bash === undefined && !loop.interactive;
  // The step itself, or one in its body: there another id would hide it.
  const step = isPlain ? task.node.step : bodyId(task, 'round');
  const variables = { LOOP_PREV_OUTPUT: `steps.${step}.output ?? ''`, ...answerOf(task, loop) };
  const prompt = promptOf(task, loop, variables);
  if (prompt === null) return null;
  const asks = { ...playerOf(task.node, task.translation), prompt, ...schemaOf(task), ...limitsOf(task) };
  const ends = endsOf(task, loop, step);
  if (isPlain)
    return [stepWith(task, { ...asks, loop: { until: `\${${ends.join(' || ')}}`, max: loop.max_iterations } })];
  const body = closing(task, loop, { ends, output: `steps.${step}.output`, variables });
  return (
    body && [
      blockOf(task, loop, [{ id: step, ...asks }, ...body.steps], {
        until: body.until,
        yields: `\${steps.${step}.output}`,
      }),
    ]
  );
}

function bodyId({ node, translation }: Task, word: string): string {
  const id = `${node.step}-${word}`.slice(0, 60);
  const own = translation.taken.has(id) ? freeId(id, translation.taken) : id;
  return own;
}

/** Where a person's answer is read: the one of the round before. */
function answerOf(task: Task, { interactive }: Control): Site['variables'] {
  return interactive ? { LOOP_USER_INPUT: `steps.${bodyId(task, 'answer')}.output ?? ''` } : {};
}

function promptOf(task: Task, loop: ArchonLoop, variables: Site['variables'] & object): string | null {
  const { node, translation } = task;
  const text =
    loop.command === undefined
      ? promptText(loop.prompt ?? '', { ...siteOf(task, ['loop', 'prompt']), variables })
      : commandPrompt(task, loop.command, ['loop', 'command'], { variables });
  if (text === null) return null;
  if (loop.prompt === undefined && loop.command === undefined) {
    translation.report({
      code: 'missing-key',
      at: keyOf(node.at, 'loop'),
      message: `Expected \`prompt\` or \`command\` in the loop of \`${node.id}\`.`,
    });
    return null;
  }
  if (loop.fresh_context) return filled(text);
  translation.losses.changed(
    `${node.id}.loop.fresh_context`,
    keyOf(node.at, 'loop'),
    'rounds of Archon are one conversation; here a round is told what the one before answered',
  );
  const before = variables.LOOP_PREV_OUTPUT ?? '';
  return filled(text.includes(before) ? text : `${text}\n\nWhat you answered in the round before:\n\n\${${before}}`);
}

/** The conditions that end a loop by what it has answered, as expressions. */
function endsOf({ node, translation }: Task, loop: ArchonLoop, step: string): string[] {
  const output = `steps.${step}.output`;
  if (loop.until !== undefined) nameSignal(node.id, keyOf(node.at, 'loop'), translation);
  return [
    ...(loop.until_field === undefined ? [] : [`${output}.${loop.until_field} == true`]),
    ...(loop.until === undefined ? [] : [signalIn(output, loop.until)]),
  ];
}

/** Takes down how the word that ends a loop is looked for. */
export function nameSignal(
  id: string,
  at: Parameters<Task['translation']['losses']['harmless']>[1],
  { losses }: Task['translation'],
): void {
  losses.harmless(
    `${id}.until`,
    at,
    'the word is found in any tag, at the end or on a line of its own; the tag stays in the output',
  );
}

interface Closing {
  /** What ends the loop by the round's output. */
  ends: string[];
  /** The round's output, as an expression. */
  output: string;
  variables: Site['variables'];
}

/** The steps at the end of a round: a check, a question; and the condition that all of it makes. */
export function closing(
  task: Task,
  loop: Control,
  { ends, output, variables }: Closing,
): { steps: JsonObject[]; until: string } | null {
  const steps: JsonObject[] = [];
  const all = [...ends];
  const last = `steps.${task.node.step}-check`;
  if (loop.until_bash !== undefined) {
    const path = [task.node.kind, 'until_bash'];
    const site = { ...siteOf(task, path), ...(variables === undefined ? {} : { variables }) };
    const command = bashCommand(loop.until_bash, site, `${task.node.id}.until_bash`);
    if (command === null) return null;
    const id = bodyId(task, 'check');
    const when = ends.length === 0 ? {} : { when: `\${!(${ends.join(' || ')})}` };
    steps.push({ id, ...command, ...when, on_error: 'continue', timeout: '2m' });
    all.push(`steps.${id}.status == 'success'`);
  }
  if (!loop.interactive) return { steps, until: `\${${all.join(' || ')}}` };
  void last;
  const id = bodyId(task, 'answer');
  const message = promptText(loop.gate_message ?? 'Go on?', siteOf(task, [task.node.kind, 'gate_message']));
  if (message === null) return null;
  const done = `lower(steps.${id}.output) == 'approve'`;
  const question = `${message.trim()}\n\n\${${output}}\n\nAnswer \`approve\` to take it, or say what to change.\n`;
  steps.push({ id, ask: question, ...(loop.signal_completes ? { when: `\${!(${all.join(' || ')})}` } : {}) });
  task.translation.losses.changed(
    `${task.node.id}.interactive`,
    keyOf(task.node.at, task.node.kind),
    'the answer `approve` takes what there is; any other answer is what the next round is told',
  );
  return { steps, until: `\${${loop.signal_completes ? `${all.join(' || ')} || ${done}` : done}}` };
}

/** A step with a body that runs in rounds. */
export function blockOf(
  { node, entry }: Task,
  loop: Control,
  steps: JsonObject[],
  { until, yields, more = {} }: { until: string; yields: string; more?: JsonObject },
): JsonObject {
  return { id: node.step, ...orderOf(entry), loop: { until, max: loop.max_iterations }, ...more, yields, steps };
}
