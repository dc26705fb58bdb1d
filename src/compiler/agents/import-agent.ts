import { createHash } from 'node:crypto';
import { latinOf } from '../../plan/text/latin.js';
import { literalText } from '../../plan/values/expression.js';
import { NAME } from '../../plan/names.js';
import { readForeignAgent } from '../formats/agent/agent.js';
import type { DialectName, Loss } from '../formats/agent/agent-dialect.js';
import type { Fitted, ImportProject, LostField } from './import-losses.js';
import type { ImportedHooks } from './import-hooks.js';
import { fitToProject } from './import-losses.js';
import { splitTools } from '../formats/agent/agent-tools.js';
import { headingAgent } from '../formats/agent/agent-heading.js';
import { parseFile } from '../load.js';
import type { Member, Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Problem } from '../problems/problem.js';
import { createReport, hasErrors } from '../problems/problem.js';
import { readSource } from '../text/read-source.js';
import { stemOf } from '../problems/source.js';
import { yamlText } from '../text/yaml-text.js';

/** An agent of another tool, ready to be written as a file of ours. */
export interface AgentImport {
  name: string;
  /** SHA-256 of the source file's text. */
  hash: string;
  lost: LostField[];
  /** What a person has to approve; null where it has no hooks. */
  hooks: ImportedHooks | null;
  /** The file's text; `file` and `importedAt` go into its `source`. `hooked`: its hooks are approved. */
  toYaml: (source: { file: string; importedAt: string; hooked: boolean }) => string;
}

export interface AgentImportAttempt {
  /** Null when the file has problems. */
  imported: AgentImport | null;
  problems: Problem[];
  sources: Map<string, string>;
}

/** Reads one agent of another tool. Problems and losses are collected; nothing is written. */
export function importAgent(
  absolute: string,
  dialect: DialectName,
  { cwd, project }: { cwd: string; project: ImportProject },
): AgentImportAttempt {
  const { problems, report } = createReport();
  const source = readSource(absolute, cwd, report);
  if (source === null) return { imported: null, problems, sources: new Map() };
  const sources = new Map([[source.file, source.text]]);
  const node = headingAgent(source) ?? parseFile(source, report);
  const named = node === null ? null : withName(node, stemOf(absolute));
  const read = named === null ? null : readForeignAgent(named.node, dialect, report);
  if (named === null || read === null || hasErrors(problems)) return { imported: null, problems, sources };
  const hash = `sha256:${createHash('sha256').update(source.text).digest('hex')}`;
  const { name } = named;
  const fitted = fitToProject({ name, authored: read.authored, node: named.node }, dialect, project);
  const losses: LostField[] = [
    ...named.lost,
    ...read.losses.map(toLost),
    ...fitted.lost,
    ...(fitted.served ? [playedByProvider(dialect)] : []),
  ];
  const { hooks } = fitted;
  const imported: AgentImport = {
    name,
    hash,
    lost: losses,
    hooks,
    toYaml: ({ file: from, importedAt, hooked }) =>
      print(name, withHooks(fitted, hooked), dialect, { file: from, imported_at: importedAt, hash }),
  };
  return { imported, problems, sources };
}

function toLost({ field, reason, changes, fix }: Loss): LostField {
  return { field, reason, changes_behaviour: changes, ...(fix === null ? {} : { fix }) };
}

/** With its hooks no program plays it: around the tools of those nothing runs. */
function withHooks({ authored, hooks, ...fitted }: Fitted, hooked: boolean): Fitted {
  if (!hooked || hooks === null) return { authored, hooks, ...fitted };
  return { ...fitted, hooks, authored: { ...authored, hooks: hooks.hooks }, served: true };
}

/** No program has the tools of Perdure's MCP servers. */
function playedByProvider(dialect: DialectName): LostField {
  return {
    field: 'agent',
    reason: `a model provider plays it, so that it has its tools of MCP servers; \`${dialect}\` would not`,
    changes_behaviour: false,
  };
}

/** The name that it says, else the file's; what is no name here becomes one, which is told. */
function withName(node: Node, stem: string): { node: Node; name: string; lost: LostField[] } {
  const written = memberOf(node, 'name');
  const said = typeof written?.value === 'string' && written.value.trim() !== '' ? written.value : stem;
  const name = NAME.test(said) ? said : slug(said);
  const lost =
    name === said
      ? []
      : [
          {
            field: 'name',
            reason: `\`${said}\` is no name here; the agent is called \`${name}\``,
            changes_behaviour: false,
          },
        ];
  const member: Member = {
    key: written ?? node,
    node: { ...(written ?? node), value: name, members: null, items: null, style: null },
  };
  const members = new Map([...(node.members ?? []), ['name', member]]);
  return {
    node: {
      ...node,
      members,
      value: Object.fromEntries(
        [...members].map(
          ([
            key,
            {
              node: { value },
            },
          ]) => [key, value],
        ),
      ),
    },
    name,
    lost,
  };
}

/** `Code Reviewer!` as `code-reviewer`. */
function slug(text: string): string {
  const plain = latinOf(text)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return (/^[a-z]/.test(plain) ? plain : `agent-${plain}`).slice(0, 63).replace(/-+$/, '');
}

/** Our file: every field that was carried over, and where it comes from. `${` is no reference in the other tools. */
function print(
  name: string,
  { authored, served }: Fitted,
  from: DialectName,
  source: { file: string; imported_at: string; hash: string },
): string {
  const {
    name: _name,
    description,
    prompt,
    tools,
    disallowed_tools,
    source: _source,
    agent: _agent,
    ...rest
  } = authored;
  const list = splitTools(tools);
  const without = splitTools(disallowed_tools);
  const fields = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(served ? {} : { agent: from }),
    ...(list.length === 0 ? {} : { tools: list }),
    ...(without.length === 0 ? {} : { disallowed_tools: without }),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    prompt: rest.inputs === undefined ? literalText(prompt) : prompt,
    source: { from, ...source },
  };
  return (
    `# Imported by \`perdure agents import\`: \`--update\` writes it ` +
    `anew.\n${yamlText(fields, { blockQuote: 'literal' })}`
  );
}
