import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { LostField } from '../../compiler/agents/import-losses.js';
import { createResolver, isTaken } from '../../compiler/project/resolve.js';
import type { Triggers } from '../../compiler/triggers/compile-triggers.js';
import { kindOf } from '../../compiler/text/disk.js';
import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { Text } from '../../plan/values/value.js';
import { claudeFile } from '../agents/claude-text.js';
import { promptOf } from '../agents/temporary-agents.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { planMermaid } from '../render/plan/plan-mermaid.js';
import { openExisting, openWorkspace, unknownRun } from '../session.js';
import { compile } from '../submit/prepare.js';
import { safeLine } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, printResult, tell } from '../terminal.js';
import { archonText } from './archon.js';
import { writeWhole } from '../write-whole.js';

export const TARGETS = ['claude', 'mermaid', 'archon'] as const;

/** Everything that `export` was told. */
export interface ExportCommand {
  /** A run, a file, or the name of a definition. */
  what: string;
  to: (typeof TARGETS)[number];
  /** Where files go, as it was typed; null for the usual folder. */
  out: string | null;
  overwrite: boolean;
  json: boolean;
}

/** A Plan, and its long texts. */
interface Source {
  plan: Plan;
  /** What starts its runs, of a definition. */
  triggers: Triggers;
  getText: (text: Text) => Promise<string>;
  root: string;
}

/** Something of the definition that the other tool has no place for. */
type Loss = LostField & { of: string };

/** Writes a definition, or that of a run, for another tool, and tells what is lost. */
export async function exportDefinition(command: ExportCommand, terminal: Terminal): Promise<ExitCode> {
  const source = await sourceOf(command.what, terminal);
  switch (command.to) {
    case 'mermaid': {
      const text = planMermaid(source.plan);
      if (command.json) printJson(terminal, { text, lost: [] });
      else printResult(terminal, `${text}\n`);
      return EXIT.success;
    }
    case 'archon': {
      const { text, lost } = await archonText(source.plan, source.triggers, source.getText);
      if (command.json) printJson(terminal, { text, lost: lost.map((one) => ({ ...one })) });
      else {
        printResult(terminal, `${text.trimEnd()}\n`);
        tellLosses(lost, terminal);
      }
      return EXIT.success;
    }
    case 'claude':
      return exportAgents(source, command, terminal);
  }
}

/** A definition that is there comes before a run of that name. */
async function sourceOf(what: string, terminal: Terminal): Promise<Source> {
  const workspace = await openWorkspace(terminal);
  const { root } = workspace.project;
  const resolver = createResolver(workspace.project);
  const from = join(terminal.cwd, 'any');
  const isDefinition =
    kindOf(resolve(terminal.cwd, what)) !== 'missing' ||
    (!/[/\\]/.test(what) &&
      ['workflow' as const, 'agent' as const].some((kind) => isTaken(resolver[kind](what, from))));
  if (isDefinition) {
    const { plan, texts, triggers } = await compile(what, workspace, terminal);
    return {
      plan,
      triggers,
      root,
      getText: async (text) => (typeof text === 'string' ? text : (texts.get(text.text) ?? '')),
    };
  }
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(what);
  const { view, link } = await findRun(what, session);
  await link?.close();
  const plan = await session.store.getPlan(view.plan);
  return { plan, triggers: {}, root, getText: (text) => session.store.getText(text) };
}

/** Agents that Claude Code has itself. */
const THEIRS = ['general-purpose', 'Explore', 'Plan'];

async function exportAgents(
  { plan, getText, root }: Source,
  { out, overwrite, json, what }: ExportCommand,
  terminal: Terminal,
): Promise<ExitCode> {
  const folder = out === null ? join(root, '.claude', 'agents') : resolve(terminal.cwd, out);
  const lost: Loss[] = [];
  const files = new Map<string, string>();
  for (const agent of Object.values(plan.agents)) {
    const file = join(folder, `${agent.name}.md`);
    if (THEIRS.includes(agent.name) || files.has(file)) continue;
    const made = claudeFile(agent, await promptOf(agent.prompt, { getText }));
    files.set(file, made.text);
    lost.push(...made.lost.map((one) => ({ of: agent.name, ...one })));
  }
  if (files.size === 0) throw refusal(`\`${what}\` has no agents that Claude Code does not have itself.`);
  const steps = [...everyStepOf(plan)].length;
  if (steps > 1)
    lost.push({
      of: plan.name,
      field: 'steps',
      reason: `its ${steps} steps have no place in Claude Code; its agents alone are written`,
      changes_behaviour: true,
    });
  const shown = (file: string): string => relative(root, file);
  const taken = [...files].filter(([file, text]) => existsSync(file) && readFileSync(file, 'utf8') !== text);
  if (taken.length > 0 && !overwrite)
    throw usageError(
      `There is another file already: ${taken.map(([file]) => `\`${shown(file)}\``).join(', ')}.`,
      'Say `--overwrite`, or name another folder with `--out`.',
    );
  for (const [file, text] of files) writeWhole(file, text, { replace: true });
  if (json) printJson(terminal, { files: [...files.keys()].map(shown), lost: lost.map((one) => ({ ...one })) });
  else {
    for (const file of files.keys()) print(terminal, shown(file));
    tellLosses(lost, terminal);
  }
  return EXIT.success;
}

function tellLosses(lost: Loss[], terminal: Terminal): void {
  for (const { of, field, reason, fix } of lost)
    tell(
      terminal,
      `lost ${safeLine(of)} ${safeLine(field)}: ${safeLine(reason)}${fix === undefined ? '' : `; ${safeLine(fix)}`}`,
    );
}
