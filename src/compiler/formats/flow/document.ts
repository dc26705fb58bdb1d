import { z } from 'zod';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf, placesIn, withoutPaths } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';
import type { Source } from '../../problems/source.js';
import { isFlowTest } from '../../problems/source.js';
import { parseFrontMatter } from '../agent/front-matter.js';
import { anyJson, filledText, text } from '../values.js';
import { NAME } from '../../../plan/names.js';
import type { FlowTree } from './ast.js';
import { createReport, hasErrors } from '../../problems/problem.js';
import type { PlaceOf } from './cursor.js';
import type { Parameter } from './params.js';
import { readParameters } from './params.js';
import { parseFlow } from './parse.js';

/** Keys above the text of a flow. */
export const flowHead = z
  .strictObject({
    name: text
      .optional()
      .describe("Name of the flow, or any other text that says what it is; the file's name is its name then."),
    description: text.optional().describe('What it does.'),
    params: anyJson.optional().describe('Parameters: `name: "what it is (default: value)"`.'),
    workflow: filledText.optional().describe('The flow itself, where it is not the text below.'),
    version: anyJson.optional().describe('Of the flow; for people.'),
    tags: anyJson.optional().describe('For people.'),
    author: anyJson.optional().describe('For people.'),
    visualization: anyJson.optional().describe('For people.'),
  })
  .describe('The front matter of a flow.');

/** What the front matter of a test of a flow has beside these (`perdure test`). */
const TEST_KEYS = ['flow', 'input', 'mocks', 'expect'].map((key) => [key]);

/** A flow as it is written. */
export interface AuthoredFlow {
  description: string | undefined;
  /** Declared parameters by name; null when there is no front matter that declares any. */
  params: Map<string, Parameter> | null;
  tree: FlowTree;
  /** The text of the flow itself, and the offsets at which it stands in the file, without what is not read. */
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
  const own = isFlowTest(source.absolute) ? withoutPaths(node, TEST_KEYS) : node;
  const written = check(flowHead, own, { report: watch, unknownKeys: 'warning' });
  const embedded = memberOf(node, 'workflow');
  const body = textOf(source, bodyStart, embedded, watch);
  const tree = parseFlow(body.text, body.placeOf, watch);
  const params = memberOf(node, 'params');
  const end = body.embedded === null && tree.note !== null ? body.start + tree.note : source.text.length;
  return {
    node,
    authored: {
      description: written?.description ?? titleOf(written?.name),
      params: params && readParameters(params, watch),
      tree,
      body: { start: body.start, end, embedded: body.embedded },
      broken,
    },
  };
}

/** What a name says that is none: `"Fix the tests"`. */
function titleOf(written: string | undefined): string | undefined {
  return written === undefined || NAME.test(written) ? undefined : written;
}

/** The front matter and where the text below it starts; null when it is broken, which leaves nothing to go on with. */
export function readHead(source: Source, report: Report): { node: Node; bodyStart: number } | null {
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
  const node = parseFrontMatter({ source, start, end }, report);
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
): { text: string; start: number; placeOf: PlaceOf; embedded: Node | null } {
  const below = source.text.slice(start);
  if (typeof embedded?.value !== 'string') {
    const from = start + skipProse(below, { source, start }, report);
    return {
      text: source.text.slice(from),
      start: from,
      placeOf: (first, last) => ({ source, path: '', start: from + first, end: from + last }),
      embedded: null,
    };
  }
  if (below.replace(/#.*$/gm, '').trim() !== '') {
    if (isFlow(below, source)) {
      report({
        code: 'conflicting-keys',
        at: keyOf(sourceNode(embedded), 'workflow'),
        message: 'The flow is written twice: under `workflow:`, and below the front matter.',
        suggestion: 'keep one of them',
      });
    } else
      warnOfProse({ source, path: '', start: start + below.search(/\S/), end: start + below.trimEnd().length }, report);
  }
  const placeIn = placesIn(embedded);
  return {
    text: embedded.value,
    start,
    placeOf: (from, to): Place => ({ ...placeIn(from, to - from), path: 'workflow' }),
    embedded,
  };
}

/** Tells whether a text is a flow of its own, or defines agents of one: no prose is that by chance. */
function isFlow(text: string, source: Source): boolean {
  const { problems, report } = createReport();
  const { definitions, body } = parseFlow(text, () => ({ source, path: '', start: 0, end: 1 }), report);
  return definitions.length > 0 || (!hasErrors(problems) && body !== null && body.kind !== 'agent');
}

const SIGNS_OF_A_FLOW = /:=|->|\|\||~>|[[\]{}]|[\w-]:"/;
const HEADING = /^[ \t]*(?:workflow|definitions)[ \t]*:[ \t]*\r?$/im;

/** The length of the prose that a text begins with, and of the heading behind it; it is warned of. */
function skipProse(text: string, { source, start }: { source: Source; start: number }, report: Report): number {
  const heading = HEADING.exec(text);
  if (heading === null) return 0;
  const prose = text.slice(0, heading.index).replace(/^[ \t]*#.*$/gm, '');
  if (prose.trim() === '' || SIGNS_OF_A_FLOW.test(prose)) return 0;
  warnOfProse({ source, path: '', start: start + text.search(/\S/), end: start + heading.index }, report);
  return heading.index + heading[0].length;
}

function warnOfProse(at: Place, report: Report): void {
  report({
    code: 'unexpected-text',
    severity: 'warning',
    at,
    message: 'This text below the front matter is no part of the flow: it is not read.',
    suggestion: 'a note in a flow is a comment: `# …`',
  });
}

/** The value itself, as a place to point at. */
function sourceNode(node: Node): Node {
  return { ...node, end: Math.min(node.end, node.start + 1) };
}
