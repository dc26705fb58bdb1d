import { createLoader } from '../../compiler/load.js';
import { createReport, problemLine } from '../../compiler/problems/problem.js';
import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import { join, relative, resolve } from 'node:path';
import { isBelow } from '../../store/folders/places.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { rootOf } from '../observe/view/view.js';
import { openExisting, unknownRun } from '../session.js';
import { safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { DefinitionKind, Kept, OnConflict } from './keep-definition.js';
import { keepDefinition } from './keep-definition.js';
import type { MadeHere } from './made-in-run.js';
import { madeIn } from './made-in-run.js';
import { checkDefinition } from './promote-agents.js';
import { register } from './registry.js';

/** Everything that `promote` was told. */
export interface PromoteOne {
  /** `RUN`, or `RUN/NAME`. */
  address: string;
  kind: DefinitionKind | null;
  /** A folder as it was typed; null for that of its kind. */
  to: string | null;
  conflict: OnConflict;
  json: boolean;
}

/** Promotes one definition that was made in a run, exactly as it was approved; without a name it lists all of them. */
export async function tellPromoted(command: PromoteOne, terminal: Terminal): Promise<ExitCode> {
  const run = rootOf(command.address);
  const name =
    command.address
      .slice(run.length + 1)
      .split('/')
      .at(-1) ?? '';
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const record = await session.store.readRun(run);
  if (record === null)
    throw refusal(
      `No closed run \`${run}\` is known here.`,
      'What a run made is promoted when it has ended; `perdure list` shows the runs.',
    );
  const made = await madeIn(record, session.store);
  if (name === '') return tellMade(made, command, terminal);
  const one = chosen(made, name, run, command);
  const { root } = session.project;
  const folder = command.to === null ? null : relative(root, resolve(terminal.cwd, command.to));
  if (folder !== null && !isBelow(resolve(root, folder), root))
    throw usageError(`Expected a folder of the project, got \`${command.to ?? ''}\`.`);
  const kept = keepDefinition({
    ...{
      kind: one.kind,
      name,
      text: one.text,
      ending: one.ending,
      root,
      folder,
      conflict: command.conflict,
      again: true,
    },
    check: (file, text) => check(one.kind, file, text, root),
  });
  if (one.kind === 'agent' && kept.to !== null && folder === null)
    register(root, kept.name, {
      ...{ file: kept.to, description: one.description, run, was: name, promoted_at: new Date().toISOString() },
    });
  if (command.json) printJson(terminal, toJson(one, kept));
  else tellKept(one, kept, terminal);
  return EXIT.success;
}

function chosen(made: MadeHere[], name: string, run: string, { kind }: PromoteOne): MadeHere {
  const named = made.filter((one) => one.name === name && (kind === null || one.kind === kind));
  const [one] = named;
  const others = named.filter(({ text, kind: other }) => text !== one?.text || other !== one.kind);
  if (one !== undefined && others.length === 0) return one;
  if (one !== undefined)
    throw usageError(
      `Run \`${run}\` has made ${named.length} definitions \`${name}\`: ` +
        `${named.map(({ kind: what }) => what).join(', ')}.`,
      'Say which with `--kind`; of one kind, promote from the run that made one of them.',
    );
  const known = made.map((other) => other.name);
  throw usageError(
    `Run \`${run}\` has made no ${kind ?? 'definition'} \`${name}\` that was approved.`,
    known.length === 0
      ? 'It has made nothing.'
      : (didYouMean(name, known) ?? `It has made ${known.map((other) => `\`${other}\``).join(', ')}.`),
  );
}

/** Throws where the text is no definition that the project can use: one that names what is not promoted yet, say. */
function check(kind: DefinitionKind, file: string, text: string, root: string): void {
  if (kind !== 'tool') return checkDefinition(file, text, root);
  const { problems, report } = createReport();
  const path = join(root, file);
  const definition = createLoader(root, report, new Map([[path, text]])).load(path);
  const errors = problems.filter(({ severity }) => severity === 'error').map(problemLine);
  if (definition?.format !== 'tool' || errors.length > 0)
    throw refusal(`This is no tool of this project, and nothing was written:\n${errors.join('\n')}`);
}

function toJson({ kind, approved }: MadeHere, { name, to, exact }: Kept): Record<string, string | boolean | null> {
  return { kind, name, approved, to, exact };
}

const APPROVED: Record<MadeHere['approved'], string> = {
  person: 'approved by a person',
  permissions: 'allowed by the permissions',
  submitter: 'written for the definition that was run',
};

function tellKept({ kind, approved }: MadeHere, { name, to, exact }: Kept, terminal: Terminal): void {
  const { tone } = terminal.resultPalette;
  if (to === null) return print(terminal, `${tone('quiet', '–')} ${safeName(name)}  skipped: there is one already`);
  const as = exact ? 'word for word' : 'under another name';
  print(terminal, `${tone('good', '✓')} ${kind} ${safeName(name)} → ${safeName(to)}  ${APPROVED[approved]}; ${as}`);
}

function tellMade(made: MadeHere[], { json, address }: PromoteOne, terminal: Terminal): ExitCode {
  if (made.length === 0) tell(terminal, `Run \`${safeName(address)}\` has made nothing that was approved.`);
  if (json)
    printJson(
      terminal,
      made.map(({ kind, name, approved, description }) => ({ kind, name, approved, description })),
    );
  else for (const { kind, name, approved } of made) print(terminal, `${kind} ${safeName(name)}  ${APPROVED[approved]}`);
  return EXIT.success;
}
