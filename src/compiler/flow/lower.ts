import type { AgentCall, Ask, Condition, Mark, Name } from '../formats/flow/ast.js';
import type { Frame, Handle, Late } from './frame.js';
import { allOf, anyOf, binary, createFrame, firstOf, grow, literal, not, refer, uniqueId } from './frame.js';
import type { Names, Producer } from './names.js';
import { innerNames, mergeBranch, mergeSure, producersOf } from './names.js';
import type { Outcome } from './outcomes.js';
import type { Branch, Region } from './regions.js';
import { capturesIn } from './regions.js';
import { testValue } from './tests.js';
import type { Prior } from './tests.js';
import { addGateJudge, addJudge } from './judge.js';
import { addAgent, addAsk, addGate, addLoop, AUTO_APPROVE } from './steps.js';
import type { Lowering, Passage, Path, Watch, Edge } from './lowering.js';
import { nextHandle, baseOf } from './lowering.js';
import { UNWATCHED, watchBy, conditionsOf } from './watch.js';

/** Makes steps of a region, in the order of the text. */
export function lower(region: Region, path: Path, watch: Watch, lowering: Lowering): Passage {
  switch (region.kind) {
    case 'agent':
    case 'ask':
      return lowerStep(region, path, watch, lowering);
    case 'gate':
      return lowerGate(region.mark, path, watch, lowering);
    case 'label':
      return { exits: path.needs, prior: path.prior, jumps: [] };
    case 'jump':
      return {
        exits: [],
        prior: null,
        jumps: [{ name: region.name, at: region.at, taken: allOf(path.guards) ?? literal(true) }],
      };
    case 'group':
      return lowerGroup(region, path, watch, lowering);
    case 'sequence':
      return lowerSequence(region.items, path, watch, lowering);
    case 'parallel':
      return lowerParallel(region.branches, path, watch, lowering);
    case 'conditional':
      return lowerConditional(region, path, watch, lowering);
    case 'loop':
      return lowerLoop(region, path, watch, lowering);
  }
}

function passageOf(handle: Handle, { contained }: Path, watch: Watch, verdict: boolean): Passage {
  return {
    exits: [{ handle, skip: contained && !watch.observed }],
    prior: { outcome: { kind: 'step', handle, verdict }, output: refer(handle, 'output') },
    jumps: [],
  };
}

function lowerStep(step: AgentCall | Ask, path: Path, watch: Watch, lowering: Lowering): Passage {
  const { capture } = step;
  const seen: Watch = {
    observed: watch.observed || (capture !== null && lowering.watched.has(capture.text)),
    outcome: watch.outcome || (capture !== null && lowering.watched.get(capture.text) === true),
  };
  const id = capture === null ? null : idFor(capture, path.frame);
  const handle = nextHandle(path.frame, capture?.text ?? (step.kind === 'ask' ? 'answer' : step.name.text));
  lowering.vocabulary.ledger.handles.set(step, handle);
  const place = { handle, path, base: baseOf(path, seen, handle.index, id) };
  if (step.kind === 'ask') addAsk(step, place, lowering);
  else addAgent(step, place, { ...lowering, verdict: seen.outcome });
  if (capture !== null) addName(capture, { kind: 'step', handle }, path.names, lowering);
  return passageOf(handle, path, seen, seen.outcome && step.kind === 'agent');
}

/** Gives a value a name, which no other may have that can be there at the same time. */
function addName({ text, at }: Name, producer: Producer, names: Names, { vocabulary }: Lowering): void {
  const before = producersOf(names, text)?.some(({ kind }) => kind !== 'last') ?? false;
  if (before || vocabulary.constants.has(text))
    vocabulary.report({
      code: 'duplicate-name',
      at,
      message: before ? `\`${text}\` is captured before already.` : `\`$${text}\` is defined as a text.`,
      suggestion: 'give each its own name; only branches of one condition may capture the same',
    });
  names.own.set(text, [producer]);
}

function idFor({ text }: Name, frame: Frame): string | null {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(text) ? uniqueId(frame, text) : null;
}

