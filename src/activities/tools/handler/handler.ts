import type { Action } from '../../../plan/tools/action.js';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { Permissions } from '../../../plan/tools/permission.js';
import type { Plan } from '../../../plan/plan.js';
import type { CalledAgent } from '../../../plan/agents/conversation.js';
import type { Agent } from '../../../plan/step.js';
import type { MadeTool, Tool } from '../../../plan/tools/tool.js';
import type { Hash, Value } from '../../../plan/values/value.js';
import type { MakingModels } from '../../contract.js';
import type { Credentials, Dependencies } from '../../dependencies.js';
import type { MadeScope } from '../../made/registry.js';
import type { Store } from '../../../store/store.js';
import type { LogWriter } from '../../../store/logs/line.js';
import type { ToolSpec } from '../../models/protocol/message.js';

/** What a call gave: an error is the model's to mend. */
export interface ToolRun {
  content: Json;
  is_error: boolean;
  /** A tool that its agent has from the next turn on. */
  made?: MadeTool;
  /** The agent whose conversation the workflow holds, in place of a result. */
  called?: CalledAgent;
  /** The workflow that is run, likewise: its Plan's hash, and its inputs. */
  starts?: { plan: Hash; inputs: Record<string, Value> };
}

/** What tools need that make others: who makes, in which run, and what bounds it. */
export interface Making {
  store: Store;
  plan: Plan;
  /** The agent that calls, and the one of the Plan that bounds it: itself, unless it was made. */
  maker: Agent;
  by: Hash;
  scope: MadeScope;
  /** The root run's id, which files of what is made say. */
  run: string;
  models: MakingModels;
  compileAgent: Dependencies['compileAgent'];
  compileTool: Dependencies['compileTool'];
  compileWorkflow: Dependencies['compileWorkflow'];
}

/** What a tool works with while it runs. */
export interface ToolContext {
  store: Store;
  /** Absolute; the only folder whose files it may touch. */
  workspace: string;
  /** The only folder of it that this tool touches, from its root; absent for all of it. */
  root?: string;
  /** Aborts on cancellation and when the call's time is over. */
  signal: AbortSignal;
  log: LogWriter;
  /** What the next heartbeats tell people who watch; small. */
  progress: JsonObject;
  permissions: Permissions;
  /** A person was shown exactly this call and allowed it, whatever the permissions say. */
  allowed?: boolean;
  /** Values of secrets, for the tool alone (I13). */
  credentials?: Credentials;
  /** The root run's id: whose the processes are that it starts. */
  run: string;
  /** Trace context of the call, for programs and servers that it reaches; absent where the run is not traced. */
  traceparent?: string;
  /** Of an agent that may make others, or call what was made; and which call this is, in the whole tree of runs. */
  making?: Making;
  call?: string;
}

/** What a call would do, or what is wrong with its arguments. */
export type Judged = Action | { invalid: string };

/** How the tools of one kind are shown, judged and run. */
export interface ToolHandler<T extends Tool = Tool> {
  spec(tool: T, store: Pick<Store, 'getText'>): Promise<ToolSpec>;
  /** False: calls of one turn run one after the other. */
  parallel: boolean;
  /** It runs as a local activity behind the journal: it takes at most 10 s. */
  quick: boolean;
  /**
   * The model's provider runs it (`web_search` of Anthropic): it is handed on with the request, and never called here.
   */
  server?: true;
  /**
   * Made once more it comes to the same (`write_file` writes all of a file). A call that may have been made before its
   * worker was lost is made again, and nobody has to look.
   */
  repeatable?: true;
  /** `external`: a lost worker makes the outcome doubtful; the model is told so, or a person is asked. */
  effect(tool: T, args: JsonObject): 'none' | 'workspace' | 'external';
  /**
   * What a call with these arguments would do, or what is wrong with them, for the model. Reads no file of the
   * workspace.
   */
  action(tool: T, args: JsonObject, workspace: string, making?: Making): Judged | Promise<Judged>;
  /** Throws only for a cancellation, and for what no model can mend. The caller has asked `judgeAction` before. */
  run(tool: T, args: JsonObject, context: ToolContext): Promise<ToolRun>;
}
