import { join } from 'node:path';
import { z } from 'zod';
import { createLoader } from '../../compiler/load.js';
import { createResolver, isTaken } from '../../compiler/project/resolve.js';
import { openWorkspace } from '../../cli/session.js';
import { compile } from '../../cli/submit/prepare.js';
import { McpRefusal } from '../errors.js';
import { checkGenerated, checkToolSteps } from '../generated.js';
import { definition, definitionName, writtenText } from '../input.js';
import { defineTool } from '../tool.js';

export const workflowCreate = defineTool({
  name: 'workflow_create',
  title: 'Make a workflow',
  description:
    'Makes a workflow of agent steps for this connection; run it with `workflow`. A person approves its exact ' +
    'text before it runs, and it is gone when the connection ends.',
  input: z.strictObject({
    name: definitionName('Its name; no other workflow may have it.'),
    definition: definition({
      map: 'The workflow as a map: `description`, `steps`, `execution`, `inputs`.',
      yaml: 'The workflow as YAML.',
      either: 'The workflow, without its name.',
    }),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  async run({ name, definition: written }, { connection }) {
    const { terminal, made } = connection;
    const workspace = await openWorkspace(terminal);
    const { project, config } = workspace;
    if (isTaken(createResolver(project).workflow(name, join(project.root, 'any'))))
      throw new McpRefusal(`The project has a workflow \`${name}\` already; choose another name.`);
    const { text, description } = writtenText(written, { name });
    const file = join(project.root, 'definitions', 'workflows', `${name}.yml`);
    await made.add({ kind: 'workflow', name, description, file, text }, async (withIt) => {
      const { plan } = await compile(file, workspace, terminal, { made: withIt });
      if (plan.name !== name)
        throw new McpRefusal(`The workflow's text names it \`${plan.name}\`; expected \`${name}\`.`);
      checkGenerated(plan, config);
      // What it has to say against the text the compiler has said.
      checkToolSteps(createLoader(terminal.cwd, () => undefined, withIt.texts).load(file));
    });
    return {
      name,
      definition: text,
      next:
        `Run it with \`workflow\`; a person must approve it. To keep it, a person saves it as ` +
        `definitions/workflows/${name}.yml.`,
    };
  },
});