function lowerGate(mark: Mark, before: Path, watch: Watch, lowering: Lowering): Passage {
  const judge = mark.fallback?.text === AUTO_APPROVE ? lowerGateJudge(mark, before, lowering) : null;
  const path = judge === null ? before : { ...before, needs: [...before.needs, { handle: judge, skip: false }] };
  const id = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(mark.name.text) ? uniqueId(path.frame, mark.name.text) : null;
  const handle = nextHandle(path.frame, mark.name.text);
  lowering.vocabulary.ledger.handles.set(mark, handle);
  const observed = watch.observed || (mark.capture !== null && lowering.watched.get(mark.capture.text) === true);
  const seen = { ...watch, observed };
  addGate(mark, { handle, path, base: baseOf(path, seen, handle.index, id), judge }, lowering);
  standFor(handle, path, lowering);
  if (mark.capture !== null) addName(mark.capture, { kind: 'step', handle }, path.names, lowering);
  return passageOf(handle, path, seen, false);
}

/** What was approved is what later steps read, not what stood there before a person changed it. */
function standFor(gate: Handle, { prior, names }: Path, { vocabulary }: Lowering): void {
  const shows = prior?.outcome;
  if (shows?.kind !== 'step') return;
  for (const [name, producers] of names.own) {
    const [first] = producers;
    if (first?.kind === 'step' && first.handle === shows.handle)
      names.own.set(name, [{ kind: 'step', handle: gate }, ...producers]);
  }
  const { shown } = vocabulary.ledger;
  shown.set(gate, shown.get(shows.handle) ?? shows.handle);
}

/** A step before the gate, which runs only where nobody is asked. */
function lowerGateJudge(mark: Mark, path: Path, lowering: Lowering): Handle {
  const id = uniqueId(
    path.frame,
    /^[A-Za-z_][A-Za-z0-9_-]{0,52}$/.test(mark.name.text) ? `${mark.name.text}-judge` : 'judge',
  );
  const handle = nextHandle(path.frame, id);
  addGateJudge(mark, { handle, path, base: baseOf(path, UNWATCHED, handle.index, id) }, lowering);
  return handle;
}

function lowerGroup(region: Region & { kind: 'group' }, path: Path, watch: Watch, lowering: Lowering): Passage {
  const contained = path.contained || watch.observed;
  const passage = lower(
    region.body,
    { ...path, contained },
    region.body.kind === 'sequence' ? UNWATCHED : watch,
    lowering,
  );
  if (!watch.observed) return passage;
  return { ...passage, exits: released(passage.exits, path) };
}

/** What follows may start whatever happened inside; only what skips the whole region skips it too. */
function released(exits: Edge[], { needs }: Path): Edge[] {
  return [...exits.map(({ handle }) => ({ handle, skip: false })), ...needs.filter(({ skip }) => skip)];
}

function lowerSequence(items: Region[], path: Path, watch: Watch, lowering: Lowering): Passage {
  const jumps: Passage['jumps'] = [];
  const outcomes: Outcome[] = [];
  let here = path;
  items.forEach((item, index) => {
    const next = items[index + 1];
    const seen = next === undefined ? watch : watchBy(conditionsOf(next, lowering.testOf));
    const passage = lower(item, here, seen, lowering);
    if (passage.prior !== null && passage.prior !== here.prior) outcomes.push(passage.prior.outcome);
    jumps.push(...passage.jumps);
    here = {
      ...here,
      needs: passage.exits.length === 0 ? here.needs : passage.exits,
      prior: passage.prior ?? here.prior,
      guards: [...here.guards, ...passage.jumps.map(({ taken }) => not(taken))],
    };
  });
  const last = here.prior;
  const prior: Prior | null =
    last === null || outcomes.length < 2
      ? last
      : { outcome: { kind: 'sequence', parts: outcomes }, output: last.output };
  return { exits: here.needs, prior, jumps };
}

