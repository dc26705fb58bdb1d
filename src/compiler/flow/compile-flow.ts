import type { Template } from '../../plan/values/expression.js';
import type { Plan } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Agent } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Shared } from '../workflow/compile-workflow.js';
import { isSmallEnough, seal } from '../workflow/compile-workflow.js';
import { hasShortPaths } from '../workflow/path-lengths.js';
import { createCast, readRoles } from './cast.js';
import { buildSteps, createFrame, TooLarge } from './frame.js';
import type { DrawnFlow, FlowGraph } from './graph.js';
import { flowGraph } from './graph.js';
import { createInputs, REQUEST } from './inputs.js';
import type { TestReader } from './condition.js';
import { parseTest } from './condition.js';
import type { Lowering, Passage } from './lowering.js';
import { lower } from './lower.js';
import { watchedVariables } from './watch.js';
import type { Names } from './names.js';
import { createLedger, settleReadings } from './names.js';
import { arrange, namesBefore } from './regions.js';
import { warnOfSight } from './sight.js';
import { capturesOf, constantsOf, definedAgents } from '../formats/flow/ast.js';
import { readConstants } from './constants.js';
import type { Vocabulary } from './texts.js';
import { partsOf } from './texts.js';
import { keepText } from '../hash.js';
import type { FlowDefinition } from '../load.js';
import type { ProblemCode, Report } from '../problems/problem.js';

/** What a Plan keeps of a flow's own graph: the graph, and where its nodes are among the steps. */
type AuthoredGraph = FlowGraph & { steps: Record<string, number[]> };

/** The Plan of a flow; null when it has problems. */
export function compileFlow(definition: FlowDefinition, shared: Shared): Plan | null {
  const { authored, node } = definition;
  let failed = authored.broken;
  const report: Report = (finding) => {
    if ((finding.severity ?? 'error') === 'error') failed = true;
    shared.report(finding);
  };
  try {
    const body = bodyOf(definition, { ...shared, report }, () => failed);
    if (failed || body === null) return null;
    const plan = seal(body);
    return hasShortPaths(plan, node, report) && isSmallEnough(plan, node, report) ? plan : null;
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    report({
      code: 'plan-too-large',
      at: node,
      message: 'The steps depend on each other in too many ways: the Plan would have more than 1 MiB.',
      suggestion: 'make several flows of it',
    });
    return null;
  }
}

/** What a part may lack where the steps before it could not be read: a captured name, or what a condition is about. */
const CONSEQUENCES = new Set<ProblemCode>(['unknown-variable', 'missing-step']);

/** Leaves out what may only follow from another problem, where a flow could not be read as a whole. */
function withoutConsequences(report: Report): Report {
  return (finding) => {
    if (!CONSEQUENCES.has(finding.code) || finding.severity === 'warning') report(finding);
  };
}

