import { join } from 'node:path';
import { z } from 'zod';
import { createResolver, isTaken } from '../../compiler/project/resolve.js';
import { createCompiler } from '../../compiler/compile.js';
import { hasErrors, sortProblems } from '../../compiler/problems/problem.js';
import { namedTools } from '../../compiler/agents/tool-names.js';
import type { AuthoredTool } from '../../compiler/formats/tool.js';
import { ProblemsError, openWorkspace } from '../../cli/session.js';
import { McpRefusal } from '../errors.js';
import { definition, definitionName, writtenText } from '../input.js';
import { defineTool } from '../tool.js';

export const toolCreate = defineTool({
  name: 'tool_create',
  title: 'Make a tool',
  description:
    'Makes a tool for this connection, of kind http, command or python; call it with `tool`, and agents and ' +
    'workflows made here may name it. A person approves its exact text and each call, and it is gone when the ' +
    'connection ends.',
  input: z.strictObject({
    name: definitionName('Its name; no other tool may have it.'),
    definition: definition({
      map: 'The tool as a map: `description`, `kind`, `version`, `inputs`, `outputs`, `exec`, `permissions`.',
      yaml: 'The tool as the YAML of a `tool.yml`.',
      either: 'The tool, as its `tool.yml` says it.',
    }),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  async run({ name, definition: written }, { connection }) {
    const { terminal, made } = connection;
    const workspace = await openWorkspace(terminal);
    const { project } = workspace;
    const from = join(project.root, 'any');
    const resolver = createResolver(project);
    if (namedTools(name) !== null)
      throw new McpRefusal(`\`${name}\` is a tool that comes with Perdure; choose another name.`);
    for (const kind of ['tool', 'agent'] as const)
      if (isTaken(resolver[kind](name, from)))
        throw new McpRefusal(
          `The project has ${kind === 'tool' ? 'a tool' : 'an agent'} \`${name}\` already; choose another name.`,
        );
    const { text, description } = writtenText(written, { name, version: 1 });
    const file = join(project.root, 'definitions', 'tools', name, 'tool.yml');
    await made.add({ kind: 'tool', name, description, file, text }, async (withIt) => {
      const { check, problems, sources } = createCompiler({
        cwd: terminal.cwd,
        ...workspace,
        made: withIt,
      });
      const read = check(file);
      if (hasErrors(problems)) throw new ProblemsError(sortProblems(problems), sources, 1);
      if (read?.format !== 'tool' || read.name !== name)
        throw new McpRefusal(
          `The text is that of the ${read?.format ?? 'file'} \`${read?.name ?? ''}\`; expected the tool \`${name}\`.`,
        );
      checkProgram(read.authored);
    });
    return {
      name,
      definition: text,
      next:
        `Call it with \`tool\`; a person must approve it and each call. To keep it, a person saves it as ` +
        `definitions/tools/${name}/tool.yml.`,
    };
  },
});

/** A made tool has no folder: a path would lead to a file whose text nobody is shown. */
function checkProgram({ exec: { command, python } }: AuthoredTool): void {
  const entrypoint = command?.entrypoint ?? '';
  if (entrypoint.includes('/'))
    throw new McpRefusal(
      `Expected \`entrypoint\` of a tool that is made over MCP to be a program of the system, got the path ` +
        `\`${entrypoint}\`.`,
    );
  if (python?.venv !== undefined)
    throw new McpRefusal(`A tool that is made over MCP has no \`venv\`, got \`${python.venv}\`.`);
}