function lowerParallel(branches: Region[], path: Path, watch: Watch, lowering: Lowering): Passage {
  const names = branches.map(() => innerNames(path.names));
  const passages = branches.map((branch, index) =>
    lower(
      branch,
      { ...path, names: names[index] ?? path.names, contained: true },
      { ...watch, observed: watch.observed },
      lowering,
    ),
  );
  const taken = new Set<string>();
  for (const layer of names) {
    for (const [name, producers] of layer.own) {
      if (taken.has(name)) reportShared(name, producers[0], lowering);
      taken.add(name);
      path.names.own.set(name, producers);
    }
  }
  const priors = passages.flatMap(({ prior }) => (prior === null ? [] : [prior]));
  const outputs = priors.flatMap(({ output }) => (output === null ? [] : [output]));
  return {
    exits: released(
      passages.flatMap(({ exits }) => exits),
      path,
    ),
    prior:
      priors.length === 0
        ? null
        : { outcome: { kind: 'parallel', parts: priors.map(({ outcome }) => outcome) }, output: null, outputs },
    jumps: passages.flatMap(({ jumps }) => jumps),
  };
}

function reportShared(name: string, producer: Producer | undefined, { vocabulary }: Lowering): void {
  const step =
    producer?.kind === 'step'
      ? [...vocabulary.ledger.handles].find(([, handle]) => handle === producer.handle)?.[0]
      : undefined;
  if (step === undefined || step.capture === null) return;
  vocabulary.report({
    code: 'duplicate-name',
    at: step.capture.at,
    message: `Another branch that runs at the same time captures \`${name}\` too.`,
    suggestion: 'give each its own name',
  });
}

function lowerConditional(
  { source, branches }: Region & { kind: 'conditional' },
  path: Path,
  watch: Watch,
  lowering: Lowering,
): Passage {
  const seen = watchBy(branches.map(({ condition }) => lowering.testOf(condition)));
  const before =
    source === null
      ? null
      : lower(
          source,
          path,
          { observed: seen.observed || watch.observed, outcome: seen.outcome || watch.outcome },
          lowering,
        );
  const start: Path =
    before === null
      ? path
      : {
          ...path,
          needs: before.exits,
          prior: before.prior,
          guards: [...path.guards, ...before.jumps.map(({ taken }) => not(taken))],
        };
  const prior = conditionPrior(source, start.prior);
  const passed: Late[] = [];
  const done: { passage: Passage; taken: Late }[] = [];
  const layers = branches.map(() => innerNames(start.names));
  // Whether a branch is taken depends on the conditions before its own: it waits for what judges them.
  let needs = start.needs;
  branches.forEach(({ condition, body }, index) => {
    grow(path.frame.size, index);
    const earlier = passed.map(not);
    const guards = [...start.guards, ...earlier];
    const asked = condition.isElse
      ? { value: allOf(earlier) ?? literal(true), needs }
      : conditionValue(condition, { ...start, needs, guards }, prior, lowering);
    const { value } = asked;
    needs = asked.needs;
    if (condition.capture !== null) addName(condition.capture, { kind: 'flag', value }, start.names, lowering);
    const holding = condition.isElse ? [value] : [...earlier, value];
    const own = allOf(holding) ?? value;
    passed.push(value);
    const names = layers[index] ?? start.names;
    const passage = lowerBranch(
      { condition, body },
      { ...start, needs, names, guards: [...start.guards, ...holding], prior: start.prior },
      watch,
      lowering,
    );
    done.push({ passage, taken: own });
  });
  for (const layer of layers) mergeBranch(start.names, layer);
  return joinBranches(before, start, done);
}

/** Conditions behind a sequence are about its last step; behind a group, about all of it. */
function conditionPrior(source: Region | null, prior: Prior | null): Prior | null {
  if (prior === null || source?.kind !== 'sequence' || prior.outcome.kind !== 'sequence') return prior;
  const last = prior.outcome.parts.at(-1);
  return last === undefined ? prior : { ...prior, outcome: last };
}

function joinBranches(before: Passage | null, start: Path, done: { passage: Passage; taken: Late }[]): Passage {
  const exits = done.flatMap(({ passage }) => passage.exits);
  const outputs = done.flatMap(({ passage }) => passage.prior?.output ?? []).reverse();
  const source = start.prior;
  const all = [...outputs, ...(source?.output == null ? [] : [source.output])];
  const branches = done.map(({ passage, taken }) => ({ taken, outcome: passage.prior?.outcome ?? null }));
  return {
    exits: exits.length === 0 ? start.needs : exits,
    prior: {
      outcome: { kind: 'branches', source: source?.outcome ?? null, branches },
      output: all.length === 0 ? null : firstOf(all),
    },
    jumps: [...(before?.jumps ?? []), ...done.flatMap(({ passage }) => passage.jumps)],
  };
}

