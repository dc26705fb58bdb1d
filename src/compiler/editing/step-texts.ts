import type { YAMLSeq } from 'yaml';
import { isMap, isNode, isSeq } from 'yaml';
import type { Finding } from '../problems/problem.js';
import type { Part, Source } from '../problems/source.js';
import { createSource, PART_PATH } from '../problems/source.js';
import type { Node } from '../text/node.js';
import type { YamlFault } from '../text/yaml-faults.js';
import { yamlFaults } from '../text/yaml-faults.js';
import { lexYaml } from '../text/yaml-lexemes.js';
import { parse, walkYaml } from '../text/yaml.js';

/** The text of one step, read by itself. Its places count from where it begins: it is moved by its source alone. */
export interface StepText {
  text: string;
  source: Source & { part: Part & { item: number } };
  lines: number;
  /** Null where the text is no YAML, or holds what JSON cannot. */
  node: Node | null;
  /** What was found in it, besides faults of syntax. */
  findings: Finding[];
  /** Whether the text is one step in YAML by itself. */
  isWhole: boolean;
}

/** Depth of a step in its document: the map of the file, the list, the step. */
const STEP_DEPTH = 2;

/** Reads the text of one step. */
export function readStepText(written: string, { absolute, file }: Source): StepText {
  // A copy: a slice of the file would keep all of that version in memory.
  const text = Buffer.from(written, 'utf16le').toString('utf16le');
  const source = { ...createSource(absolute, file, text), part: { line: 0, start: 0, item: 0 } };
  const findings: Finding[] = [];
  const broken: StepText = { text, source, lines: countLines(text), node: null, findings, isWhole: false };
  const { lexemes, deepAt } = lexYaml(text);
  if (deepAt !== null) return broken;
  const document = parse({ lexemes, text });
  const { contents } = document;
  if (yamlFaults(document, text).length > 0 || !isSeq(contents) || contents.items.length !== 1) return broken;
  const [item] = contents.items;
  if (!isNode(item)) return broken;
  const node = walkYaml(item, {
    place: (start, end, path) => ({ source, path, start, end }),
    report: (finding) => findings.push(finding),
    path: PART_PATH,
    depth: STEP_DEPTH,
  });
  return { ...broken, node, isWhole: true };
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/**
 * The faults of a step that is no YAML, where they end with it: the steps around it are read with it, and must come out
 * as they are. Null where they do not, as below a quote that is not closed: then the whole file says what is wrong.
 */
export function faultsWithin(broken: StepText, before: StepText | null, after: StepText | null): YamlFault[] | null {
  const head = `steps:\n${before?.text ?? ''}`;
  const text = `${head}${broken.text}${after?.text ?? ''}`;
  const { lexemes, deepAt } = lexYaml(text);
  if (deepAt !== null) return null;
  const document = parse({ lexemes, text });
  const faults = yamlFaults(document, text);
  const end = head.length + broken.text.length;
  if (faults.length === 0 || faults.some(({ start, code }) => start < head.length || start >= end || WHOLE.has(code)))
    return null;
  const list = onlyList(document.contents);
  if (list === null) return null;
  const around = [
    ...(before === null ? [] : [{ step: before, item: list.items[0], start: 'steps:\n'.length }]),
    ...(after === null ? [] : [{ step: after, item: list.items.at(-1), start: end }]),
  ];
  if (list.items.length < around.length) return null;
  if (!around.every(({ step, item, start }) => isAsAlone(step, item, start))) return null;
  const moved = <T extends { start: number; end: number }>(stretch: T): T => ({
    ...stretch,
    start: stretch.start - head.length,
    end: stretch.end - head.length,
  });
  return faults.map(({ fix = null, ...fault }) => ({ ...moved(fault), fix: fix && moved(fix) }));
}

/** The list under the only key of a map. */
function onlyList(contents: unknown): YAMLSeq | null {
  const [pair, ...more] = isMap(contents) ? contents.items : [];
  return more.length === 0 && isSeq(pair?.value) ? pair.value : null;
}

/** Tells whether a step comes out among others, where its text begins at an offset, as it does alone. */
function isAsAlone({ node, source }: StepText, item: unknown, start: number): boolean {
  if (node === null || !isNode(item)) return false;
  const among = walkYaml(item, { place: placeAt(source, start), report: () => undefined });
  return among !== null && among.start === node.start && JSON.stringify(among.value) === JSON.stringify(node.value);
}

function placeAt(source: Source, base: number): Parameters<typeof walkYaml>[1]['place'] {
  return (start, end, path) => ({ source, path, start: start - base, end: end - base });
}

/** Faults of a whole file. */
const WHOLE = new Set<string>(['multiple-documents', 'too-deep']);
