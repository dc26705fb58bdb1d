import type { JsonObject } from '../../../plan/values/json.js';
import { didYouMean } from '../../problems/did-you-mean.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Node } from '../../text/node.js';
import { playerOf } from './agents.js';
import type { CommandText } from './resources.js';
import type { Site } from './references.js';
import { findReferences, promptText, targetOf } from './references.js';
import type { Task } from './step-parts.js';
import { limitsOf, siteOf, stepWith } from './step-parts.js';
import { valueTemplate } from './values.js';

/** A node that asks a model once. */
export function agentSteps(task: Task): JsonObject[] | null {
  const { node, translation } = task;
  const text =
    node.kind === 'command' ? commandPrompt(task, node.said.command?.trim() ?? '', ['command']) : inlinePrompt(task);
  const system = node.said.systemPrompt?.includes('$')
    ? promptText(node.said.systemPrompt, siteOf(task, ['systemPrompt']))
    : '';
  if (text === null || system === null) return null;
  const prompt = [system, text, conversationBefore(task, text)].filter((part) => part.trim() !== '').join('\n\n');
  return [
    stepWith(task, { ...playerOf(node, translation), prompt: filled(prompt), ...schemaOf(task), ...limitsOf(task) }),
  ];
}

/** An instruction is never empty. */
export function filled(prompt: string): string {
  return prompt.trim() === '' ? 'Do your part.' : `${prompt.trimEnd()}\n`;
}

function inlinePrompt(task: Task): string | null {
  return promptText(task.node.said.prompt ?? '', siteOf(task, ['prompt']));
}

/** The text of a command's file; null when it is not there, or refers to what means nothing: that is reported. */
export function commandPrompt(task: Task, name: string, path: string[], more: Partial<Site> = {}): string | null {
  const { node, translation } = task;
  const command = translation.resources.command(name);
  if (command === null) {
    const holder = path.slice(0, -1).reduce<Node>((at, key) => memberOf(at, key) ?? at, node.at);
    const near = didYouMean(name, translation.resources.commands());
    translation.report({
      code: 'unreadable-file',
      at: memberOf(holder, path.at(-1) ?? '') ?? holder,
      message: `There is no command \`${name}\` in \`.archon/commands/\`.`,
      suggestion: near ?? `put the file of the command there, as \`.archon/commands/${name}.md\``,
    });
    return null;
  }
  const bindings = bindingsOf(task);
  return bindings && promptText(command.text, { ...siteOfCommand(task, command), bindings, ...more });
}

function siteOfCommand(task: Task, { source, start: begin }: CommandText): Site {
  const placeOf: Site['placeOf'] = (start, length) => ({
    source,
    path: '',
    start: begin + start,
    end: begin + start + length,
  });
  return { ...siteOf(task, []), placeOf, lenient: true };
}

/** What `with:` gives to a command, by name, in our words. */
function bindingsOf(task: Task): Map<string, string> | null {
  const bindings = new Map<string, string>();
  for (const name of Object.keys(task.node.said.with ?? {})) {
    const value = valueTemplate(task, ['with', name]);
    if (value === undefined) return null;
    bindings.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return bindings;
}

/** The JSON Schema of an answer; of one whose fields are read although none was declared, one that has them. */
export function schemaOf({ node, translation }: Pick<Task, 'node' | 'translation'>): JsonObject {
  const { output_format: declared } = node.said;
  if (declared !== undefined) return { schema: declared };
  const shape = translation.shapes.get(node.id);
  if (shape?.kind === 'list') return { schema: { type: 'array' } };
  if (shape?.kind !== 'json') return {};
  const names = [...shape.fields.keys()];
  translation.losses.harmless(
    `${node.id}.output_format`,
    keyOf(node.at, 'id'),
    'fields of its answer are read, so it is asked for JSON that has them',
  );
  return {
    schema: { type: 'object', required: names, properties: Object.fromEntries(names.map((name) => [name, {}])) },
  };
}

/** What a conversation that goes on in Archon would know: what was answered before. */
function conversationBefore(task: Task, text: string): string {
  const { node, scope, translation } = task;
  const before = scope.graph.conversation.get(node.id);
  const target = before === undefined ? null : targetOf(before, scope, node);
  if (before === undefined || target === null) return '';
  translation.losses.changed(
    `${node.id}.context`,
    keyOf(node.at, memberOf(node.at, 'context') === null ? 'id' : 'context'),
    `Archon goes on in the conversation of \`${before}\`; here it is told what that answered, and nothing else`,
  );
  if (
    findReferences(node.said.prompt ?? '').some(({ kind, name }) => kind === 'node' && name === before) ||
    text.includes(`steps.${target.step}.output`)
  )
    return '';
  const path = `steps.${target.step}.output${target.certain ? '' : " ?? ''"}`;
  return `What \`${before}\` answered before:\n\n\${${path}}`;
}