/** The steps of a branch: after the first, its having run stands for the whole condition. */
function lowerBranch({ body }: Branch, path: Path, watch: Watch, lowering: Lowering): Passage {
  if (body.kind !== 'sequence') return lower(body, path, watch, lowering);
  const [first, ...rest] = body.items;
  if (first?.kind !== 'agent' || rest.length === 0) return lower(body, path, watch, lowering);
  const seen = rest[0] === undefined ? watch : watchBy(conditionsOf(rest[0], lowering.testOf));
  const head = lower(first, path, seen, lowering);
  const [exit] = head.exits;
  const ran = exit === undefined ? path.guards : [binary('!=', refer(exit.handle, 'status'), literal('skipped'))];
  const passage = lowerSequence(rest, { ...path, needs: head.exits, prior: head.prior, guards: ran }, watch, lowering);
  const parts = [head.prior, passage.prior].flatMap((prior) => (prior === null ? [] : [prior.outcome]));
  return {
    ...passage,
    exits: passage.exits.length === 0 ? head.exits : passage.exits,
    prior: passage.prior === null ? head.prior : { outcome: { kind: 'sequence', parts }, output: passage.prior.output },
  };
}

/** What a condition is worth, and what must have ended before. Words that no rule knows are a step of their own. */
function conditionValue(
  condition: Condition,
  path: Path,
  prior: Prior | null,
  lowering: Lowering,
): { value: Late; needs: Edge[] } {
  let needs = path.needs;
  const judge = (text: string, near: string | null): Late => {
    const handle = nextHandle(path.frame, 'condition');
    addJudge(
      { text, near, condition, prior },
      { handle, path, base: baseOf(path, UNWATCHED, handle.index, null) },
      lowering,
    );
    needs = [...needs, { handle, skip: path.contained }];
    return refer(handle, 'output', ['holds']);
  };
  const value = testValue(lowering.testOf(condition), {
    condition,
    prior,
    names: path.names,
    vocabulary: lowering.vocabulary,
    judge,
  });
  return { value, needs };
}

function lowerLoop(region: Region & { kind: 'loop' }, path: Path, watch: Watch, lowering: Lowering): Passage {
  const handle = nextHandle(path.frame, region.name);
  const frame = createFrame(path.frame, handle);
  const base = baseOf(path, watch, handle.index, uniqueId(path.frame, region.name));
  const names = innerNames(path.names);
  for (const step of capturesIn(region.body)) {
    const before = producersOf(names, step.capture.text) ?? [];
    names.own.set(step.capture.text, [{ kind: 'last', step, loop: frame }, ...before]);
  }
  const inside = addLoop(handle, frame, base);
  const passage = lower(
    region.body,
    { frame, names, needs: [], guards: [], prior: null, contained: false },
    UNWATCHED,
    lowering,
  );
  const own = passage.jumps.filter(({ name }) => name === region.name);
  for (const { at, taken } of own) {
    if (taken(frame).kind === 'literal')
      lowering.vocabulary.report({
        code: 'unconditional-loop',
        at,
        message: `The jump to \`@${region.name}\` needs a condition: the flow would never end.`,
        suggestion: `write \`(if failed)~> @${region.name}\``,
      });
  }
  if (frame.builders.length === 0) {
    const at = own[0]?.at;
    if (at !== undefined)
      lowering.vocabulary.report({
        code: 'missing-step',
        at,
        message: `Nothing stands between the label \`@${region.name}\` and the jump to it.`,
      });
  }
  inside.until = not(anyOf(own.map(({ taken }) => taken)));
  mergeSure(path.names, names);
  const result = passageOf(handle, path, watch, false);
  return {
    ...result,
    prior: { outcome: { kind: 'step', handle, verdict: false }, output: passage.prior?.output ?? null },
    jumps: passage.jumps.filter(({ name }) => name !== region.name),
  };
}
