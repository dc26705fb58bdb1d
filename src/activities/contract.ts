import type { Action } from '../plan/tools/action.js';
import type { QuotaTerms } from '../plan/budget/quota.js';
import type { Interval } from '../plan/budget/run-clock.js';
import type { HookAnswer, HookedWhen } from '../plan/tools/hook.js';
import type { AttemptBefore, CallEnd, Remark, ToolAnswer, TurnAnswer } from '../plan/agents/conversation.js';
import type { Environment } from '../plan/references/environment.js';
import type { Autonomy } from '../plan/gates/autonomy.js';
import type { Gate } from '../plan/gates/gate.js';
import type { ReceiptCall, RefusedCall, TokenCall } from '../plan/gates/gate-calls.js';
import type { NoticeCall, NotifySettings } from '../plan/gates/notice.js';
import type { KeeperMessage, Lease } from '../plan/devices/device-queue.js';
import type { BegunRun } from '../plan/triggers/start.js';
import type { Json } from '../plan/values/json.js';
import type { RoundResult, ClosingRun, StepResult } from '../plan/result.js';
import type { PaidBefore } from '../plan/budget/paid-before.js';
import type { Spend } from '../plan/budget/spend.js';
import type { ProgramChoice } from '../plan/agents/program.js';
import type { RootLink } from '../plan/run-input.js';
import type { ModelChoice } from '../plan/agents/model-choice.js';
import type { CallHead, ShortCall, StepAddress } from '../plan/calls/short-call.js';
import type { ConditionName } from '../plan/references/step-references.js';
import type { ShortOutput, StepOutput, Withheld, Working } from '../plan/calls/step-output.js';
import type { ShortPlan } from '../plan/packing/packed-plan.js';
import type { StoreRequest } from '../plan/calls/store-questions.js';
import type { Requirement } from '../plan/names.js';
import type { TakeCall, TakenHome } from '../plan/placement/home.js';
import type { Permissions } from '../plan/tools/permission.js';
import type { Hash, Value } from '../plan/values/value.js';
import type { ToolRow, ToolStepCall } from '../plan/calls/tool-step-call.js';

export type { StepAddress } from '../plan/calls/short-call.js';
export type { ShortOutput, StepOutput, Withheld, Working } from '../plan/calls/step-output.js';

/** A folder as a run carries it: from the state folder (`placeOf`). Activities get it as it is here (`locatedCall`). */
type Place = string;

/**
 * Which step an activity acts for. The Plan itself is not in it: activities read it from the store by `root.plan`
 * (immutable, cached per worker), so history carries only what differs from step to step.
 */
export type StepCall = CallHead;

export interface ModelCall extends StepCall {
  model: ModelChoice;
  /** What may be used at most, all questions together (I8); a limit that nobody set is not in it. */
  most?: { usd?: number; tokens?: number; quota?: QuotaTerms };
  /** What earlier activities of the try have told of its cost: this one tells what comes on top. */
  paid?: PaidBefore;
}

export interface ProgramCall extends StepCall {
  program: ProgramChoice;
  /** The attempt before this one, which came to nothing. */
  before?: AttemptBefore;
  /** The folder that the program works in. */
  workspace: Place;
  /** As of a `ModelCall`. */
  most?: { usd?: number; tokens?: number; quota?: QuotaTerms };
  paid?: PaidBefore;
}

/** The next turn of an agent that uses tools. Its first call carries the environment; later ones go on from `head`. */
export interface TurnCall extends StepCall, Partial<Pick<ModelCall, 'model' | 'most' | 'paid'>> {
  /** From 1. */
  turn: number;
  /** Short hash of the transcript's last message; null for the first turn. */
  head: string | null;
  /** How the calls ended that it asks for. */
  ends: CallEnd[];
  /** What people have said since the last turn; absent for nothing. */
  said?: Remark[];
  /** Of a first turn: the attempt before this one, which came to nothing. */
  before?: AttemptBefore;
  /** Where tools work. It and the model are left out where the transcript's beginning tells the same (I7). */
  workspace?: Place;
  /** What is left of the time of the step's try. */
  limit_ms: number;
  /** Of an agent that another one calls. */
  asked?: AskedBy;
  /** Something failed in workflows that it has started: no later run takes over what it comes to. */
  partial?: true;
  /** Tools that were made in the conversation: short hash of their chain. */
  made?: string;
  /** Of an agent that may make others. */
  makes?: MakingModels;
}

/** What an agent that is made may speak with: the models of the run by name, and the one that its maker speaks with. */
export interface MakingModels {
  models: string[];
  model: string;
}

/** A turn with what its transcript told of it. */
export type WholeTurn = TurnCall & ModelCall & { workspace: string };

