import { extname, join } from 'node:path';
import { createArchonImporter } from './archon/import-archon.js';
import { createConductorImporter } from './conductor/import-conductor.js';
import { withIncluded } from './conductor/included-files.js';
import type { ImportContext } from './shared/context.js';
import { importAgenticWorkflow, pageOf } from './gh-aw/import-workflow.js';
import { importRecipe } from './goose/import-goose.js';
import type { Findings } from './shared/attempt.js';
import { attemptImport } from './shared/attempt.js';
import type { ImportAttempt } from './shared/loss.js';
import { neighbourOf } from './neighbours.js';
import type { Finding, Problem, Report } from '../problems/problem.js';
import { createReport } from '../problems/problem.js';
import { foreignDocument, foreignText } from '../text/foreign-formats.js';
import { kindOf, listFolder } from '../text/disk.js';
import type { Node } from '../text/node.js';
import { startOf } from '../text/node.js';
import { readSource } from '../text/read-source.js';
import { parseYaml } from '../text/yaml.js';

/** What became of a path. */
export interface Imports {
  attempts: ImportAttempt[];
  /** What is no file of a neighbour: only of a file that was named itself. */
  problems: Problem[];
  sources: Map<string, string>;
}

const SKIPPED = new Set(['node_modules', '.git', '.perdure', 'dist', 'definitions']);
const EXTENSIONS = ['.yaml', '.yml', '.json', '.md'];
const LEVELS = 8;

/** Reads a file, or all files of neighbours in a folder, and writes them in our words; nothing on the disk changes. */
export function importPath(absolute: string, { cwd, root }: Pick<ImportContext, 'cwd' | 'root'>): Imports {
  const sources = new Map<string, string>();
  const { problems, report } = createReport();
  const single = kindOf(absolute) !== 'folder';
  const archon = createArchonImporter({ cwd, root, sources });
  const conductor = createConductorImporter({
    cwd,
    root,
    read: (file, report) => read(file, { cwd, root, sources, report }),
  });
  const others: ImportAttempt[] = [];
  const silent: Report = () => undefined;
  for (const file of single ? [absolute] : filesIn(absolute, LEVELS)) {
    if (isAgenticWorkflow(file)) {
      others.push(
        attemptImport({ format: 'gh-aw', file, cwd }, (own) => importPage(file, { ...own, cwd, sources })).attempt,
      );
      continue;
    }
    const node = read(file, { cwd, root, sources, report: single ? report : silent });
    const neighbour = node === null ? null : neighbourOf(node.value, file);
    if (node === null) continue;
    if (neighbour === 'archon') archon.importFile(file, node);
    else if (neighbour === 'goose')
      others.push(attemptImport({ format: 'goose', file, cwd }, (own) => importRecipe(node, own)).attempt);
    else if (neighbour === 'conductor') conductor.importFile(file, node);
    else if (single) refuse(node, report);
  }
  return { attempts: [...archon.attempts.values(), ...conductor.attempts.values(), ...others], problems, sources };
}

/** A page of `.github/workflows/` with front matter; those in folders of it are parts of others. */
function isAgenticWorkflow(file: string): boolean {
  return /\/\.github\/workflows\/[^/]+\.md$/.test(file) && !/\/README\.md$/i.test(file);
}

function importPage(
  file: string,
  { report, losses, cwd, sources }: Findings & { cwd: string; sources: Map<string, string> },
) {
  const source = readSource(file, cwd, report);
  if (source === null) return null;
  sources.set(source.file, source.text);
  const page = pageOf(source, report);
  if (page !== null) return importAgenticWorkflow({ page, cwd, report, losses, sources });
  const message = 'Expected front matter between two lines `---`, with `on`.';
  report({ code: 'unsupported-format', at: { source, path: '', start: 0, end: 1 }, message });
  return null;
}

function read(file: string, { cwd, root, report, sources }: ImportContext): Node | null {
  const written = readSource(file, cwd, report);
  if (written === null) return null;
  sources.set(written.file, written.text);
  const source = withIncluded(written, root, report);
  if (source === null) return null;
  sources.set(source.file, source.text);
  const at = { source, path: '', start: 0, end: 1 };
  const foreign = foreignText(file, source.text);
  if (foreign !== null) {
    report({ code: 'foreign-file', at, message: refusal(foreign), suggestion: IMPORTERS });
    return null;
  }
  const yaml = { source, start: 0, end: source.text.length };
  const findings: Finding[] = [];
  const node = parseYaml(yaml, (finding) => findings.push(finding), false);
  if (node !== null) return node;
  const name = nameOf(yaml);
  if (name !== null) report({ code: 'foreign-file', at, message: refusal(name), suggestion: IMPORTERS });
  else findings.forEach(report);
  return null;
}

/** What a document that is not ours to read seems to be, where it is none that can be imported. */
function nameOf(yaml: Parameters<typeof parseYaml>[0]): string | null {
  const findings: Finding[] = [];
  parseYaml(yaml, (finding) => findings.push(finding));
  const [only] = findings;
  const isImported = only?.suggestion?.includes('perdure import') ?? false;
  if (only?.code !== 'foreign-file' || isImported) return null;
  return /^This seems to be (.*), which/.exec(only.message)?.[1] ?? null;
}

const IMPORTERS = 'there are importers for Archon, conductor, goose and GitHub agentic workflows';

function refusal(name: string): string {
  return `This seems to be ${name}, which Perdure does not import.`;
}

function refuse(node: Node, report: Report): void {
  const foreign = foreignDocument(node.value);
  report({
    code: 'foreign-file',
    at: startOf(node),
    message: refusal(foreign ?? 'no file of a tool that is known here'),
    suggestion: IMPORTERS,
  });
}

function filesIn(folder: string, levels: number): string[] {
  return listFolder(folder).flatMap(({ name, kind }) => {
    const path = join(folder, name);
    if (kind === 'folder') return levels > 1 && !SKIPPED.has(name) ? filesIn(path, levels - 1) : [];
    return kind === 'file' && EXTENSIONS.includes(extname(name)) ? [path] : [];
  });
}
