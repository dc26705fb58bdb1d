import { isMap, isSeq } from 'yaml';
import type { JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Finding, Place, Report } from '../problems/problem.js';
import type { Part, Source } from '../problems/source.js';
import { createSource } from '../problems/source.js';
import type { Member, Node } from '../text/node.js';
import { foreignDocument } from '../text/foreign-formats.js';
import { yamlFaults } from '../text/yaml-faults.js';
import { lexYaml } from '../text/yaml-lexemes.js';
import type { PlaceIn } from '../text/yaml.js';
import { parse, walkYaml } from '../text/yaml.js';
import type { SplitText } from './split-steps.js';
import { splitSteps } from './split-steps.js';
import type { StepText } from './step-texts.js';
import { faultsWithin, readStepText } from './step-texts.js';

/**
 * Reads a file of many steps again and again: only steps that were written since are parsed. What it gives, and
 * reports, is what parsing the whole file does; `undefined` where it must be asked, for a fault reaches beyond a step.
 */
export type StepsParser = (source: Source, report: Report) => Node | null | undefined;

/** A parser of one file. */
export function createStepsParser(): StepsParser {
  let steps: StepText[] = [];
  let frame: Frame | null = null;
  return (source, report) => {
    const split = splitSteps(source.text);
    if (split === null) return undefined;
    steps = readSteps(split.steps, steps, source);
    place(steps, split.head);
    if (frame?.of.head !== split.head || frame.of.tail !== split.tail || frame.of.indent !== split.indent)
      frame = readFrame(split, source);
    if (frame.node === undefined) return undefined;
    frame.tail.part.line = lineOfTail(steps, split.head);
    frame.tail.part.start = source.text.length - split.tail.length;
    const broken = steps.flatMap(({ isWhole }, index) => (isWhole ? [] : [index]));
    if (broken.length > 0) return tellFaults(steps, broken, split, report);
    if (frame.node === null || steps.some(({ node }) => node === null)) return undefined;
    const node = join(source, frame.node, steps, split);
    const found = [frame.before, ...steps.filter(({ findings }) => findings.length > 0), frame.after].flatMap(
      ({ findings }) => findings,
    );
    // Of another tool's file only that is said.
    if (found.length > 0 && foreignDocument(node.value) !== null) return undefined;
    found.forEach((finding) => report(finding));
    return node;
  };
}

/** Steps with the texts that they have now: those that were read before stay what they were, wherever they stand. */
function readSteps(texts: string[], before: StepText[], source: Source): StepText[] {
  let first = 0;
  while (first < texts.length && before[first]?.text === texts[first]) first += 1;
  let last = 0;
  while (
    last < texts.length - first &&
    before.at(-1 - last)?.text === texts.at(-1 - last) &&
    last < before.length - first
  )
    last += 1;
  const left = new Map<string, StepText[]>();
  for (const step of before.slice(first, before.length - last)) {
    const same = left.get(step.text);
    if (same === undefined) left.set(step.text, [step]);
    else same.push(step);
  }
  const middle = texts
    .slice(first, texts.length - last)
    .map((text) => left.get(text)?.shift() ?? readStepText(text, source));
  return [...before.slice(0, first), ...middle, ...before.slice(before.length - last)];
}

function place(steps: StepText[], head: string): void {
  let line = countLines(head);
  let start = head.length;
  steps.forEach(({ text, source: { part }, lines }, item) => {
    part.line = line;
    part.start = start;
    part.item = item;
    line += lines;
    start += text.length;
  });
}

function lineOfTail(steps: StepText[], head: string): number {
  const last = steps.at(-1);
  return last === undefined ? countLines(head) : last.source.part.line + last.lines;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** One step that is no YAML is told of by itself; of more the whole file tells. */
function tellFaults(
  steps: StepText[],
  [first = 0, ...more]: number[],
  { tail }: SplitText,
  report: Report,
): null | undefined {
  const broken = steps[first];
  const isLast = first === steps.length - 1;
  if (broken === undefined || more.length > 0 || (isLast && tail.trim() !== '')) return undefined;
  const faults = faultsWithin(broken, steps[first - 1] ?? null, steps[first + 1] ?? null);
  if (faults === null) return undefined;
  const placeOf = ({ start, end }: { start: number; end: number }): Place => ({
    ...{ source: broken.source, path: '' },
    start,
    end,
  });
  for (const { fix = null, ...fault } of faults)
    report({ ...fault, at: placeOf(fault), fix: fix && { at: placeOf(fix), text: fix.text } });
  return null;
}

/** All of a file but its steps. */
interface Frame {
  of: Pick<SplitText, 'head' | 'tail' | 'indent'>;
  /** The map of the file, with one step that is none; null where it is broken, undefined where it is no such map. */
  node: Node | null | undefined;
  before: { findings: Finding[] };
  after: { findings: Finding[] };
  tail: Source & { part: Part & { item: null } };
}

function readFrame({ head, tail, indent }: SplitText, { absolute, file }: Source): Frame {
  const step = `${' '.repeat(indent)}- 0\n`;
  const text = head + step + tail;
  const above = { ...createSource(absolute, file, head), part: { line: 0, start: 0, item: null } };
  const below = { ...createSource(absolute, file, tail), part: { line: 0, start: 0, item: null } };
  const frame: Frame = {
    of: { head, tail, indent },
    node: undefined,
    before: { findings: [] },
    after: { findings: [] },
    tail: below,
  };
  const { lexemes, deepAt } = lexYaml(text);
  if (deepAt !== null) return frame;
  const document = parse({ lexemes, text });
  const { contents } = document;
  if (yamlFaults(document, text).length > 0 || !isMap(contents)) return frame;
  const list = contents.items.find(({ key }) => String(key) === 'steps')?.value;
  const [from = 0] = isSeq(list) ? (list.range ?? []) : [];
  if (!isSeq(list) || list.items.length !== 1 || text.slice(from, from + 3) !== '- 0') return frame;
  const begin = head.length + step.length;
  const placeIn: PlaceIn = (start, end, path) =>
    start >= begin
      ? { source: below, path, start: start - begin, end: end - begin }
      : { source: above, path, start, end: Math.min(end, head.length) };
  const report: Report = (finding) => (finding.at.source === below ? frame.after : frame.before).findings.push(finding);
  return { ...frame, node: walkYaml(contents, { place: placeIn, report }) };
}

/** The whole document, of its parts. */
function join(source: Source, frame: Node, steps: StepText[], { head, tail }: SplitText): Node {
  const start = source.text.indexOf('-', head.length);
  const end = source.text.length - tail.length;
  const items = steps.map(({ node }) => node).filter((node) => node !== null);
  const values = items.map(({ value }) => value);
  const members = new Map<string, Member>();
  for (const [name, member] of frame.members ?? []) {
    const node: Node =
      name === 'steps'
        ? { ...member.node, source, start, end, items, value: values, members: null, style: null }
        : member.node;
    members.set(name, { key: member.key, node });
  }
  const value: JsonObject = { ...(isObject(frame.value) ? frame.value : {}), steps: values };
  return { ...frame, source, members, value };
}