/** Who is asked, by which call of another agent: its agent and message by short hashes, and the call's number. */
export interface AskedBy {
  agent: string;
  head: string;
  call: number;
  /** Short hash of what is asked, where that is more than the call says. */
  question?: string;
}

/** One call of a tool. */
export interface ToolCall extends StepCall {
  /** From 1, of the turn that asks for it; and the call's number in that, from 0. */
  turn: number;
  call: number;
  /** Short hash of the message that asks for it. */
  head: string;
  workspace: Place;
  limit_ms: number;
  /** The agent, where it is not the step's own. */
  agent?: string;
  /** Hash of the gate at which a person allowed it. */
  allowed?: Hash;
  /** The policy denies it, and a person who was asked after denials has allowed it still. */
  lifts?: true;
  /** A person wants it done again, for so many times. */
  again?: number;
  /** Short hash of why a hook wants a person to look at it: a stored text. */
  hooked?: string;
  /** As of a `TurnCall`. */
  made?: string;
  makes?: MakingModels;
  /** What holds of when calls wait for a person; absent where nothing is said. */
  autonomy?: Autonomy[];
}

/** Several calls of one turn, `at_once` of them at the same time. */
export type ToolsCall = Omit<ToolCall, 'call'> & { calls: number[]; at_once: number };

/** Where a call of a tool is found. `renewed`: a person has allowed something else there. */
export type ToolPlace = Pick<
  ToolCall,
  'head' | 'call' | 'workspace' | 'agent' | 'made' | 'makes' | 'autonomy' | 'hooked'
> & {
  renewed?: true;
};

/** The hooks of an agent around one call of a tool. */
export interface HookCall extends ToolCall {
  when: HookedWhen;
  /** How the call ended, after it. */
  ended?: CallEnd;
  /** Short hash of what hooks said before it that the model is told with its result: a stored text. */
  told?: string;
}

export interface CommandCall extends StepCall {
  /** The folder that relative paths start from. */
  workspace: Place;
  /**
   * A step of at most 10 s that runs as a local activity: 1 event instead of 6. A crash repeats the call, so how it
   * ended, well or not, is journalled before it returns and answered from there (I8).
   */
  quick?: true;
  /** Its run is a rehearsal: a test may have recorded how the command ends. Absent in others. */
  rehearsal?: true;
}

/** What is done with a device; a rehearsal does everything but open its port (decision 10). */
export interface DeviceCall extends StepCall {
  /** The folder that sources and images are looked for in. */
  workspace: Place;
  rehearsal: boolean;
  /** The run's own queue, for a device of another host: workers there may have another store (decision 11). */
  home?: string;
}

export interface FlashCall extends DeviceCall {
  /** The image as it was approved, where it was. */
  image: ApprovedImage | null;
  /**
   * `write` it, `inspect` what a lost worker left (writes nothing: the output tells whether the new image stands
   * there), or `restore` the last good one.
   */
  act: 'write' | 'inspect' | 'restore';
}

/** An image that a person was asked about: the value itself, so that nobody can put another in its place. */
export interface ApprovedImage {
  image: Value;
  /** Hash of its files. A file that was named by its path is read once more, and must still have it. */
  sha256: string;
}

/** The tree that a step works in until it commits. Its root run and the tree's name say which. */
export interface TreeCall {
  run: string;
  tree: string;
}

/** A step that commits, before it begins, with all that it is asked with. */
export interface BeginCall extends StepCall {
  tree: string;
  /** Models by their names, with the programs that play agents. */
  models: Json;
  /** Paths of the steps before it. */
  after: string[];
  /** In a rerun: the runs whose commit it may take over, the latest first. */
  takes?: string[];
}

/** What a step has done that ended well, to be committed. */
export interface CommitCall extends TreeCall {
  /** The step's path. */
  path: string;
  try: number;
  subject: string;
  /** Of all that the step was asked with. */
  key: string;
  /** What the step yielded: the body says the first of it. */
  output: Value | null;
  /** Of an agent, where it has any: what these do not let it write is not committed. */
  permissions?: Permissions;
  /** Of a step that commits what another has left: with conflicts, and without what may not be committed. */
  as_it_is?: true;
}

/** Which gate to render: that of a step, or with `question` one of the interpreter's own. */
export interface GateCall extends StepCall {
  question?: string;
  /** Why a step waits for a person before it acts, where that is asked about. */
  checkpoint?: string;
  /** The call of a tool that is asked about, where it is one. */
  tool?: ToolPlace;
  /** Of such a question; `lost` when absent. */
  kind?: 'lost' | 'recovery';
  /** When it opens; ISO 8601, UTC. */
  since: string;
  submitter: string;
}

