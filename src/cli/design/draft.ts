import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { compileMade } from '../../compiler/made/compile-made.js';
import { isBuiltInName, TEMPORARY_AGENTS } from '../../compiler/project/resolve.js';
import { NAME } from '../../plan/names.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

/** What the designer answers. */
export const draftSchema = z.object({
  name: z.string(),
  description: z.string(),
  flow: z.string(),
  agents: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      model: z.enum(['opus', 'sonnet', 'haiku']),
      instructions: z.string(),
    }),
  ),
});

export type Draft = z.infer<typeof draftSchema>;

/** The files of a draft, from the project's root: the flow, and its temporary agents. */
export interface DraftFiles {
  flow: { file: string; text: string };
  agents: { file: string; text: string }[];
}

/** How a draft is written down. `created` is the day, for people. */
export function filesOf({ name, description, flow, agents }: Draft, created: string): DraftFiles {
  return {
    flow: {
      file: join('definitions', 'flows', `${name}.flow`),
      text: `---\n${yamlText({ description })}---\n${flow.trim()}\n`,
    },
    agents: agents.map(({ name: agent, description: about, model, instructions }) => {
      const head = { name: agent, base: 'general-purpose', description: about, model, created };
      return {
        file: join(TEMPORARY_AGENTS, `${agent}.md`),
        text: `---\n${yamlText({ ...head, created_by: 'perdure design' })}---\n${instructions.trim()}\n`,
      };
    }),
  };
}

/**
 * All that is wrong with a draft, one problem a line as a model reads it; empty when nothing is. Nothing is written.
 */
export function problemsOf(draft: Draft, root: string): string {
  const found = [...nameProblems(draft)];
  // Names that are none make no files to look at.
  if (found.length > 0) return found.join('\n');
  const { flow, agents } = filesOf(draft, '');
  for (const { file } of [flow, ...agents])
    if (existsSync(join(root, file))) found.push(`${file}  There is such a file already: choose another name.`);
  const { plan, problems } = compileMade(
    {
      file: flow.file,
      text: flow.text,
      agents: Object.fromEntries(agents.map(({ file, text }) => [file, text])),
      own: true,
    },
    root,
  );
  if (problems !== '') found.push(problems);
  const used = new Set(Object.values(plan?.agents ?? {}).map(({ name }) => name));
  for (const { name } of plan === null ? [] : draft.agents)
    if (!used.has(name)) found.push(`agents  The flow does not use \`${name}\`.`);
  return found.join('\n');
}

function* nameProblems({ name, agents }: Draft): Generator<string> {
  const rule = 'Expected a name: a letter, then letters, digits, `-` or `_`, at most 63';
  if (!NAME.test(name)) yield `name  ${rule}; got \`${name.slice(0, 80)}\`.`;
  const seen = new Set<string>();
  for (const { name: agent, instructions } of agents) {
    if (!NAME.test(agent)) yield `agents  ${rule}; got \`${agent.slice(0, 80)}\`.`;
    if (isBuiltInName(agent))
      yield `agents  A temporary agent may not take the name of the built-in agent \`${agent}\`.`;
    if (seen.has(agent.toLowerCase())) yield `agents  \`${agent}\` is there twice.`;
    if (instructions.trim() === '') yield `agents  \`${agent}\` has no instructions.`;
    seen.add(agent.toLowerCase());
  }
}
