import type { Json, JsonObject } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Site } from './references.js';
import type { ConductorAgent } from './schema.js';
import { listOf, siteAt, template } from './write-expression.js';

type Place = Omit<Site, 'at' | 'offset'>;

/**
 * Questions to people, one after the other, as a list of `{question, answer}`; null when something in them is refused,
 * which is reported.
 */
export function questionsStep(
  said: ConductorAgent,
  { name, at }: { name: string; at: Node },
  site: Place,
): JsonObject | null {
  const { report, losses } = site.conductor;
  const [listed, source] = [memberOf(at, 'questions'), memberOf(at, 'source')];
  if ((listed === null) === (source === null)) {
    report({
      code: listed === null ? 'missing-key' : 'conflicting-keys',
      at: keyOf(at, listed === null ? 'name' : 'source'),
      message: `Expected \`source\` or \`questions\` at \`${name}\`, and not both.`,
    });
    return null;
  }
  // Of another node: texts, or maps with `question`.
  const items =
    source === null ? writtenOut(said, listed ?? at, { name, site }) : listOf(said.source ?? '', siteAt(site, source));
  const prompt = memberOf(at, 'prompt');
  const intro = prompt === null ? '' : template(said.prompt ?? '', siteAt(site, prompt), `${name}.prompt`);
  if (items === null || intro === null) return null;
  losses.changed(
    `${name}.${source === null ? 'questions' : 'source'}`,
    keyOf(at, source === null ? 'questions' : 'source'),
    'each question waits for its answer: none is skipped, and none answered again; its transcript is the list of both',
  );
  const question = '${item.question ?? item.text ?? item}';
  const more = source === null ? '' : '\n${item.hint ?? ""}\n${item.choices ?? ""}';
  return {
    foreach: { items, max_parallel: 1 },
    steps: [
      { id: 'asked', ask: [intro.trim(), `${question}${more}`].filter((part) => part !== '').join('\n\n') },
      { set: { question, answer: '${steps.asked.output}' } },
    ],
  };
}

/** The texts of questions that are written out, with what is said beside each. */
function writtenOut(
  { questions = [] }: ConductorAgent,
  at: Node,
  { name, site }: { name: string; site: Place },
): Json[] | null {
  const texts = questions.map((question, index) => {
    const item = at.items?.[index] ?? at;
    const place = memberOf(item, 'text') ?? item;
    if (question.default != null)
      site.conductor.losses.changed(`${name}.questions.default`, keyOf(item, 'default'), 'a person answers it');
    const text = template(question.text, siteAt(site, place), `${name}.questions`);
    const choices = (question.choices ?? []).map((choice) => literalText(`- ${choice}`));
    const told = [...(question.hint == null ? [] : [literalText(question.hint)]), ...choices];
    return text && [text.trim(), ...(told.length === 0 ? [] : ['', ...told])].join('\n');
  });
  return texts.includes(null) ? null : texts;
}
