import type { Location } from 'vscode-languageserver/node';
import { parseFile } from '../../compiler/load.js';
import { createSource } from '../../compiler/problems/source.js';
import { findProject } from '../../compiler/project/project.js';
import type { Entry, Resolution } from '../../compiler/project/resolve.js';
import { createResolver } from '../../compiler/project/resolve.js';
import { readText, withOverlay } from '../../compiler/text/disk.js';
import { memberOf } from '../../compiler/text/node.js';
import { BUILTIN_INPUTS } from '../../plan/tools/builtin-inputs.js';
import { BUILTIN_TOOLS } from '../../plan/tools/tool.js';
import type { Json } from '../../plan/values/json.js';
import type { Asking } from './asking.js';
import { rangeOf } from './documents.js';
import { typeText } from './types.js';

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** A name under a key of a document: `agent: helper`. */
export interface NameUnder {
  key: string | null;
  name: string;
}

/** Where the file of an agent, a workflow or a tool says its name. */
export function placeOfName(named: NameUnder, asking: Asking): Location[] {
  const { documents } = asking;
  return withOverlay({ texts: documents.texts }, () => {
    const file = fileOf(named, asking)?.file;
    if (file === undefined) return [];
    const text = textOf(file);
    const [line, before = '', written = ''] = /^([{ \t]*"?name"?[ \t]*:[ \t]*["']?)([\w-]+)/m.exec(text) ?? [];
    if (line === undefined) return [{ uri: documents.uriOf(file), range: START }];
    const start = text.indexOf(line) + before.length;
    return [{ uri: documents.uriOf(file), range: rangeOf(text, start, start + written.length) }];
  });
}

/** What an agent, a workflow or a tool is, as its file says; null for any other name. */
export function aboutName(named: NameUnder, asking: Asking): string | null {
  return withOverlay({ texts: asking.documents.texts }, () => {
    const entry = fileOf(named, asking);
    return entry === null ? aboutBuiltin(named) : aboutFile(entry, KINDS[named.key ?? ''] ?? 'definition');
  });
}

const KINDS: Record<string, string> = {
  agent: 'agent',
  tasks: 'agent',
  toolsets: 'agent',
  workflow: 'workflow',
  tool: 'tool',
  tools: 'tool',
};

function aboutBuiltin({ key, name }: NameUnder): string | null {
  const builtin = BUILTIN_TOOLS.find((tool) => tool === name);
  if (builtin === undefined || (key !== 'tool' && key !== 'tools')) return null;
  return `\`${name}\`: a tool that comes with Perdure, called with ${typeText(BUILTIN_INPUTS[builtin])}`;
}

function aboutFile({ file, name, builtIn }: Entry, kind: string): string {
  const root = parseFile(createSource(file, file, textOf(file)), () => undefined);
  const said = (key: string): Json => (root === null ? null : (memberOf(root, key)?.value ?? null));
  const [description, model, tools] = ['description', 'model', 'tools'].map(said);
  const lines = [
    `\`${name}\`: ${builtIn ? `an ${kind} that comes with Perdure` : kind}`,
    ...(typeof description === 'string' ? [description.trim()] : []),
    ...(typeof model === 'string' ? [`Model: \`${model}\``] : []),
    ...(Array.isArray(tools) ? [`Tools: ${tools.map((tool) => `\`${String(tool)}\``).join(', ')}`] : []),
    ...(typeof tools === 'string' ? [`Tools: ${tools}`] : []),
  ];
  return lines.join('\n\n');
}

function textOf(file: string): string {
  const content = readText(file);
  return 'text' in content ? content.text : '';
}

function fileOf({ key, name }: NameUnder, { cwd, document: { path } }: Asking): Entry | null {
  const found = path === null ? null : resolve(key, name, { from: path, cwd });
  return found !== null && 'entry' in found ? found.entry : null;
}

function resolve(key: string | null, name: string, { from, cwd }: { from: string; cwd: string }): Resolution | null {
  const resolver = createResolver(findProject(cwd));
  switch (key) {
    case 'agent':
    case 'tasks':
    case 'toolsets':
      return resolver.agent(name, from);
    case 'workflow':
      return resolver.workflow(name, from);
    case 'tool':
    case 'tools':
      return resolver.tool(name, from);
    default:
      return null;
  }
}
