import { basename, dirname, extname } from 'node:path';
import { NAME } from '../plan/names.js';
import { latinOf } from '../plan/text/latin.js';
import { describe } from './text/check.js';
import type { AuthoredAgent } from './formats/agent/agent.js';
import { agentSpelling, dialectOf, readAgent, readAgentInPlace } from './formats/agent/agent.js';
import { agentFileSpelling, readAgentFile } from './formats/agent/agent-file.js';
import { detectFormat } from './formats/detect.js';
import { foreignFlow, foreignText, isOtherSyntax } from './text/foreign-formats.js';
import { withSteps } from './formats/intent.js';
import { withInputMap } from './formats/input-list.js';
import type { AuthoredFlow } from './formats/flow/document.js';
import { readFlow } from './formats/flow/document.js';
import type { AuthoredBuild } from './formats/build/build.js';
import { buildSpelling, readBuild } from './formats/build/build.js';
import { parseMarkdown } from './formats/agent/markdown.js';
import type { AuthoredChain } from './formats/chain.js';
import { chainSpelling, readChain } from './formats/chain.js';
import type { AuthoredProject } from './formats/project.js';
import { projectSpelling, readProject, saidInProject } from './formats/project.js';
import type { AuthoredTool } from './formats/tool.js';
import { toolSpelling, readTool } from './formats/tool.js';
import { parseToml } from './formats/toml.js';
import type { AuthoredWorkflow } from './formats/workflow.js';
import { workflowSpelling, readWorkflow } from './formats/workflow.js';
import { parseJson } from './text/parse-json.js';
import type { Node } from './text/node.js';
import { keyOf, memberOf } from './text/node.js';
import type { Kept, RecordFindings, Report } from './problems/problem.js';
import { recordNothing, takeKept } from './problems/problem.js';
import { warnOfHidden } from './text/hidden-characters.js';
import { readSource } from './text/read-source.js';
import type { Source } from './problems/source.js';
import { withSpelled } from './formats/read-step.js';
import { createSource, displayName, isFlowTest, stemOf } from './problems/source.js';
import type { Spelling } from './text/respell.js';
import { respelled } from './text/respell.js';
import { parseYaml } from './text/yaml.js';

/** A definition in its authored form, with its text and positions. */
export type Definition = { name: string; file: string; node: Node } & (
  | { format: 'workflow'; authored: AuthoredWorkflow }
  | { format: 'agent'; authored: AuthoredAgent }
  | { format: 'chain'; authored: AuthoredChain }
  | { format: 'flow'; authored: AuthoredFlow }
  | { format: 'build'; authored: AuthoredBuild }
  | { format: 'project'; authored: AuthoredProject }
  | { format: 'tool'; authored: AuthoredTool }
);
export type FlowDefinition = Definition & { format: 'flow' };
export type BuildDefinition = Definition & { format: 'build' };
export type ChainDefinition = Definition & { format: 'chain' };
export type ProjectDefinition = Definition & { format: 'project' };

/** Reads each file once, however many definitions name it. */
export interface Loader {
  /** Null when the file has problems that leave nothing to compile; all of them are reported. */
  load: (absolute: string) => Definition | null;
  /** Reads a file anew when it is asked for again. */
  forget: (absolute: string) => void;
  /** Texts by the name under which problems show them. */
  sources: Map<string, string>;
}

/** How files are read otherwise than one after the other, each once. */
export interface Reading {
  /** Takes down what is found in a file, to tell it whenever the file is asked for. */
  record?: RecordFindings;
  /** The document of a text; `undefined` leaves it to the loader. */
  parse?: (source: Source, report: Report) => Node | null | undefined;
  /** Looks at each definition when it has been read. */
  inspect?: (definition: Definition) => void;
}

/**
 * Reads definitions, each file once; keeps their sources for showing problems. `made` are texts that are no files, by
 * absolute path.
 */
