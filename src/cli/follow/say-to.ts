import { stepPathOf } from '../../plan/agents/conversation.js';
import { MOST_SAID } from '../../plan/budget/steering.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { levelsTo } from '../observe/place.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { everyStepView, isClosed, nestedIn, pathBelow, rootOf } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { printJson, tell } from '../terminal.js';
import { steer } from './steer-run.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** What `say` was told. */
export interface SayCommand {
  /** `<root run>/<path>`, or a run's id where one agent works in it. */
  address: string;
  text: string;
  by: string;
  json: boolean;
}

/** Who is spoken to: the run that holds the conversation, and the path of that below the root run. */
export interface Listener {
  run: string;
  path: string;
}

/** Tells a running agent something, and where that will be heard. Throws a refusal with the reason. */
export async function sayTo({ json, ...said }: SayCommand, terminal: Terminal): Promise<ExitCode> {
  const { address, text } = said;
  checkRemark(text);
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(rootOf(address));
  const { run, path } = await sayIn(session, said);
  if (json) printJson(terminal, { run, step: path, said: text });
  else
    tell(
      terminal,
      `\`${path}\` hears it at its next turn: ` +
        `\`${shellCommand('perdure logs', [rootOf(run), stepPathOf(path)])}\` tells when.`,
    );
  return EXIT.success;
}

/** Tells the agent at an address something, and gives who that is. Throws a refusal with the reason. */
export async function sayIn(session: Session, { address, text, by }: Omit<SayCommand, 'json'>): Promise<Listener> {
  checkRemark(text);
  const { view, link } = await findRun(rootOf(address), session);
  try {
    if (link === null || isClosed(view.status)) throw refusal(`The run \`${view.run}\` has ended: ${view.status}.`);
    const listener = listenerAt(view, address);
    await steer(link.client, { run: listener.run, wish: { kind: 'say', path: listener.path, text }, by, id: null });
    return listener;
  } finally {
    await link?.close();
  }
}

/** Throws a usage error for a text that cannot be said at once. */
function checkRemark(text: string): void {
  if (text.trim() === '') throw usageError('Expected a text to say, got nothing.');
  if (text.length > MOST_SAID)
    throw usageError(
      `Expected a text of at most ${MOST_SAID} characters, got ${text.length}. Put the rest into a file that it can ` +
        'read.',
    );
}

/** Finds who is spoken to at an address. Throws a usage error for a path that names no agent's step. */
function listenerAt(view: RunView, address: string): Listener {
  const path = pathBelow(address);
  if (path === '') return onlyAgent(view, address);
  const level = levelsTo(view, path).at(-1);
  if (level?.step.path !== stepPathOf(path))
    throw usageError(
      `The run \`${view.run}\` has no step \`${path}\`: \`${shellCommand('perdure show', [view.run])}\` lists them.`,
    );
  return { run: level.step.owner ?? level.run.run, path };
}

function onlyAgent(view: RunView, address: string): Listener {
  const working = agentsAtWork(view);
  const [first, ...others] = working;
  if (first === undefined)
    throw refusal(
      `No agent works in \`${address}\` now. \`${shellCommand('perdure show', [view.run])}\` tells what it waits for.`,
    );
  if (others.length > 0)
    throw usageError(
      `Several agents work in \`${address}\`. Expected one of ` +
        `${working.map(({ path }) => `\`${view.run}/${path}\``).join(', ')}.`,
    );
  return first;
}

function agentsAtWork(view: RunView): Listener[] {
  return everyStepView(view.steps).flatMap((step) => [
    ...(isAtWork(step) ? [{ run: step.owner ?? view.run, path: step.path }] : []),
    ...nestedIn(step).flatMap(agentsAtWork),
  ]);
}

function isAtWork({ step, status }: StepView): boolean {
  return step.kind === 'agent' && (status === 'running' || status === 'waiting');
}
