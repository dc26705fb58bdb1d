import type { JsonObject } from '../../plan/values/json.js';
import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { editContent, hasEditor } from '../follow/input/editor.js';
import type { Keys } from '../follow/input/keys.js';
import { CTRL_C, openKeys } from '../follow/input/keys.js';
import { findRun } from '../observe/find-run.js';
import { rootOf } from '../observe/view/view.js';
import { safeName, safeText } from '../text/safe-text.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { ReuseJudgement } from './judge-reuse.js';
import { judgeReuse } from './judge-reuse.js';
import type { OnConflict } from './keep-definition.js';
import { freeName } from './keep-definition.js';
import type { Promoted } from './promote-agents.js';
import { agentNamed, promote } from './promote-agents.js';
import type { TemporaryAgent } from './temporary-agents.js';
import { temporaryAgents } from './temporary-agents.js';
import { asTyped } from '../text/own-name.js';

/** Everything that `agents promote` was told. */
export interface PromoteCommand {
  run: string;
  /** One agent; null for all that the run used. */
  name: string | null;
  conflict: OnConflict;
  /** Open an editor before it is saved. */
  edit: boolean;
  /** Without a name and a terminal: save those that look reusable. */
  recommended: boolean;
  json: boolean;
}

interface Candidate {
  agent: TemporaryAgent;
  judgement: ReuseJudgement;
}

interface Context {
  root: string;
  run: string;
  terminal: Terminal;
}

/**
 * Promotes temporary agents of a run that succeeded: the one that is named, those that a person chooses, or those that
 * look reusable.
 */
export async function tellPromotion(command: PromoteCommand, terminal: Terminal): Promise<ExitCode> {
  const { candidates, root } = await candidatesOf(command, terminal);
  const context: Context = { root, run: rootOf(command.run), terminal };
  const chosen = chosenOf(candidates, command);
  const done =
    command.name === null && !command.recommended && terminal.interactive && !command.json
      ? await askEach(candidates, context, command)
      : await saveAll(chosen, context, command);
  if (command.json)
    printJson(
      terminal,
      candidates.map((candidate) => toJson(candidate, done)),
    );
  else {
    tellAll(candidates, done, terminal);
    if (done.size === 0 && candidates.length > 0)
      tell(
        terminal,
        asTyped(`Save one with \`perdure agents promote NAME --run ${context.run}\`, or all that look reusable with `) +
          `\`--recommended\`.`,
      );
  }
  return EXIT.success;
}