export function createLoader(
  cwd: string,
  report: Report,
  made: ReadonlyMap<string, string> = new Map(),
  { record = recordNothing, parse, inspect }: Reading = {},
): Loader {
  const loaded = new Map<string, Kept<Definition | null>>();
  const sources = new Map<string, string>();

  const load = (absolute: string): Definition | null =>
    takeKept(
      loaded,
      absolute,
      () => {
        const definition = read(absolute);
        if (definition !== null) inspect?.(definition);
        return definition;
      },
      { report, record },
    );

  const read = (absolute: string): Definition | null => {
    const text = made.get(absolute);
    const source =
      text === undefined ? readSource(absolute, cwd, report) : createSource(absolute, displayName(cwd, absolute), text);
    if (source === null) return null;
    sources.set(source.file, source.text);
    warnOfHidden(source, report);
    if (extname(absolute) === '.flow' || isFlowTest(absolute)) return loadFlow(source, report);
    return readDocument(parseFile(source, report, parse), source, report);
  };

  return { load, sources, forget: (absolute) => void loaded.delete(absolute) };
}

function readDocument(parsed: Node | null, { absolute }: Source, report: Report): Definition | null {
  if (parsed === null) return null;
  const format = ['.md', '.agent'].includes(extname(absolute)) ? 'agent' : detectFormat(parsed, report);
  const node = spelledAs(format, parsed, report);
  const head = { file: absolute, node };
  switch (format) {
    case 'workflow':
      return withName(nameOf(node, absolute, report), { format, ...head, ...readMappedWorkflow(node, report) });
    case 'agent':
      return withName(nameOf(node, absolute, report), { format, ...head, ...readAnyAgent(node, report) });
    case 'project': {
      const said = saidInProject(node);
      const authored = readProject(said, report);
      return withName(nameFromFile(dirname(absolute), 'project'), { format, ...head, node: said, authored });
    }
    case 'chain':
      return withName(nameFromFile(absolute, 'chain'), { format, ...head, authored: readChain(node, report) });
    case 'tool':
      checkFolder(node, absolute, report);
      return withName(nameOf(node, absolute, report), { format, ...head, authored: readTool(node, report) });
    case 'build':
      return withName(
        memberOf(node, 'name') === null ? nameFromFile(absolute, 'build') : nameOf(node, absolute, report),
        { format, ...head, authored: readBuild(node, report) },
      );
    case null:
      return null;
  }
}

const SPELLINGS: Record<Exclude<ReturnType<typeof detectFormat>, null>, Spelling> = {
  workflow: workflowSpelling,
  agent: agentSpelling,
  chain: chainSpelling,
  tool: toolSpelling,
  build: buildSpelling,
  project: projectSpelling,
};

/** A document with the keys that its format has. What other tools write is read as they do. */
function spelledAs(format: ReturnType<typeof detectFormat>, node: Node, report: Report): Node {
  const extension = extname(node.source.absolute);
  if (format === null || extension === '.md' || extension === '.toml') return node;
  const { schema, ...known } = extension === '.agent' ? agentFileSpelling : SPELLINGS[format];
  return respelled(schema, node, { ...known, report });
}

/** A tool is found by its folder: another name in its file is one that nobody can call it by. */
function checkFolder(node: Node, absolute: string, report: Report): void {
  const written = memberOf(node, 'name');
  const folder = basename(dirname(absolute));
  if (written === null || written.value === folder || !/\/tools\/[^/]+\/tool\.ya?ml$/.test(absolute)) return;
  report({
    code: 'folder-name',
    severity: 'warning',
    at: written,
    message: `This tool is found as \`${folder}\`, by its folder; its file calls it ${describe(written.value)}.`,
    suggestion: `write \`${folder}\``,
  });
}

function readMappedWorkflow(node: Node, report: Report): { node: Node; authored: AuthoredWorkflow | null } {
  const whole = withSteps(node, report);
  if (whole === null) return { node, authored: null };
  const mapped = withInputMap(whole, report);
  const authored = readWorkflow(mapped, report);
  if (authored === null) return { node: mapped, authored };
  return { node: withSpelled(withSpelled(mapped, 'steps', authored.steps), 'finally', authored.finally), authored };
}

/** An agent as its file's extension says that it is written; in Markdown and in TOML in the words of other tools. */
function readAnyAgent(node: Node, report: Report): { node: Node; authored: AuthoredAgent | null } {
  switch (extname(node.source.absolute)) {
    case '.md':
    case '.toml':
      return readAgentInPlace(node, dialectOf(node), report) ?? { node, authored: null };
    case '.agent':
      return { node, authored: readAgentFile(node, report) };
    default: {
      const mapped = withInputMap(node, report);
      return { node: mapped, authored: readAgent(mapped, report) };
    }
  }
}

