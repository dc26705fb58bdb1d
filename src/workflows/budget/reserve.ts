import { condition } from '../determinism/condition.js';
import type { Amounts } from '../../plan/budget/amounts.js';
import { NONE, atMost, toNanoUsd, toUsd } from '../../plan/budget/amounts.js';
import { acquire, collect, lend, settle, withdraw } from '../../plan/budget/ledger.js';
import { needOf, needOfPlan, requestBytes } from '../../plan/references/estimate.js';
import type { Plan } from '../../plan/plan.js';
import { mostOf } from '../../plan/budget/price.js';
import type { QuotaTerms } from '../../plan/budget/quota.js';
import type { ProgramChoice } from '../../plan/agents/program.js';
import { programAddress, programOf } from '../../plan/agents/program.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Charged } from '../../plan/budget/spend.js';
import type { Lease } from '../../plan/run-input.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import { mostAnswered } from '../../plan/agents/model-rules.js';
import type { Short } from '../../plan/schedule/carried.js';
import { holdsSlot } from '../../plan/schedule/schedule.js';
import type { AgentStep, ForeachStep, Step } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { RunContext, Scope } from '../state/context.js';
import { addressOf, modelFor, pathOf } from '../state/context.js';
import { leaseOf } from '../../plan/run-input.js';
import { limitsOf, proceed } from './account.js';
import { restrictionsOf } from '../state/account.js';
import type { BudgetAccount, Waiter } from '../state/account.js';
import { openLine } from './lease-messages.js';
import { quotaOf } from './quota.js';
import { environmentOf } from '../state/values.js';
import type { JsonObject } from '../../plan/values/json.js';
import { ownOf } from '../../plan/values/own.js';

/** The most that one call may use; a limit that nobody set is not in it. */
export interface Most {
  usd?: number;
  tokens?: number;
  /** What all runs of a day share. */
  quota?: QuotaTerms;
}

/** A step's leave to start: what is reserved for it, and with which model or program it starts. */
export interface Reservation {
  id: number;
  need: Amounts;
  model: ModelChoice | null;
  program: ProgramChoice | null;
  /**
   * What the step uses of money and tokens is reserved and settled elsewhere: turn by turn of a conversation, or by
   * what runs in it. It counts once.
   */
  inParts?: true;
}

/**
 * Reserves what a try of a step needs, and waits for it, also for as long as the run is paused: then it waits in
 * Temporal, without a worker. Null where the run starts nothing any more. `short` is what the activity said it needs.
 * Not a promise where there is nothing to wait for: each is a cost.
 */
export function reserve(
  scope: Scope,
  step: Step,
  first: boolean,
  short: Short | null,
): Reservation | null | Promise<Reservation | null> {
  const { account } = scope.context;
  const inParts = step.kind !== 'agent' || isConversation(scope, step);
  const turn: Reservation = {
    id: (account.numbers += 1),
    need: NONE,
    model: null,
    program: null,
    ...(inParts ? { inParts } : {}),
  };
  const need = (): Amounts => {
    const base = { ...needOf(step), ...(first ? {} : { steps: 0 }) };
    if (step.kind !== 'agent' || inParts) return (turn.need = base);
    turn.program = programNow(scope, step);
    turn.model = turn.program === null ? modelNow(scope.context, step) : null;
    const call = callNeed(scope, step, turn);
    const more = short?.model === askedIn(turn) ? short.need : NONE;
    return (turn.need = {
      ...base,
      nanousd: Math.max(call.nanousd, more.nanousd),
      tokens: Math.max(call.tokens, more.tokens),
    });
  };
  if (isStopped(account)) return goesOn(scope, step) ? turn : refused(account);
  const isCounted = step.kind === 'workflow' || holdsSlot(step);
  return granted(scope.context, turn, { need, isCounted, isSure: clearsUp(scope, step) });
}

/** Tells whether a step that waits for its turn has it when the run is stopped meanwhile. */
function clearsUp({ context: { settings } }: Scope, step: Step): boolean {
  return settings.cancel_ends_pause === true && step.always && step.kind !== 'agent';
}

/**
 * Tells whether a step has its turn also where the run starts nothing any more: it clears up, or it had begun before
 * the run continued as new. What its items had come to, a conversation had used, or people may still decide would be
 * lost.
 */
function goesOn(scope: Scope, step: Step): boolean {
  if (step.always) return step.kind !== 'agent';
  return hasBegun(scope, step, pathOf(scope, step));
}

/** Tells whether a step had begun before the run continued as new. */
export function hasBegun(
  { context: { carriedBlocks, carriedGates, conversations, tried } }: Scope,
  step: Step,
  path: string,
): boolean {
  if (step.kind === 'approval' || step.kind === 'ask') return carriedGates.has(path);
  // One whose try has failed ends as that did.
  if (step.kind === 'agent') return conversations.has(path) && (tried.get(path)?.failure ?? null) === null;
  return Object.hasOwn(carriedBlocks, path);
}

