import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonObject } from '../../plan/values/json.js';
import { toolsOf } from '../../compiler/formats/agent/agent.js';
import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import { printProblems } from '../../compiler/problems/print-problems.js';
import type { Invocation } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { openWorkspace } from '../session.js';
import { safeLine, safeName, safeText } from '../text/safe-text.js';
import { clip, displayWidth, fit } from '../text/width.js';
import { print, printJson, tell, widthOf } from '../terminal.js';
import type { AgentList, ListedAgent } from './list-agents.js';
import { findListed, listAgents, playerOf, toListed } from './list-agents.js';

/** `agents list`: every agent that may be named here, with where it comes from. */
export async function tellAgents({ options, terminal }: Pick<Invocation, 'options' | 'terminal'>): Promise<ExitCode> {
  const { project } = await openWorkspace(terminal);
  const list = listAgents({ project, cwd: terminal.cwd });
  if (options.flag('json'))
    printJson(
      terminal,
      list.agents.map((agent) => toListed(agent, terminal.env)),
    );
  else {
    const names = Math.min(40, Math.max(0, ...list.agents.map(({ name }) => displayWidth(safeName(name)))));
    const sources = Math.max(0, ...list.agents.map(({ source }) => source.length));
    for (const agent of list.agents) {
      const { name, source, description } = agent;
      const head = `${fit(safeName(name), names)}  ${fit(source, sources)}`;
      const about = safeLine(`${playedBy(agent, terminal.env)}${description ?? ''}`);
      const room = widthOf(terminal.stdout) - displayWidth(head) - 2;
      print(terminal, `${head}  ${clip(about, room)}`.trimEnd());
    }
  }
  tellBroken(list, { terminal });
  return EXIT.success;
}

function playedBy(agent: ListedAgent, env: Record<string, string | undefined>): string {
  const { program, installed } = playerOf(agent, env);
  return program === undefined ? '' : installed === true ? `${program}: ` : `${program} (not installed): `;
}

/** `agents show NAME`: its file as it is written, and what it comes from. */
export async function tellAgent(
  name: string,
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
): Promise<ExitCode> {
  const { project } = await openWorkspace(terminal);
  const list = listAgents({ project, cwd: terminal.cwd });
  const { agents } = list;
  const agent = findListed(agents, name);
  if (agent === null)
    throw usageError(
      `There is no agent \`${name}\`.`,
      didYouMean(
        name,
        agents.map((one) => one.name),
      ) ?? '`perdure agents list` has them all.',
    );
  if ('taken' in agent) throw usageError(agent.taken.missing, agent.taken.suggestion);
  if (options.flag('json')) printJson(terminal, { ...detailsOf(agent), ...playerOf(agent, terminal.env) });
  else {
    tell(terminal, terminal.palette.dim(`${agent.source} · ${relative(terminal.cwd, agent.file) || agent.file}`));
    print(terminal, safeText(readFileSync(agent.file, 'utf8').trimEnd()));
  }
  return EXIT.success;
}

function detailsOf({ name, source, description, definition }: ListedAgent): JsonObject {
  if (definition === null) return { name, source, description };
  const { authored } = definition;
  const { model = null, agent = null, prompt, max_turns = null, timeout_mins = null } = authored;
  return { name, source, description, model, agent, tools: toolsOf(authored), max_turns, timeout_mins, prompt };
}

/** Files that cannot be read are listed by their names; what is wrong with them is told beside the list. */
function tellBroken({ problems, sources }: AgentList, { terminal }: Pick<Invocation, 'terminal'>): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    tell(terminal, printProblems(errors, sources, { files: sources.size, color: terminal.palette.colored }).trimEnd());
}