function bodyOf(
  { name, file, authored }: FlowDefinition,
  shared: Shared,
  hasFailed: () => boolean,
): Omit<Plan, 'planVersion' | 'hash'> | null {
  const { report, texts } = shared;
  const { tree } = authored;
  const roles = readRoles(definedAgents(tree), report);
  const cast = createCast({ roles, file, shared, report });
  cast.checkRoles();
  const region = tree.body === null ? null : arrange(tree.body, report);
  if (tree.body === null || region === null) {
    cast.reportMissing();
    return null;
  }
  const frame = createFrame(null, null);
  const agents: Record<Hash, Agent> = {};
  const vocabulary: Vocabulary = {
    inputs: createInputs(authored.params, texts, report),
    constants: new Map(),
    ledger: createLedger(),
    texts,
    report: authored.broken ? withoutConsequences(report) : report,
  };
  const names: Names = { outer: null, own: new Map() };
  readConstants(constantsOf(tree), { ...vocabulary, roles }, ({ value }) => partsOf(value, names, vocabulary));
  const variables = capturesOf(tree.body);
  const isVariable = (word: string): boolean =>
    word === REQUEST || variables.has(word) || vocabulary.constants.has(word) || vocabulary.inputs.declares(word);
  const before = namesBefore(region);
  const testOf: TestReader = (condition) => {
    const { text, isElse } = condition;
    // The request alone is meant in braces only: a bare word would take it from the agents.
    const stands = (word: string): boolean =>
      (word === REQUEST && text.includes(`{${REQUEST}}`)) ||
      before.get(condition)?.has(word) === true ||
      vocabulary.constants.has(word) ||
      vocabulary.inputs.declares(word);
    return isElse ? { kind: 'else' } : parseTest(withoutBraces(text, vocabulary, stands), isVariable, stands);
  };
  const lowering: Lowering = {
    vocabulary,
    cast,
    testOf,
    stage: { compile: { ...shared, report }, keep: (reached) => void Object.assign(agents, reached) },
    watched: watchedVariables(region, testOf),
  };
  const passage = lower(
    region,
    { frame, names, needs: [], guards: [], prior: null, contained: false },
    { observed: false, outcome: false },
    lowering,
  );
  for (const { name: label, at } of passage.jumps) {
    report({
      code: 'unknown-label',
      at,
      message: `The jump to \`@${label}\` leaves the brackets or the branch in which its label stands.`,
      suggestion: `put \`@${label} ->\` and the jump to it into the same brackets`,
    });
  }
  cast.reportMissing();
  // In a flow with faults more may be missing than is written.
  if (!hasFailed()) warnOfSight(tree, testOf, report);
  settleReadings(lowering.vocabulary.ledger);
  const steps = buildSteps(frame);
  const inputs = lowering.vocabulary.inputs.specs();
  return {
    name,
    description: authored.description === undefined ? null : keepText(authored.description, texts),
    inputs,
    steps,
    groups: {},
    output: outputOf(passage, frame.builders.length, frame),
    budgets: NO_BUDGETS,
    no_default: ['max_runtime_mins'],
    agents,
    nested: {},
    graph: keepText(JSON.stringify(graphOf(flowGraph(tree.body, roles), lowering)), texts),
  };
}

/** A condition with what its `{name}` mean: a constant is its text, which is quoted where it is no number. */
function withoutBraces(text: string, { constants }: Vocabulary, stands: (name: string) => boolean): string {
  return text.replace(
    /"(?:[^"\\]|\\[^])*"|\{([A-Za-z_]\w*)((?:\.\w+|\[\d+\])*)\}/g,
    (whole, name?: string, path = '') => {
      const textOf = (named: string): string | null => {
        const parts = constants.get(named) ?? [null];
        return parts.every((part) => typeof part === 'string') ? parts.join('') : null;
      };
      if (name === undefined)
        return whole.replace(
          /\{([A-Za-z_]\w*)\}/g,
          (brace, inner: string) => textOf(inner)?.replace(/["\\]/g, '\\$&') ?? brace,
        );
      const said = path === '' ? textOf(name) : null;
      if (said === null) return stands(name) ? `${name}${String(path)}` : whole;
      return /^-?\d+(?:\.\d+)?$/.test(said) ? said : `"${said.replace(/["\\]/g, '\\$&')}"`;
    },
  );
}

/** The graph with the step of each node: indexes from the flow's own steps inwards, through the loops around it. */
function graphOf({ graph, pieces }: DrawnFlow, { vocabulary: { ledger } }: Lowering): AuthoredGraph {
  const steps: AuthoredGraph['steps'] = {};
  for (const { node, piece } of pieces) {
    const way: number[] = [];
    for (let handle = ledger.handles.get(piece) ?? null; handle !== null; handle = handle.frame.loop)
      way.unshift(handle.index);
    if (way.length > 0) steps[node] = way;
  }
  return { ...graph, steps };
}

/** What the flow yields; null where that is the output of its last step. */
function outputOf({ prior }: Passage, count: number, frame: Parameters<typeof buildSteps>[0]): Template | null {
  if (prior === null) return null;
  const { outputs = [], output, outcome } = prior;
  if (outputs.length > 0)
    return { kind: 'list', items: outputs.map((value) => ({ kind: 'expression', expression: value(frame) })) };
  const last = outcome.kind === 'sequence' ? outcome.parts.at(-1) : outcome;
  const isLast = last?.kind === 'step' && last.handle.frame === frame && last.handle.index === count - 1;
  return output === null || isLast ? null : { kind: 'expression', expression: output(frame) };
}
