import { extname, join, relative, resolve } from 'node:path';
import type { AgentImport, AgentImportAttempt } from '../../compiler/agents/import-agent.js';
import type { ImportedHooks } from '../../compiler/agents/import-hooks.js';
import type { LostField } from '../../compiler/agents/import-losses.js';
import { importAgent } from '../../compiler/agents/import-agent.js';
import type { DialectName } from '../../compiler/formats/agent/agent-dialect.js';
import type { AuthoredServer } from '../../compiler/formats/mcp-config.js';
import type { Definition } from '../../compiler/load.js';
import { createLoader } from '../../compiler/load.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { CLAUDE_LEVELS, isReadme } from '../../compiler/project/resolve.js';
import { kindOf, listFolder } from '../../compiler/text/disk.js';
import { usageError } from '../exit-codes.js';
import { writeWhole } from '../write-whole.js';

/** What `agents import` was told. Paths are as they were typed, relative to `cwd`. */
export interface ImportCommand {
  from: DialectName;
  file: string | null;
  to: string | null;
  update: boolean;
  dryRun: boolean;
  /** Approvals of hooks, by the hashes that a person has seen; null where hooks are left out. */
  allowHooks: string[] | null;
  cwd: string;
  /** The project's root. */
  root: string;
  /** `mcp` of perdure.yml. */
  servers: Record<string, AuthoredServer>;
}

/** What became of one file. `name` and `to` are null when it could not be read. */
export interface ImportOutcome {
  name: string | null;
  /** The file it was read from, relative to the project. */
  file: string;
  /** The file it is written to, relative to the project. */
  to: string | null;
  status: 'imported' | 'updated' | 'unchanged' | 'kept' | 'failed';
  /** Why it was kept or failed. */
  reason: string | null;
  lost: LostField[];
  /** Its hooks, as a person approves them. */
  hooks?: ImportedHooks;
  problems: Problem[];
}

export interface Imports {
  outcomes: ImportOutcome[];
  sources: Map<string, string>;
}

const FOLDERS: Record<DialectName, { folder: string; extensions: string[]; title: string }> = {
  claude: { folder: '.claude/agents', extensions: ['.md'], title: 'Claude Code' },
  gemini: { folder: '.gemini/agents', extensions: ['.md', '.toml'], title: 'Gemini CLI' },
  codex: { folder: '.codex/agents', extensions: ['.toml'], title: 'Codex' },
};

/** Imports the agents of another tool, one way: its files are only read. With `dryRun` nothing is written. */
export function importAgents(command: ImportCommand): Imports {
  const folder = command.to === null ? join(command.root, 'definitions', 'agents') : resolve(command.cwd, command.to);
  const there = agentsIn(folder, command.cwd);
  const sources = new Map<string, string>();
  const taken = new Map<string, string>();
  const outcomes = filesOf(command).map((absolute): ImportOutcome => {
    const attempt = importAgent(absolute, command.from, {
      cwd: command.cwd,
      project: { root: command.root, servers: command.servers },
    });
    for (const [file, text] of attempt.sources) sources.set(file, text);
    const file = forProject(command.root, absolute);
    const { imported, problems } = attempt;
    if (imported === null)
      return { name: null, file, to: null, status: 'failed', reason: 'it has problems', lost: [], problems };
    const twin = taken.get(imported.name.toLowerCase());
    if (twin !== undefined)
      return {
        name: imported.name,
        file,
        to: null,
        status: 'failed',
        reason: `\`${twin}\` has that name too`,
        lost: [],
        problems,
      };
    taken.set(imported.name.toLowerCase(), file);
    return place(
      { imported, problems, file, folder, existing: there.find(({ name }) => sameName(name, imported.name)) ?? null },
      command,
    );
  });
  return { outcomes, sources };
}

/** Tells whether anything was lost without which an agent behaves differently. */
export function losesBehaviour(outcomes: ImportOutcome[]): boolean {
  return outcomes.some(({ lost }) => lost.some(({ changes_behaviour }) => changes_behaviour));
}

interface Placing extends Pick<AgentImportAttempt, 'problems'> {
  imported: AgentImport;
  file: string;
  folder: string;
  existing: Definition | null;
}

