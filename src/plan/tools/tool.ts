import type { Budgets } from '../budget/budgets.js';
import type { StepKind } from '../names.js';
import type { Hash, Text } from '../values/value.js';

/** Tools that come with Perdure. */
export const BUILTIN_TOOLS = [
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'search_files',
  'gather_context',
  'keep_context',
  'compare_workspace',
  'memory_search',
  'shell',
  'build_project',
  'run_tests',
  'test_changes',
  'start_program',
  'http_request',
  'web_search',
] as const;
export type BuiltinTool = (typeof BUILTIN_TOOLS)[number];

const PROGRAM_TOOLS: readonly string[] = [
  'shell',
  'build_project',
  'run_tests',
  'start_program',
] satisfies BuiltinTool[];

/** Tells whether a tool that comes with Perdure runs a program that its call names. */
export function runsPrograms(name: string): boolean {
  return PROGRAM_TOOLS.includes(name);
}

/** Tools that work for a moment: they look at files, or change some, start nothing and reach no network. */
export const QUICK_TOOLS: readonly BuiltinTool[] = [
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'search_files',
  'gather_context',
  'keep_context',
  'memory_search',
];

/** Of these, what looks through a whole workspace: how long that takes depends on how much there is. */
const WIDE_TOOLS: readonly string[] = ['list_files', 'search_files', 'gather_context'] satisfies BuiltinTool[];

/** Of these, what only looks: several steps of such tools may be one row. */
export const ROW_TOOLS: readonly BuiltinTool[] = [
  'read_file',
  'list_files',
  'search_files',
  'gather_context',
  'memory_search',
];

/** Tells whether one call of a tool takes a moment, whatever it is called with and however large the workspace is. */
export function isBounded(name: BuiltinTool): boolean {
  return QUICK_TOOLS.includes(name) && !WIDE_TOOLS.includes(name);
}

/** Tools with which an agent makes others. */
export const MAKERS = ['agent_create', 'agent_call', 'tool_create', 'workflow_create'] as const;
export type Maker = (typeof MAKERS)[number];

/** Tools that a model's provider may run itself, in the middle of an answer (`server_side_tools`). */
export const PROVIDER_TOOLS = ['web_search', 'web_fetch', 'code_execution', 'image_generation'] as const;
export type ProviderToolName = (typeof PROVIDER_TOOLS)[number];

/** A tool that an agent may use, closed into the Plan (I2). */
export type Tool =
  /**
   * `search` of `web_search`: where it asks in place of the model's provider. `root`: the only folder whose files it
   * touches and in which it runs programs, from the workspace's root; absent for the workspace itself.
   */
  | { kind: 'builtin'; name: BuiltinTool; search?: SearchPlace; root?: string }
  | DefinedTool
  | PlanAgentTool
  | RemoteTool
  | ProviderTool
  | MakerTool
  | MadeTool;

/** An agent of the Plan as a tool. */
export interface PlanAgentTool {
  kind: 'agent';
  name: string;
  description: Text | null;
  agent: Hash;
  /** The folder that its attachments are in, from the workspace's root; absent where it is called by `input` alone. */
  attaches?: string;
}

/**
 * A search that `perdure.yml` names: its address with `${query}`; `${env.NAME}` in a header is a secret's name (I13).
 */
export type SearchPlace = { url: string; headers: Record<string, string> };

/** What holds in one answer of a model: how often a tool of its provider is used, and which hosts it may go to. */
export interface ProviderLimits {
  max_uses?: number;
  allowed_domains?: string[];
  blocked_domains?: string[];
}

/** A tool that the model's provider runs. */
export interface ProviderTool extends ProviderLimits {
  kind: 'provider';
  name: ProviderToolName;
}

/** A tool with which an agent makes others, or calls what was made. */
export interface MakerTool {
  kind: 'maker';
  name: Maker;
  /**
   * Of `agent_create`: where the files of made agents are written, from the project's root; absent where nobody says.
   */
  folder?: string;
  /** Of `agent_create` and `agent_call`: the folder that attachments are in, from the workspace's root. */
  root?: string;
  /** Of `workflow_create`: what may be in a workflow that is made, and what it may use. */
  rules?: { kinds: StepKind[]; budgets: Budgets };
}

/** An agent that was made in this run, as a tool of its maker from the next turn on. In no Plan. */
export interface MadeAgentTool {
  kind: 'made';
  name: string;
  description: Text | null;
  /** Of the stored `MadeAgent`. */
  agent: Hash;
  /** The folder that attachments are in, from the workspace's root; absent for all of it. */
  root?: string;
}

/** A workflow that was made in this run, as a tool of its maker from the next turn on. In no Plan. */
export interface MadeWorkflowTool {
  kind: 'workflow';
  name: string;
  description: Text | null;
  /** Canonical JSON of the JSON Schema of its inputs. */
  inputs: Text;
  /** Its Plan's hash. */
  plan: Hash;
}

/** What a conversation has as a tool from the turn after on that made it. */
export type MadeTool = MadeAgentTool | MadeWorkflowTool | CustomTool;

/**
 * A tool that a step can call itself: what asks another agent, makes things, or is part of a model's answer, is an
 * agent's.
 */
export type CallableTool = Exclude<Tool, { kind: 'agent' | 'maker' | 'provider' } | MadeTool>;

/**
 * A tool that was made in this run: another spelling of a call of a tool that its caller has. In no Plan.
 */
export interface CustomTool {
  kind: 'custom';
  name: string;
  description: Text;
  /** Canonical JSON of the JSON Schema of what it is called with, and of its `tool.yml`. */
  inputs: Text;
  definition: Text;
  through: 'shell' | 'http_request';
  /** The folder that its maker's own tool works in, from the workspace's root; absent for the workspace itself. */
  root?: string;
}

/** A tool that a `tool.yml` defines. */
export interface DefinedTool {
  kind: 'defined';
  name: string;
  description: Text;
  /** JSON Schema of what it is called with. */
  inputs: Text;
  /** Canonical JSON of the file. */
  definition: Text;
  /** Its folder, from the project's root. */
  folder: string;
  /** What a call changes: a request that only asks changes nothing, a program may change files. */
  effect: 'none' | 'workspace' | 'external';
  /** A client made it: its program is in no folder of its own, and runs in the sandbox or not at all. */
  made?: true;
}

/** A tool of an MCP server, as the server listed it when the run was submitted. */
export interface RemoteTool {
  kind: 'mcp';
  /** `<server>__<remote>`. */
  name: string;
  server: string;
  /** Its name at the server. */
  remote: string;
  description: Text;
  /** Canonical JSON of the JSON Schema of what it is called with. */
  inputs: Text;
  /** Canonical JSON of the `McpServer` that has it: another one is another tool. */
  connect: Text;
  /** It only reads, as the server says. */
  reads?: true;
}
