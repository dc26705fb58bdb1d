import { VERDICT_REQUEST } from '../../compiler/flow/outcomes.js';
import type { Expression, Template } from '../../plan/values/expression.js';
import { literalText } from '../../plan/values/expression.js';
import type { Plan } from '../../plan/plan.js';
import type { Agent } from '../../plan/step.js';
import type { Text } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

/** A temporary agent as a run's Plan keeps it, whatever became of its file. */
export interface TemporaryAgent {
  name: string;
  description: string | null;
  /** As it would be written in a file: `${name}` is an input, other dollar signs are text. */
  prompt: string;
  /** The agent's own file. */
  text: string;
}

/** The temporary agents of a Plan, each name once. */
export async function temporaryAgents(plan: Plan, store: Pick<Store, 'getText'>): Promise<TemporaryAgent[]> {
  const found = new Map<string, TemporaryAgent>();
  for (const agent of Object.values(plan.agents)) {
    if (agent.temporary !== true || found.has(agent.name)) continue;
    const prompt = await promptOf(agent.prompt, store);
    found.set(agent.name, { name: agent.name, description: agent.description, prompt, text: fileOf(agent, prompt) });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A prompt as its file would say it: `${name}` is an input, other dollar signs are text. */
export async function promptOf(template: Template, store: Pick<Store, 'getText'>): Promise<string> {
  const parts =
    template.kind === 'text'
      ? template.parts
      : template.kind === 'literal'
        ? [String(template.value)]
        : template.kind === 'expression'
          ? [{ expression: template.expression }]
          : [];
  const written = await Promise.all(
    parts.map(async (part) =>
      'expression' in Object(part)
        ? referenceOf((part as { expression: Expression }).expression)
        : literalText(await store.getText(part as Text)),
    ),
  );
  // A flow whose condition looks at an agent asks it to say how it went; that is no part of the agent.
  return written.join('').replace(`\n\n${VERDICT_REQUEST}`, '').trimEnd();
}

function referenceOf(expression: Expression): string {
  return expression.kind === 'reference' ? `\${${expression.source}}` : '';
}

function fileOf(
  { name, description, model, tools, max_turns, max_output_kb, toolsets, inputs }: Agent,
  prompt: string,
): string {
  const declared = Object.fromEntries(
    Object.entries(inputs).map(([input, { type, required }]) => [input, { type, required }]),
  );
  return yamlText(
    {
      name,
      ...(description === null ? {} : { description }),
      ...(model === null ? {} : { model }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(Object.keys(declared).length === 0 ? {} : { inputs: declared }),
      ...(toolsets === undefined || toolsets.length === 0 ? {} : { tools: [...tools, ...toolsets] }),
      max_turns,
      max_output_kb,
      prompt: `${prompt}\n`,
    },
    { blockQuote: 'literal' },
  );
}