/** What waits for its turn. */
interface Wish {
  need: () => Amounts;
  /** The run may continue as new without it. */
  isCounted?: boolean;
  /** It has its turn also when the run is stopped. */
  isSure?: boolean;
}

/** Waits until the ledger gives a turn what it needs. */
function granted(
  { account, runningSteps }: RunContext,
  turn: Reservation,
  { need, isCounted = false, isSure = false }: Wish,
): Reservation | null | Promise<Reservation | null> {
  const waiter: Waiter = { need, started: false, onStart: () => undefined };
  account.waiters.set(turn.id, waiter);
  acquire(account.ledger, turn.id, need());
  proceed(account);
  if (waiter.started) {
    account.waiters.delete(turn.id);
    return turn;
  }
  const leaveQueue = (): void => {
    if (isCounted) runningSteps.queued -= 1;
  };
  if (isCounted) runningSteps.queued += 1;
  waiter.onStart = leaveQueue;
  account.onChange();
  return condition(() => waiter.started || isStopped(account))
    .then(() => (waiter.started || isSure ? turn : refused(account)))
    .finally(() => {
      account.waiters.delete(turn.id);
      if (waiter.started) return;
      leaveQueue();
      withdraw(account.ledger, turn.id);
      proceed(account);
    });
}

/** So many steps are plenty: more do not run at once. */
const PLENTY = 50;

/**
 * Tells whether a step has its turn at once, and nobody notices if it gives that back: nobody waits, and there is
 * plenty or nobody else who could ask.
 */
export function canTryFreely({ account, runningSteps }: RunContext): boolean {
  const { held, exhausted, queue, cash, borrowers } = account.ledger;
  if (isStopped(account) || held || exhausted !== null || queue.length > 0 || (cash.slots ?? 1) < 1) return false;
  const isAlone = runningSteps.activities <= 1 && borrowers.size === 0;
  return (cash.steps ?? PLENTY) >= (isAlone ? 1 : PLENTY);
}

/** Tells whether the run may start so many more steps that nobody has to count them one by one. */
export function hasPlenty({ account }: RunContext): boolean {
  return (account.ledger.cash.steps ?? PLENTY) >= PLENTY;
}

/** Tells whether the agent of a step uses tools of ours: a program that plays it has its own. */
function isConversation(scope: Scope, step: AgentStep): boolean {
  return (scope.context.plan.agents[step.agent]?.uses ?? []).length > 0 && programNow(scope, step) === null;
}

/**
 * Reserves what one question of a conversation needs, with the model that it is asked of; null where the run starts
 * nothing any more. The step's slot is not in it.
 */
export function takeQuestion(
  context: RunContext,
  question: { name: string; bytes: number; params: JsonObject | undefined; short: Amounts | null },
): Reservation | null | Promise<Reservation | null> {
  const { account } = context;
  const turn: Reservation = { id: (account.numbers += 1), need: NONE, model: null, program: null };
  const need = (): Amounts => {
    turn.model = modelFor(context, restrictionsOf(account).degrade ?? question.name);
    const { nanousd, tokens } = account.ledger.cash;
    const { bytes, params } = question;
    const call = nanousd === null && tokens === null ? NONE : callAmounts(turn.model, bytes, params);
    return (turn.need = {
      ...NONE,
      nanousd: Math.max(call.nanousd, question.short?.nanousd ?? 0),
      tokens: Math.max(call.tokens, question.short?.tokens ?? 0),
    });
  };
  return isStopped(account) ? refused(account) : granted(context, turn, { need });
}

/** Gives back the slot of a conversation that does nothing for now; its step stays counted. */
export function leaveSlot({ account }: RunContext, turn: Reservation): void {
  settle(account.ledger, turn.id, { ...NONE, steps: turn.need.steps });
  turn.need = NONE;
  proceed(account);
}

/**
 * Takes a slot again, as soon as there is one; also where the run starts nothing any more, since what has begun goes
 * on.
 */
export async function takeSlot(context: RunContext, turn: Reservation): Promise<void> {
  const { account } = context;
  turn.id = account.numbers += 1;
  if (!isStopped(account)) await granted(context, turn, { need: () => (turn.need = { ...NONE, slots: 1 }) });
}

/** A slot for one more call at the same time, where one is free; else null. */
export function spareSlot(context: RunContext): Reservation | null {
  const {
    account,
    account: { ledger },
  } = context;
  if (ledger.held || ledger.queue.length > 0 || (ledger.cash.slots ?? 1) < 1) return null;
  const turn: Reservation = { id: (account.numbers += 1), need: { ...NONE, slots: 1 }, model: null, program: null };
  void granted(context, turn, { need: () => turn.need });
  return turn;
}

function isStopped(account: BudgetAccount): boolean {
  return restrictionsOf(account).stop !== null;
}

function refused(account: BudgetAccount): null {
  account.refused += 1;
  return null;
}

