import { join, relative } from 'node:path';
import { splitTools } from '../../compiler/formats/agent/agent-tools.js';
import { NAME } from '../../plan/names.js';
import type { Options } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { openWorkspace } from '../session.js';
import { compile } from '../submit/prepare.js';
import { readRequest } from '../submit/read-request.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';
import { agentText } from './agent-text.js';
import { listAgents } from './list-agents.js';
import { writeWhole } from '../write-whole.js';

/** `agents create NAME INSTRUCTIONS`: writes a new agent of the project, once it is known to be sound. */
export async function createAgent(
  name: string,
  typed: string | undefined,
  { options, terminal }: { options: Options; terminal: Terminal },
): Promise<ExitCode> {
  if (!NAME.test(name))
    throw usageError(
      `Expected the agent's name to be a letter, then letters, digits, \`-\` and \`_\`, at most 63, got \`${name}\`.`,
    );
  const instructions = await readRequest(typed, terminal);
  if (instructions === null || instructions.trim() === '')
    throw usageError(
      'Expected the instructions of the agent after its name.',
      '`perdure agents create NAME "You …"`; `-` reads them from stdin.',
    );
  const workspace = await openWorkspace(terminal);
  const { root } = workspace.project;
  const taken = listAgents({ project: workspace.project, cwd: terminal.cwd }).agents.find(
    (agent) => agent.name.toLowerCase() === name.toLowerCase(),
  );
  if (taken !== undefined)
    throw usageError(
      `There is an agent \`${taken.name}\` already (${taken.source}).`,
      'Choose another name, or change its file.',
    );
  const { text, ending } = agentText({ name, ...headOf(options) }, instructions);
  const file = join(root, 'definitions', 'agents', `${name}.${ending}`);
  await compile(file, workspace, terminal, { made: { texts: new Map([[file, text]]), agents: [file] } });
  // Never over a file that has come to be there meanwhile.
  writeWhole(file, text);
  if (options.flag('json')) printJson(terminal, { name, file: relative(root, file) });
  else print(terminal, relative(terminal.cwd, file));
  return EXIT.success;
}

function headOf(options: Options): {
  description?: string;
  agent?: string;
  model?: string;
  tools?: string[];
  toolsets?: string[];
} {
  const [description, agent, model, tools, toolsets] = ['description', 'program', 'model', 'tools', 'toolsets'].map(
    (name) => options.text(name),
  );
  return {
    ...(description == null ? {} : { description }),
    ...(agent == null ? {} : { agent }),
    ...(model == null ? {} : { model }),
    ...(tools == null ? {} : { tools: splitTools(tools) }),
    ...(toolsets == null ? {} : { toolsets: splitTools(toolsets) }),
  };
}