/** What a `plan` step is made from. */
export interface PrepareCall extends StepCall {
  /** The project's root: what is made may name its agents. */
  workspace: Place;
  /** Names of the models that the run has chosen, and of the inputs that what is made will get. */
  models: string[];
  given: string[];
  /** When its gate opens; ISO 8601, UTC. */
  since: string;
}

/**
 * A workflow that was made: its Plan, as it travels, and what it has defaults for; with the gate that shows what it was
 * made from, where people are asked.
 */
export type PreparedPlan = { plan: ShortPlan; defaults: Record<string, Value> } & (Gate | { hash?: never });

/** A content as a person changed it, in place of what was `shown`. */
export interface EditCall {
  message: string;
  shown: Value | null;
  edit: Value;
  options?: Json[];
  /** Of planned tasks: who they may be for. */
  team?: string[];
}

/**
 * Which templates to render: a step's values by name (a nested run's inputs, a foreach's items, the moment of a wait),
 * a `set` step's `{object}`, a condition (`{when}`, `{until}`: boolean), or the `{output}` of the body, or of the block
 * of `step`.
 */
export type RenderCall = { root: RootLink; nested: Hash | null; environment: Environment } & (
  { what: 'inputs' | 'object' | ConditionName; step: StepAddress } | { what: 'output'; step?: StepAddress }
);

/** What the rounds of a foreach or a loop ended with: in pages, and not in pages yet. */
export interface JoinCall {
  pages: Value[];
  results: RoundResult[];
  /** Whether the list of all outputs is wanted, in order; one that failed or was skipped is null there. */
  outputs: boolean;
  /** Batch runs that were cancelled, whose results stand in their records. */
  batches?: string[];
}

/**
 * Where it is looked at what was spent: at a path and below it, of a foreach in items alone, up to `end`, or in one
 * call at the path alone, which `part` tells apart there: its try, and its turn.
 */
export interface SpentCall {
  root: Pick<RootLink, 'first'>;
  path: string;
  items?: { from: number; end: number };
  part?: (string | number)[];
}

/**
 * All side effects of the interpreter. Those above the devices are activities, the others local ones: idempotent.
 */