async function candidatesOf(
  { run, name }: PromoteCommand,
  terminal: Terminal,
): Promise<{ candidates: Candidate[]; root: string }> {
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const { view, link } = await findRun(rootOf(run), session);
  await link?.close();
  if (view.status !== 'success')
    throw refusal(`Run \`${view.run}\` is \`${view.status}\`: agents are promoted after a success.`);
  const agents = await temporaryAgents(await session.store.getPlan(view.plan), session.store);
  if (agents.length === 0) throw refusal(`Run \`${view.run}\` used no temporary agents.`);
  const wanted = name === null ? agents : agents.filter((agent) => agent.name === name);
  if (wanted.length === 0)
    throw usageError(
      `Run \`${view.run}\` used no temporary agent \`${name ?? ''}\`.`,
      didYouMean(
        name ?? '',
        agents.map((agent) => agent.name),
      ) ?? `It used ${agents.map((agent) => `\`${agent.name}\``).join(', ')}.`,
    );
  return { candidates: wanted.map((agent) => ({ agent, judgement: judgeReuse(agent) })), root: session.project.root };
}

function chosenOf(candidates: Candidate[], { name, recommended }: PromoteCommand): Candidate[] {
  if (name !== null) return candidates;
  return recommended ? candidates.filter(({ judgement }) => judgement.reusable) : [];
}

async function saveAll(
  chosen: Candidate[],
  { root, run, terminal }: Context,
  { conflict, edit, json }: PromoteCommand,
): Promise<Map<string, Promoted>> {
  const done = new Map<string, Promoted>();
  for (const { agent } of chosen) {
    const text = edit ? await edited(agent, terminal) : agent.text;
    const settled =
      conflict.do === 'ask' && terminal.interactive && !json && agentNamed(root, agent.name) !== null
        ? await withKeys(terminal, (keys) => askConflict(agent, root, keys, terminal))
        : conflict;
    done.set(agent.name, promote({ agent, text, run, root, conflict: settled }));
  }
  return done;
}

async function edited({ text }: TemporaryAgent, terminal: Terminal): Promise<string> {
  if (!hasEditor(terminal)) throw usageError('There is no editor: `$VISUAL` and `$EDITOR` are empty.');
  return `${(await editContent(text, true, terminal)).text.trimEnd()}\n`;
}

/** Asks about each: save, edit and save, or skip. Ctrl-C leaves the rest. */
function tellCandidate({ agent, judgement }: Candidate, terminal: Terminal): void {
  const head = safeText(agent.prompt).split('\n').slice(0, 12);
  tell(
    terminal,
    '',
    `${terminal.palette.bold(safeName(agent.name))}  ` +
      `${judgement.reusable ? 'looks reusable' : 'looks made for this alone'}: ${judgement.reason}`,
    '',
    ...head.map((line) => `  ${line}`),
    '',
    `  save [s]   edit and save [e]   skip [k]`,
  );
}

async function askEach(
  candidates: Candidate[],
  { root, run, terminal }: Context,
  { conflict }: PromoteCommand,
): Promise<Map<string, Promoted>> {
  const done = new Map<string, Promoted>();
  await withKeys(terminal, async (keys) => {
    for (const { agent, judgement } of candidates) {
      tellCandidate({ agent, judgement }, terminal);
      const key = await oneOf(keys, hasEditor(terminal) ? 'sek' : 'sk');
      if (key === null) return;
      if (key === 'k') continue;
      const text = key === 'e' ? await keys.lend(() => edited(agent, terminal)) : agent.text;
      const settled =
        conflict.do === 'ask' && agentNamed(root, agent.name) !== null
          ? await askConflict(agent, root, keys, terminal)
          : conflict;
      done.set(agent.name, promote({ agent, text, run, root, conflict: settled }));
    }
  });
  return done;
}

async function askConflict(
  { name }: TemporaryAgent,
  root: string,
  keys: Keys,
  terminal: Terminal,
): Promise<OnConflict> {
  const free = freeName(root, name);
  tell(terminal, `  There is an agent ${safeName(name)} already.   rename to ${free} [r]   overwrite [o]   skip [k]`);
  const key = await oneOf(keys, 'rok');
  return key === 'r' ? { do: 'rename', to: free } : key === 'o' ? { do: 'overwrite' } : { do: 'skip' };
}

async function oneOf(keys: Keys, known: string): Promise<string | null> {
  for (;;) {
    const key = (await keys.key()).toLowerCase();
    if (key === CTRL_C || key === '') return null;
    if (key.length === 1 && known.includes(key)) return key;
  }
}

async function withKeys<T>(terminal: Terminal, use: (keys: Keys) => Promise<T>): Promise<T> {
  const keys = openKeys(terminal, new AbortController().signal);
  try {
    return await use(keys);
  } finally {
    keys.close();
  }
}

function toJson({ agent, judgement }: Candidate, done: Map<string, Promoted>): JsonObject {
  const promoted = done.get(agent.name);
  return {
    name: agent.name,
    ...judgement,
    status: promoted === undefined ? 'listed' : promoted.to === null ? 'skipped' : 'saved',
    saved_as: promoted?.to == null ? null : promoted.name,
    to: promoted?.to ?? null,
  };
}

function tellAll(candidates: Candidate[], done: Map<string, Promoted>, terminal: Terminal): void {
  const { tone } = terminal.resultPalette;
  for (const { agent, judgement } of candidates) {
    const promoted = done.get(agent.name);
    const mark = promoted?.to == null ? tone('quiet', '–') : tone('good', '✓');
    const what = promoted === undefined ? '' : promoted.to === null ? '  skipped' : `  → ${safeName(promoted.to)}`;
    print(
      terminal,
      `${mark} ${safeName(agent.name)}${what}  ` +
        `${judgement.reusable ? 'looks reusable' : 'looks made for this alone'}: ${judgement.reason}`,
    );
  }
}