/** The document of a file with its positions, by its extension; null when it has problems. */
export function parseFile(source: Source, report: Report, parse?: Reading['parse']): Node | null {
  switch (extname(source.absolute)) {
    case '.md':
    case '.agent':
      return parseMarkdown(source, report);
    case '.toml':
      return parseToml(source, report);
    default:
      return parseData(source, report, parse);
  }
}

const FAULTS_OF_SYNTAX = [
  'missing-operator',
  'unexpected-text',
  'unbalanced-bracket',
  'dangling-operator',
  'missing-step',
  'invalid-name',
];

function loadFlow(source: Source, report: Report): FlowDefinition | null {
  const { absolute } = source;
  const findings: Parameters<Report>[0][] = [];
  const flow = readFlow(source, (finding) => findings.push(finding));
  const foreign = findings.every(({ severity }) => severity === 'warning') ? null : foreignFlow(source.text);
  const unread = findings.filter(({ code, severity }) => severity !== 'warning' && FAULTS_OF_SYNTAX.includes(code));
  const isOther = isOtherSyntax(unread.length, source.text);
  if (foreign !== null || isOther) {
    report({
      code: 'foreign-file',
      at: (foreign === null ? unread[0]?.at : undefined) ?? { source, path: '', start: 0, end: 1 },
      message:
        foreign === null
          ? `This is written in another syntax than that of flows: ${unread.length} places cannot be read, first this.`
          : `This seems to be ${foreign}, and no flow.`,
      suggestion:
        'a flow is steps with arrows: `explore:"Find the entry point":found -> general-purpose:"Explain {found}"`',
    });
    return null;
  }
  findings.forEach((finding) => report(finding));
  if (flow === null) return null;
  // Any other text is a title: the file's name is the flow's.
  const written = memberOf(flow.node, 'name')?.value;
  const name = typeof written === 'string' && NAME.test(written) ? written : nameFromFile(absolute, 'flow');
  return withName(name, { format: 'flow', file: absolute, ...flow });
}

/** JSON in a `.json` file, unless it is YAML in spite of its name; YAML in all others. */
function parseData(source: Source, report: Report, parse: Reading['parse']): Node | null {
  const foreign = foreignText(source.absolute, source.text);
  if (foreign !== null) {
    report({
      code: 'foreign-file',
      at: { source, path: '', start: 0, end: 1 },
      message: `This seems to be ${foreign}, which Perdure does not run.`,
    });
    return null;
  }
  const own = parse?.(source, report);
  if (own !== undefined) return own;
  const json = extname(source.absolute) === '.json' && !/^\s*[A-Za-z#-]/.test(source.text);
  return json ? parseJson(source, report) : parseYaml({ source, start: 0, end: source.text.length }, report);
}

/** Complete when it has both a name and a form. */
function withName<D extends { authored: unknown }>(
  name: string | null,
  definition: D,
): (D & { name: string; authored: NonNullable<D['authored']> }) | null {
  const { authored } = definition;
  return name === null || authored == null ? null : { ...definition, name, authored };
}

function nameOf(node: Node, absolute: string, report: Report): string | null {
  const written = memberOf(node, 'name');
  // A name that is none was reported with the rest of the head; what stands below it is still looked at.
  if (written !== null)
    return typeof written.value === 'string' && NAME.test(written.value) ? written.value : 'unnamed';
  const stem = stemOf(absolute);
  if (NAME.test(stem)) return stem;
  report({
    code: 'missing-key',
    at: keyOf(node, 'steps'),
    message: `Expected \`name\`: the file's own name, \`${stem}\`, cannot be one.`,
  });
  return null;
}

/** A name for a definition that has none of its own: the file's, with `-` for what names do not have. */
function nameFromFile(absolute: string, kind: 'chain' | 'flow' | 'build' | 'project'): string {
  const plain = latinOf(stemOf(absolute))
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const name = /^[A-Za-z]/.test(plain) ? plain : `${kind}-${plain}`.replace(/-$/, '');
  return name.slice(0, 63);
}