/** Writes one agent, unless a file of that name is there that it must not replace. */
function place(
  { imported, problems, file, folder, existing }: Placing,
  { from, root, update, dryRun, allowHooks }: ImportCommand,
): ImportOutcome {
  const target = existing?.file ?? join(folder, `${imported.name}.yml`);
  const { hooks } = imported;
  const hooked = hooks !== null && allowHooks?.includes(hooks.approval) === true;
  const outcome = {
    name: imported.name,
    file,
    to: forProject(root, target),
    lost: [...imported.lost, ...lostHooks(hooks, hooked, from)],
    ...(hooks === null ? {} : { hooks }),
    problems,
  };
  const known = knownAs(imported, { existing, target, file, update });
  if (known !== null) return { ...outcome, ...known };
  if (hooks !== null && !hooked && allowHooks !== null)
    return {
      ...outcome,
      status: 'failed',
      reason:
        'it has hooks, which a person has to approve: read them, then say ' +
        `\`--allow-hooks ${hooks.approval}\`, or \`--without-hooks\``,
    };
  if (!dryRun)
    writeWhole(target, imported.toYaml({ file, importedAt: new Date().toISOString(), hooked }), { replace: true });
  return { ...outcome, status: existing === null ? 'imported' : 'updated', reason: null };
}

/** Why nothing is written: the place is taken, or what is there is this; null where nothing speaks against it. */
function knownAs(
  imported: AgentImport,
  { existing, target, file, update }: Pick<Placing, 'existing' | 'file'> & { target: string; update: boolean },
): Pick<ImportOutcome, 'status' | 'reason'> | null {
  const source = existing?.format === 'agent' ? existing.authored.source : undefined;
  if (existing === null && kindOf(target) !== 'missing')
    return { status: 'kept', reason: 'a file is there that is no agent of that name' };
  if (existing !== null) {
    if (source === undefined)
      return { status: 'kept', reason: 'an agent of that name is there, which was not imported' };
    if (source.file !== file)
      return {
        status: 'kept',
        reason: `an agent of that name is there, imported from \`${source.file ?? source.from}\``,
      };
    if (source.hash === imported.hash) return { status: 'unchanged', reason: null };
    if (!update) return { status: 'kept', reason: 'the source has changed since; `--update` imports it again' };
  }
  return null;
}

/** What becomes different by hooks that stay, or that do not. */
function lostHooks(hooks: ImportedHooks | null, hooked: boolean, from: DialectName): LostField[] {
  if (hooks === null) return [];
  return hooked
    ? [
        {
          field: 'agent',
          reason: `a model provider plays it, so that its hooks hold; \`${from}\` would not run them in a sandbox`,
          changes_behaviour: false,
        },
      ]
    : [
        {
          field: 'hooks',
          reason: 'nobody has approved them, and it does without them',
          changes_behaviour: true,
          fix: `read them, then say \`--allow-hooks ${hooks.approval}\``,
        },
      ];
}

function filesOf({ from, file, cwd, root }: ImportCommand): string[] {
  const { folder, extensions, title } = FOLDERS[from];
  if (file !== null) {
    const absolute = resolve(cwd, file);
    if (kindOf(absolute) === 'missing') throw usageError(`There is no file \`${file}\`.`);
    if (!extensions.includes(extname(absolute)))
      throw usageError(
        `Expected an agent of ${title} in a ${extensions.map((one) => `\`${one}\``).join(' or ')} file, got ` +
          `\`${file}\`.`,
      );
    return [absolute];
  }
  const absolute = join(root, folder);
  const files = filesIn(absolute, from === 'claude' ? CLAUDE_LEVELS : 1).filter((found) =>
    extensions.includes(extname(found)),
  );
  if (files.length === 0)
    throw usageError(`There are no agents of ${title} in \`${folder}\`.`, 'Name one with `--file`.');
  return files;
}

/** The files of a folder, and of folders in it; a `README.md` is about them. */
function filesIn(folder: string, levels: number): string[] {
  return listFolder(folder).flatMap(({ name, kind }) => {
    const absolute = join(folder, name);
    if (kind === 'folder') return levels > 1 ? filesIn(absolute, levels - 1) : [];
    return kind === 'file' && !isReadme(name) ? [absolute] : [];
  });
}

/** Agents that are in the folder already; files with problems have their names taken all the same, by `kindOf`. */
function agentsIn(folder: string, cwd: string): Definition[] {
  const loader = createLoader(cwd, () => undefined);
  const files = listFolder(folder).filter(
    ({ name, kind }) => kind === 'file' && ['.yml', '.yaml', '.md'].includes(extname(name)),
  );
  return files.flatMap(({ name }) => loader.load(join(folder, name)) ?? []);
}

function forProject(root: string, absolute: string): string {
  return relative(root, absolute).replaceAll('\\', '/');
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
