import type { Requirement } from '../plan/names.js';
import type { Plan } from '../plan/plan.js';
import type { JsonObject } from '../plan/values/json.js';
import type {
  AgentBounds,
  AgentMade,
  AgentRequest,
  Made,
  MadePlan,
  MadeTasks,
  ToolMade,
  WorkflowBounds,
  WorkflowMade,
  WorkflowRequest,
} from '../plan/agents/made-definition.js';
import type { Price } from '../plan/budget/price.js';
import type { GateInPlan, NoticeForecast } from '../plan/gates/notice.js';
import type { Store } from '../store/store.js';

/**
 * Variables by which providers are reached, by us or by programs that play agents; the host holds them in memory only
 * (I13).
 */
export const CREDENTIALS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OLLAMA_HOST',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CODEX_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_GCA',
] as const;

/** Gives the provider variables as they are now: a host gets them from the CLI that joined it. */
export type Credentials = () => Record<string, string | undefined>;

/** Everything activities need from outside: the one seam where tests put other things in. */
export interface Dependencies {
  store: Store;
  credentials: Credentials;
  /** Root of the worker's project, for who submits from elsewhere (decision 11). */
  root?: string;
  /** The worker itself, where workspaces of its store travel. */
  self?: WorkerSelf;
  /** Others may work with its store at another server: what it submits is noted with the server. */
  notesServer?: true;
  /** How long what is quick in one workflow task takes at most, in milliseconds; tests of quick things wait longer. */
  momentMs?: number;
  /** Prices that go before the built-in table (`models.prices` of the config). */
  prices?: PriceTable;
  /** The program that simulates boards, as `devices/board/main.ts` is built; without it there are none. */
  boardProgram?: string;
  /**
   * Remembers that the trace of a run is to be sent; what it gives is called once the run's record is there. Absent
   * where nobody sends traces. Never throws.
   */
  announceTrace?: (run: string) => Promise<() => void>;
  /** Where the system shows its devices. */
  deviceFolders?: DeviceFolders;
  /**
   * Compiles what is made while a run runs, as if it lay in the project of `workspace`. The compiler is no part of
   * activities (I1), so the worker puts it in. Long texts of the Plan are in the store when it resolves.
   */
  compile?: (made: Made, workspace: string) => Promise<MadePlan>;
  /** Forecasts what is left at a gate from runs that have closed, likewise; null where they say too little. */
  forecastGate?: (gate: GateInPlan, workspace: string) => Promise<NoticeForecast | null>;
  /** Makes a Plan of planned tasks, likewise. */
  compileTasks?: (made: MadeTasks) => Promise<Plan>;
  /** Makes an agent of what another one says of it, likewise. */
  compileTool?: (
    request: { name: string; definition: JsonObject | string },
    bounds: Pick<AgentBounds, 'maker' | 'taken'>,
    workspace: string,
  ) => Promise<ToolMade>;
  compileWorkflow?: (request: WorkflowRequest, bounds: WorkflowBounds, workspace: string) => Promise<WorkflowMade>;
  compileAgent?: (request: AgentRequest, bounds: AgentBounds, workspace: string) => Promise<AgentMade>;
}

/** What a worker is to the workspaces that it has. */
export interface WorkerSelf {
  /** Its id now. */
  id: () => string;
  /** Takes from a queue of its own, and gives its name. */
  serveOwn: () => Promise<string>;
  /** Resolves when workers of its version are known to take what requires this; at once where it is of none. */
  untilTaken: (requires: Requirement) => Promise<void>;
}

/** Where the system shows its devices. */
export interface DeviceFolders {
  sys: string;
  dev: string;
}

export type PriceTable = Record<string, Price>;
