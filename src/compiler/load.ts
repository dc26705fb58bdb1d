import { basename, extname, relative } from 'node:path';
import { NAME } from '../plan/names.js';
import type { AuthoredAgent } from './formats/agent.js';
import { readAgent, readMarkdownAgent } from './formats/agent.js';
import { detectFormat, isLaterFormat } from './formats/detect.js';
import { parseMarkdown } from './formats/markdown.js';
import type { AuthoredWorkflow } from './formats/workflow.js';
import { readWorkflow } from './formats/workflow.js';
import type { Node } from './node.js';
import { keyOf, memberOf } from './node.js';
import type { Report } from './problem.js';
import { readText } from './read.js';
import { createSource } from './source.js';
import { parseYaml } from './yaml.js';

/** A definition in its authored form, with its text and positions. */
export type Definition = { name: string; file: string; node: Node } & (
  | { format: 'workflow'; authored: AuthoredWorkflow }
  | { format: 'agent'; authored: AuthoredAgent }
);

/** Reads each file once, however many definitions name it. */
export interface Loader {
  /** Null when the file has problems that leave nothing to compile; all of them are reported. */
  load: (absolute: string) => Definition | null;
  /** Texts by the name under which problems show them. */
  sources: Map<string, string>;
}

/** Reads definitions, each file once; keeps their sources for showing problems. */
export function createLoader(cwd: string, report: Report): Loader {
  const loaded = new Map<string, Definition | null>();
  const sources = new Map<string, string>();

  const load = (absolute: string): Definition | null => {
    const known = loaded.get(absolute);
    if (known !== undefined) return known;
    const definition = read(absolute);
    loaded.set(absolute, definition);
    return definition;
  };

  const read = (absolute: string): Definition | null => {
    const file = displayName(cwd, absolute);
    const content = readText(absolute);
    const source = createSource(absolute, file, 'text' in content ? content.text : '');
    const start = { source, path: '', start: 0, end: 1 };
    if ('failure' in content) {
      report({ code: 'unreadable-file', at: start, message: content.failure });
      return null;
    }
    sources.set(file, content.text);
    if (isLaterFormat(absolute)) {
      report({ code: 'unsupported-format', at: start, message: `This version does not compile \`${extname(absolute)}\` files yet.` });
      return null;
    }
    const markdown = extname(absolute) === '.md';
    const node = markdown ? parseMarkdown(source, report) : parseYaml({ source, start: 0, end: source.text.length }, report);
    if (node === null) return null;
    const format = markdown ? 'agent' : detectFormat(node, report);
    if (format === 'workflow') {
      const authored = readWorkflow(node, report);
      const name = nameOf(node, absolute, report);
      return authored && name !== null ? { format, name, file: absolute, node, authored } : null;
    }
    if (format === null) return null;
    const authored = markdown ? readMarkdownAgent(node, report) : readAgent(node, report);
    const name = nameOf(node, absolute, report);
    return authored && name !== null ? { format, name, file: absolute, node, authored } : null;
  };

  return { load, sources };
}

/** As people see it: relative to their folder, with forward slashes. */
export function displayName(cwd: string, absolute: string): string {
  return relative(cwd, absolute).replaceAll('\\', '/') || basename(absolute);
}

function nameOf(node: Node, absolute: string, report: Report): string | null {
  const written = memberOf(node, 'name');
  // A name that is none was reported with the rest of the head; what stands below it is still looked at.
  if (written !== null) return typeof written.value === 'string' && NAME.test(written.value) ? written.value : 'unnamed';
  const stem = stemOf(absolute);
  if (NAME.test(stem)) return stem;
  report({ code: 'missing-key', at: keyOf(node, 'steps'), message: `Expected \`name\`: the file's own name, \`${stem}\`, cannot be one.` });
  return null;
}

/** The file's name up to its first dot. */
export function stemOf(file: string): string {
  return basename(file).split('.')[0] ?? '';
}