/** What the activity may use at most; undefined where nothing is limited. */
export function mostFor(context: RunContext, { need }: Reservation): Most | undefined {
  const { nanousd, tokens } = context.account.ledger.cash;
  const quota = quotaOf(context);
  if (nanousd === null && tokens === null && quota.quota === undefined) return undefined;
  return {
    ...(nanousd === null ? {} : { usd: toUsd(need.nanousd) }),
    ...(tokens === null ? {} : { tokens: need.tokens }),
    ...quota,
  };
}

/** Who is asked in a turn, by name: what was refused for its price is refused of that one. */
export function askedIn({ model, program }: Reservation): string {
  return program === null ? (model?.model ?? '') : `${program.program} ${program.model ?? ''}`;
}

function programNow(scope: Scope, step: AgentStep): ProgramChoice | null {
  const { settings, plan, nested } = scope.context;
  return programOf(settings.programs, step, plan.agents[step.agent], programAddress(nested, addressOf(scope, step)));
}

/** The model that a step calls now: its own, or what the run has degraded to. */
function modelNow(context: RunContext, step: AgentStep): ModelChoice {
  const { degrade } = restrictionsOf(context.account);
  return modelFor(context, degrade ?? modelKeyOf(step, context.plan.agents[step.agent]));
}

/** Reserved is nothing where neither money nor tokens are limited: then nobody asks. */
function callNeed(scope: Scope, step: AgentStep, { model, program }: Reservation): Amounts {
  const {
    plan,
    account: {
      ledger: { cash },
    },
  } = scope.context;
  const asked = program ?? model;
  if (asked === null || (cash.nanousd === null && cash.tokens === null)) return NONE;
  return callAmounts(
    asked,
    requestBytes(step, plan.agents[step.agent]?.prompt ?? null, environmentOf(scope, templatesOf(step))),
    plan.agents[step.agent]?.params,
  );
}

function callAmounts(asked: ModelChoice | ProgramChoice, bytes: number, params: JsonObject | undefined): Amounts {
  const max_tokens = 'provider' in asked ? mostAnswered(asked, params) : asked.max_tokens;
  const { usd, tokens } = mostOf(asked.price ?? null, { bytes, max_tokens });
  return { ...NONE, nanousd: toNanoUsd(usd), tokens };
}

/** What a nested run is lent at its start, and the line to it; `opened` resolves once it has been started. */
export function lendTo(context: RunContext, run: string, plan: Plan, opened: Promise<unknown>): Lease {
  return openLease(
    context.account,
    run,
    atMost(
      needOfPlan(plan, plan.nested, (step) => modelNeedOf(context, plan, step)),
      limitsOf(leaseOf(plan.budgets)),
    ),
    opened,
  );
}

/** What one call of a step needs, as long as nobody has looked at what it refers to. */
function modelNeedOf({ settings }: RunContext, plan: Plan, step: Step): Amounts {
  if (step.kind !== 'agent') return NONE;
  const agent = plan.agents[step.agent];
  const model = programOf(settings.programs, step, agent, '') ?? ownOf(settings.models, modelKeyOf(step, agent));
  return model === undefined ? NONE : callAmounts(model, requestBytes(step, agent?.prompt ?? null, {}), agent?.params);
}

/** What a batch run is lent at its start: what `count` items of its foreach need, as many at once as it runs. */
export function lendToBatch(
  context: RunContext,
  run: string,
  { step, count, opened }: { step: ForeachStep; count: number; opened: Promise<unknown> },
): Lease {
  const { plan, account } = context;
  const one = needOfPlan({ ...plan, steps: step.body.steps }, plan.nested, (each) => modelNeedOf(context, plan, each));
  const width = Math.min(count, step.max_parallel ?? count);
  return openLease(
    account,
    run,
    { steps: one.steps * count, slots: one.slots * width, nanousd: one.nanousd * width, tokens: one.tokens * width },
    opened,
  );
}

function amountsOf({ usd, tokens, steps }: Pick<Charged, 'usd' | 'tokens' | 'steps'>): Amounts {
  return { steps, nanousd: toNanoUsd(usd), tokens, slots: 0 };
}

function openLease(account: BudgetAccount, run: string, need: Amounts, opened: Promise<unknown>): Lease {
  const { steps, nanousd, tokens, slots } = lend(account.ledger, run, need);
  account.below.set(run, openLine(run, opened));
  return { steps, usd: nanousd === null ? null : toUsd(nanousd), tokens, slots, runtime_ms: null };
}

/** Takes back what a nested run did not use; a null outcome is one that nobody knows, but for what it left behind. */
export function collectFrom({ account }: RunContext, run: string, outcome: RunOutcome | null): void {
  const charged = outcome?.charged ?? account.left.get(run)?.charged;
  if (charged === undefined) collect(account.ledger, run, null);
  else collect(account.ledger, run, amountsOf(charged), amountsOf({ usd: 0, tokens: 0, ...charged.assumed, steps: 0 }));
  account.below.delete(run);
  account.left.delete(run);
  // What a nested run did not start, this one did not.
  if (isStopped(account) && outcome?.status !== 'success') account.refused += 1;
  proceed(account);
}
