import type { Agent, Step } from '../step.js';
import type { Template } from '../values/expression.js';
import { isEmptyText } from '../values/expression.js';
import type { Hash } from '../values/value.js';

/** Texts of a Plan that stand in the store, as far as they are known. */
export type KnownTexts = ReadonlyMap<Hash, string>;

/** Agents of a Plan. */
type Agents = Readonly<Record<string, Pick<Agent, 'prompt'>>>;

const CHARACTERS = 48;
/** Ids that number a step and say nothing of it. */
const NUMBERED = /^step[-_]?\d+$/i;

/**
 * The first words of what a step is told or asks, at most 48 characters on one line, where neither an id nor a name
 * tells more; null where there are none, or where they stand in the store and are not among `known`.
 */
export function titleOf(step: Step, agents: Agents, known: KnownTexts = new Map()): string | null {
  const template = saidBy(step, agents);
  return template === null ? null : firstWords(textOf(template, known));
}

/** Names of the stored texts that titles of these steps begin with. */
export function titleTexts(steps: Iterable<Step>, agents: Agents): Hash[] {
  return [...steps].flatMap((step) => {
    const template = saidBy(step, agents);
    const first = template?.kind === 'text' ? template.parts[0] : undefined;
    return typeof first === 'object' && 'text' in first ? [first.text] : [];
  });
}

function saidBy(step: Step, agents: Agents): Template | null {
  if (step.id !== null && !NUMBERED.test(step.id)) return null;
  switch (step.kind) {
    case 'agent':
      // An empty request leaves all to the agent's own instruction.
      return isEmptyText(step.prompt) ? (agents[step.agent]?.prompt ?? null) : step.prompt;
    case 'approval':
      return step.message;
    case 'ask':
      return step.question;
    case 'foreach':
    case 'loop': {
      const [only] = step.body.steps;
      return step.body.single && only !== undefined ? saidBy(only, agents) : null;
    }
    default:
      return null;
  }
}

function textOf(template: Template, known: KnownTexts): string {
  if (template.kind === 'literal') return typeof template.value === 'string' ? template.value : '';
  if (template.kind !== 'text') return '';
  let text = '';
  for (const part of template.parts) {
    if (typeof part === 'string') text += part;
    else if ('expression' in part) text += '…';
    else return text + (known.get(part.text) ?? '');
  }
  return text;
}

function firstWords(text: string): string | null {
  const line = text.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const words = line
    .replace(/^[\s#>*-]+/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  let title = '';
  for (const word of words) {
    const longer = title === '' ? word : `${title} ${word}`;
    if (longer.length > CHARACTERS - 1) return title === '' ? `${word.slice(0, CHARACTERS - 1)}…` : `${title}…`;
    title = longer;
  }
  return title === '' ? null : title;
}
