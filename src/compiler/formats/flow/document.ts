import { z } from 'zod';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf, placesIn } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';
import type { Source } from '../../problems/source.js';
import { parseYaml } from '../../text/yaml.js';
import { anyJson, filledText, name, text } from '../values.js';
import type { FlowTree } from './ast.js';
import type { PlaceOf } from './cursor.js';
import type { Parameter } from './params.js';
import { readParameters } from './params.js';
import { parseFlow } from './parse.js';

const frontMatter = z
  .strictObject({
    name: name.optional().describe("Name of the flow; the file's name when left out."),
    description: text.optional().describe('What it does.'),
    params: anyJson.optional().describe('Parameters: `name: "what it is (default: value)"`.'),
    workflow: filledText.optional().describe('The flow itself, where it is not the text below.'),
    version: anyJson.optional().describe('Of the flow; for people.'),
    tags: anyJson.optional().describe('For people.'),
    author: anyJson.optional().describe('For people.'),
    visualization: anyJson.optional().describe('For people.'),
  })
  .describe('The front matter of a flow.');

/** A flow as it is written. */
export interface AuthoredFlow {
  description: string | undefined;
  /** Declared parameters by name; null when there is no front matter that declares any. */
  params: Map<string, Parameter> | null;
  tree: FlowTree;
  /** The text of the flow itself, and the offsets at which it stands in the file. */
  body: { start: number; end: number; embedded: Node | null };
  broken: boolean;
}

/** Reads a flow file: front matter, if there is some, and the flow below it or in its `workflow:`. */
export function readFlow(source: Source, report: Report): { node: Node; authored: AuthoredFlow } | null {
  let broken = false;
  const watch: Report = (finding) => {
    if (finding.severity !== 'warning') broken = true;
    report(finding);
  };
  const head = readHead(source, watch);
  if (head === null) return null;
  const { node, bodyStart } = head;
  const written = check(frontMatter, node, { report: watch, unknownKeys: 'warning' });
  const embedded = memberOf(node, 'workflow');
  const body = textOf(source, bodyStart, embedded, watch);
  const tree = parseFlow(body.text, body.placeOf, watch);
  const params = memberOf(node, 'params');
  return {
    node,
    authored: {
      description: written?.description,
      params: params && readParameters(params, watch),
      tree,
      body: { start: bodyStart, end: source.text.length, embedded: body.embedded },
      broken,
    },
  };
}

/** The front matter and where the text below it starts; null when it is broken, which leaves nothing to go on with. */
function readHead(source: Source, report: Report): { node: Node; bodyStart: number } | null {
  const empty: Node = {
    source,
    path: '',
    start: 0,
    end: Math.min(1, source.text.length),
    value: {},
    members: new Map(),
    items: null,
    style: null,
  };
  const opening = /^\s*---[ \t]*\r?\n/.exec(source.text);
  if (opening === null) return { node: empty, bodyStart: 0 };
  const start = opening[0].length;
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(source.text.slice(start));
  const end = closing === null ? source.text.length : start + closing.index;
  const bodyStart = closing === null ? end : end + closing[0].length;
  if (source.text.slice(start, end).replace(/#.*$/gm, '').trim() === '') return { node: empty, bodyStart };
  const node = parseYaml({ source, start, end }, report);
  if (node === null) return null;
  if (node.members === null) {
    report({
      code: 'invalid-value',
      at: node,
      message: 'Expected keys and values in the front matter, between two lines `---`.',
    });
    return null;
  }
  if (closing === null && memberOf(node, 'workflow') === null) {
    report({ code: 'missing-key', at: empty, message: 'Expected a line `---` at the end of the front matter.' });
    return null;
  }
  return { node, bodyStart };
}

/** The flow's text: below the front matter, or the value of its `workflow:`. */
function textOf(
  source: Source,
  start: number,
  embedded: Node | null,
  report: Report,
): { text: string; placeOf: PlaceOf; embedded: Node | null } {
  const below = source.text.slice(start);
  if (typeof embedded?.value !== 'string') {
    return {
      text: below,
      placeOf: (from, to) => ({ source, path: '', start: start + from, end: start + to }),
      embedded: null,
    };
  }
  if (below.replace(/#.*$/gm, '').trim() !== '') {
    report({
      code: 'conflicting-keys',
      at: keyOf(sourceNode(embedded), 'workflow'),
      message: 'The flow is written twice: under `workflow:`, and below the front matter.',
      suggestion: 'keep one of them',
    });
  }
  const placeIn = placesIn(embedded);
  return {
    text: embedded.value,
    placeOf: (from, to): Place => ({ ...placeIn(from, to - from), path: 'workflow' }),
    embedded,
  };
}

/** The value itself, as a place to point at. */
function sourceNode(node: Node): Node {
  return { ...node, end: Math.min(node.end, node.start + 1) };
}