export interface Activities {
  /** Milliseconds of these intervals in which a worker of the store was there. */
  countAlive(intervals: Interval[]): Promise<number>;
  callModel(call: ShortCall<ModelCall>): Promise<ShortOutput>;
  /** Does so within a workflow task where it takes a moment; `callModel` goes on with what takes longer. */
  beginModel(call: ShortCall<ModelCall & { task: number }>): Promise<ShortOutput | Working>;
  /** So does a turn, named by its path; `askTurn` goes on with it. */
  beginTurn(call: ShortCall<TurnCall & { task: number }>): Promise<(TurnAnswer & { path: string }) | Working>;
  /** Ends what a step has begun so and nothing goes on with; gives what that has spent. */
  endBegun(call: ShortCall<StepCall>): Promise<{ spend: Spend | null }>;
  runCommand(call: ShortCall<CommandCall>): Promise<ShortOutput>;
  /** Has a program play an agent; it is resumed where a worker was lost. */
  runProgram(call: ShortCall<ProgramCall>): Promise<ShortOutput>;
  /** Makes the call of a tool step; one that nobody has looked at may be withheld. */
  runTool(call: ShortCall<ToolStepCall>): Promise<ShortOutput | Withheld>;
  /** Makes the calls of several steps one after another, as far as they succeed and none is withheld. */
  runTools(row: ToolRow): Promise<ShortOutput[]>;
  /** One turn of an agent that uses tools: asks its model, and adds the answer to the transcript. */
  askTurn(call: ShortCall<TurnCall>): Promise<TurnAnswer>;
  /** Makes one call of a tool, unless the journal tells what came of it. */
  callTool(call: ShortCall<ToolCall>): Promise<ToolAnswer>;
  /** Makes several; withholds those that do not end. */
  callTools(call: ShortCall<ToolsCall>): Promise<(ToolAnswer | Withheld)[]>;
  /** Runs the hooks of an agent around one of its calls. */
  callHooks(call: ShortCall<HookCall>): Promise<HookAnswer>;
  /** Fails where this machine has no sandbox for agents' commands. */
  requireSandbox(): Promise<void>;
  /** Tells the workers of the store that a step requires this, so that those which meet it take such steps. */
  announceRequirement(requires: Requirement): Promise<void>;
  /** Begins the next workflow task by its answer. */
  beginTask(): Promise<void>;
  /** Makes the work tree of a run from the files of its project. */
  makeTrees(call: { run: string; project: string; carry: string[]; from?: string }): Promise<void>;
  /** Has a worker take the workspace of a run that travels, with its files as they were kept last. */
  takeWorkspace(call: TakeCall): Promise<TakenHome>;
  /**
   * Gives a step that commits a tree of its own; what an earlier try left there stays. In a rerun `taken` is what was
   * done for it before, where that was taken over.
   */
  beginWork(
    call: BeginCall,
  ): Promise<{ key: string; taken: { commit: string | null; output: Value | null; from: string } | null }>;
  /** Commits what was changed there; null where nothing was. */
  commitWork(call: CommitCall): Promise<{ commit: string | null }>;
  /** Builds an image from sources; its output is an `Image`. */
  compileImage(call: DeviceCall): Promise<StepOutput>;
  /** Writes an image to a device and reads it back, or does what `act` says. Its output tells the image's hash. */
  flashDevice(call: FlashCall): Promise<StepOutput>;
  /** Listens on a device's serial line. */
  readSerial(call: DeviceCall): Promise<StepOutput>;
  /** Reads and checks the image of a flash step before anybody is asked: what an approval shows and fixes. */
  prepareFlash(call: DeviceCall & { since: string; checkpoint?: string }): Promise<Gate & ApprovedImage>;
  /** Just the image, for a host that has not got the files. Nobody is asked, so its result must not read as a gate. */
  prepareFlash(call: DeviceCall & { only: 'image' }): Promise<ApprovedImage>;
  /** Compiles what a `plan` step runs and stores its Plan; a failure of the step lists what is wrong with it. */
  preparePlan(call: PrepareCall): Promise<PreparedPlan>;
  /** Says what a tool step would do, with the gate that shows it where a person is asked. */
  prepareTool(
    call: ToolStepCall & { since: string; renewed?: true },
  ): Promise<{ action: Action } | { action: Action; reused: true } | ({ action: Action } & Gate)>;
  /** Starts the workflow that tells people what happened in a run, unless that was done. */
  startNotice(call: { id: string; notify: NotifySettings; told: Omit<NoticeCall, 'way'> }): Promise<void>;
  /** Tells it in one way. */
  sendNotice(call: NoticeCall): Promise<void>;
  /** Asks the keeper of the devices of a host, whose workers poll `queue`, for one, or gives it back. */
  tellKeeper(message: KeeperMessage, queue: string): Promise<void>;
  /** What the keepers of other hosts show: asked by one, for waits that go in a circle through them. */
  readLeases(): Promise<Lease[]>;
  /**
   * Begins a run that nobody submits: `starter` is the id of the workflow that starts it, for an event. `joined`: it
   * has run already.
   */
  beginRun(call: { prepared: Hash; starter: string; event: Value }): Promise<BegunRun | { run: string; joined: true }>;
  /**
   * Renders and hashes what a gate shows, and says who may decide. Viewers read open gates from its results (decision
   * 5). `refusal`: of a tool's call, why there is nothing to ask, for its model.
   */
  renderGate(call: GateCall): Promise<Gate | { refusal: string }>;
  /** Hashes an edited content as it will be approved. */
  readEdit(call: EditCall): Promise<{ content: Value; hash: Hash } | { refusal: string }>;
  /** Holds an answer against its JSON Schema; null asks for a text. */
  readAnswer(call: { answer: Value; schema: Json }): Promise<{ answer: Value } | { refusal: string }>;
  /** Holds the grant or the token of a decision against the open gate that it names; `nonce` is the grant's. */
  checkToken(call: TokenCall): Promise<{ refusal: string | null; nonce?: string }>;
  /** Writes a refused decision to the run's log, for people to read. */
  noteRefusal(call: RefusedCall): Promise<void>;
  /** Signs how a gate ended and keeps that in the journal of its tree; gives the hash of what was signed. */
  keepReceipt(call: ReceiptCall): Promise<Hash>;
  /** Renders what the workflow cannot, because an operand is stored or the result may be big. */
  renderValues(call: RenderCall): Promise<Record<string, Value>>;
  /** Stores one page of at most 500 results and names it (I12). */
  writePage(results: StepResult[] | RoundResult[]): Promise<Value>;
  /** Stores the results of rounds that are in no page yet, and joins the outputs of all. Returns all pages. */
  joinRounds(call: JoinCall): Promise<{ output: Value | null; pages: Value[]; spend?: Spend }>;
  /** What was paid by the journal, where nobody said a last word. `found` is the path, for viewers; none for items. */
  spentBelow(call: SpentCall): Promise<Spend & { found?: string }>;
  /** Reads and writes the store for a CLI that does not have it (decision 11). */
  accessStore(request: StoreRequest): Promise<Json>;
  /**
   * Stores the results that are in no page yet as pages of 500, then writes input and outcome of the closed run under
   * `.perdure/runs/` (decision 7). Returns all pages: those of `record`, and the new ones.
   */
  closeRun(record: ClosingRun, results: StepResult[]): Promise<Value[]>;
}
