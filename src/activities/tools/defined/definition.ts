import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { DefinedTool } from '../../../plan/tools/tool.js';
import type { Store } from '../../../store/store.js';

/** A `tool.yml` as the compiler has checked it (`compiler/formats/tool.ts`) and closed it into the Plan. */
export interface ToolDefinition {
  name: string;
  kind: 'http' | 'command' | 'python';
  inputs: { schema: JsonObject };
  outputs: { format: 'json' | 'text'; schema?: JsonObject };
  exec: { http?: HttpBlock; command?: CommandBlock; python?: PythonBlock };
  permissions?: { network?: boolean | string[]; secrets?: Record<string, { required?: boolean }> };
}

export interface HttpBlock {
  method: string;
  url: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: Json;
  response?: { json_path?: string; fields?: { name: string; path: string }[] };
  timeout_ms?: number;
}

export interface CommandBlock {
  entrypoint: string;
  args?: string[];
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  stdout?: { format: 'json' | 'text' };
  exit_codes_ok?: number[];
  timeout_ms?: number;
}

export interface PythonBlock {
  module: string;
  function: string;
  args?: Json[];
  kwargs?: JsonObject;
  venv?: string;
  cwd?: string;
  timeout_ms?: number;
}

export async function readDefinition({ definition }: DefinedTool, store: Store): Promise<ToolDefinition> {
  // the compiler wrote it, of a file that it had checked
  return JSON.parse(await store.getText(definition)) as ToolDefinition;
}
