import type { Expression } from '../../plan/values/expression.js';
import type { Lookup } from './chain-template.js';
import type { AuthoredChainStep } from '../formats/chain.js';
import { VARIABLE } from '../formats/chain.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { ChainDefinition } from '../load.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, startOf } from '../text/node.js';
import type { Place, Report } from '../problems/problem.js';

/** The input of every chain. */
export const USER_REQUEST = 'userRequest';

/** A step of a chain at its place, with what is known there. */
export interface OrderedStep {
  authored: AuthoredChainStep | null;
  node: Node;
  /** What a variable stands for in this step; unknown ones are reported where they are written. */
  variables: Lookup;
}

interface Placed {
  authored: AuthoredChainStep | null;
  node: Node;
  /** Null when it has none that counts, which was reported. */
  number: number | null;
  output: string | null;
}

/**
 * The steps of a chain in the order of their numbers, each with the variables that the ones before have written: of
 * several writers the latest. Reports numbers that are used twice, unknown inputs and reserved outputs; the names are
 * read from the document, so that a step with other faults is still known to those that use its output.
 */
export function orderSteps({ authored, node }: ChainDefinition, report: Report): OrderedStep[] {
  const placed = (memberOf(node, 'steps')?.items ?? []).map((item, index): Placed => ({
    authored: authored.steps[index] ?? null,
    node: item,
    number: numberOf(item),
    output: outputOf(item, report),
  }));
  // Where a step without a number stands nobody knows: its output is known everywhere.
  const unplaced = new Set(
    placed.flatMap(({ number, output }) => (number === null && output !== null ? [output] : [])),
  );
  const ordered = placed.sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
  checkNumbers(ordered, report);
  const writers = writersOf(ordered);
  return ordered.map(({ authored: step, node: at, number }, index) => {
    const writerOf = (variable: string): number | undefined => lastBefore(writers.get(variable) ?? [], index);
    const name = `step ${number ?? '?'}`;
    const hint = (variable: string): string | null => {
      const later = ordered[writers.get(variable)?.[0] ?? -1];
      if (later?.number != null) return `step ${later.number} writes it, which does not come before`;
      return didYouMean(variable, knownBefore(index, writers)) ?? `there are ${listed(knownBefore(index, writers))}`;
    };
    const isKnown = (variable: string): boolean =>
      variable === USER_REQUEST || writerOf(variable) !== undefined || unplaced.has(variable);
    const reportUnknown = (variable: string, place: Place, message: string): void =>
      report({ code: 'unknown-variable', at: place, message, suggestion: hint(variable) });
    for (const input of memberOf(at, 'inputs')?.items ?? []) {
      if (typeof input.value !== 'string' || isKnown(input.value)) continue;
      reportUnknown(input.value, input, `Chain ${name} references unknown input '${input.value}'.`);
    }
    const variables: Lookup = (variable, place) => {
      if (isKnown(variable)) return referenceOf(variable, writerOf(variable));
      reportUnknown(variable, place, `Chain ${name} uses an unknown variable: ${variable}`);
      return null;
    };
    return { authored: step, node: at, variables };
  });
}

/** Names in one suggestion. */
const MOST_NAMED = 20;

/** The variables that are written before a step. */
function* knownBefore(index: number, writers: Map<string, number[]>): Generator<string> {
  yield USER_REQUEST;
  for (const [name, [first = index]] of writers) {
    if (first >= index) return;
    yield name;
  }
}

function listed(names: Iterable<string>): string {
  const named: string[] = [];
  for (const name of names) {
    if (named.length === MOST_NAMED) return `${named.join(', ')}, …`;
    named.push(`\`${name}\``);
  }
  return named.join(', ');
}

/** The steps that write a variable, in order; the variables in the order in which they are written first. */
function writersOf(ordered: Placed[]): Map<string, number[]> {
  const writers = new Map<string, number[]>();
  ordered.forEach(({ output }, index) => {
    if (output === null) return;
    const known = writers.get(output);
    if (known === undefined) writers.set(output, [index]);
    else known.push(index);
  });
  return writers;
}

/** The last of the rising indexes that is below another. */
function lastBefore(indexes: number[], index: number): number | undefined {
  let [from, to] = [0, indexes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((indexes[middle] ?? 0) < index) from = middle + 1;
    else to = middle;
  }
  return indexes[from - 1];
}

function referenceOf(variable: string, writer: number | undefined): Expression {
  return {
    kind: 'reference',
    root: writer === undefined ? `input:${variable}` : `step:${writer}.output`,
    path: [],
    source: variable,
  };
}

function numberOf(node: Node): number | null {
  const value = memberOf(node, 'step')?.value;
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : null;
}

function outputOf(node: Node, report: Report): string | null {
  const outputs = memberOf(node, 'outputs');
  const names = [...(outputs?.members?.keys() ?? [])];
  if (outputs?.members != null && names.length !== 1) {
    const at = names[1] === undefined ? startOf(outputs) : keyOf(outputs, names[1]);
    report({
      code: 'invalid-value',
      at,
      message: `Expected one output, got ${names.length === 0 ? 'none' : names.length}.`,
      suggestion: names.length === 0 ? 'write `{"name": "string"}`' : 'make a step of each',
    });
  }
  const [name] = names;
  if (name === undefined || outputs === null || !VARIABLE.test(name)) return null;
  if (name === USER_REQUEST)
    report({
      code: 'reserved-name',
      at: keyOf(outputs, name),
      message: '`userRequest` is what the chain is asked; an output needs another name.',
    });
  return name;
}

function checkNumbers(ordered: Placed[], report: Report): void {
  ordered.forEach(({ node, number }, index) => {
    if (number === null || ordered[index - 1]?.number !== number) return;
    report({
      code: 'duplicate-name',
      at: memberOf(node, 'step') ?? node,
      message: `This is a duplicate step number: ${number}`,
      suggestion: 'give each step its own number; gaps are allowed',
    });
  });
}
