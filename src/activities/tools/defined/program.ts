import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Json } from '../../../plan/values/json.js';
import { keyTwice } from '../../../plan/values/key-twice.js';
import type { DefinedTool } from '../../../plan/tools/tool.js';
import type { ToolContext } from '../handler/handler.js';
import type { Mask } from '../../values/mask-secrets.js';
import type { Program } from '../shell/program.js';
import { resolveLinks } from '../../workspace/open.js';
import { runProgram } from '../shell/program.js';
import type { CommandBlock, PythonBlock, ToolDefinition } from './definition.js';
import type { Values } from './fill.js';
import { FillRefusal, fill, fillArgument, fillText, withoutNul } from './fill.js';

const LIMIT_MS = 60_000;
/** JSON is of use as a whole only: what is taken of it is as much as of an answer on HTTP. */
const JSON_BYTES = 5 * 1024 * 1024;

/**
 * Calls a function and writes what it gives as JSON; what the function itself prints goes to stderr, and what programs
 * print that it starts. First of all it looks for no module in the folder that it runs in: an agent may have written
 * a `json.py` there, which would be given the tool's secrets and its network.
 */
const DRIVER = `import sys
sys.path[:] = [folder for folder in sys.path if folder]
import importlib, json, os
call = json.load(sys.stdin)
sys.path.insert(0, call["folder"])
out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
os.dup2(2, 1)
target = importlib.import_module(call["module"])
for name in call["function"].split("."):
    target = getattr(target, name)
json.dump(target(*call["args"], **call["kwargs"]), out, allow_nan=False)
out.close()
`;

/** One call of a defined tool. */
export interface ToolCall {
  tool: DefinedTool;
  definition: ToolDefinition;
  values: Values;
  context: ToolContext;
  /** Takes the tool's secrets out of a text: before any of it is cut, since half a secret is not found any more. */
  mask: Mask;
}

/** Runs the program of a tool of kind command, in the sandbox where there is one. */
export async function callCommand(
  { tool, definition, values, context, mask }: ToolCall,
  block: CommandBlock,
): Promise<{ text: string } | { value: Json }> {
  const folder = resolve(context.workspace, tool.folder);
  const own = join(folder, block.entrypoint);
  const argv = [
    tool.made !== true && existsSync(own) ? own : block.entrypoint,
    ...(block.args ?? []).map((word) => fillArgument(word, values)),
  ];
  const env = Object.fromEntries(
    Object.entries(block.env ?? {}).map(([name, value]) => [name, withoutNul(fillText(value, values))]),
  );
  const end = await runProgram(
    {
      argv,
      cwd: await folderOf(block.cwd, values, context.workspace),
      stdin: block.stdin === undefined ? null : fillText(block.stdin, values),
      timeoutMs: block.timeout_ms ?? LIMIT_MS,
      ...(definition.outputs.format === 'json' ? { shownBytes: JSON_BYTES } : {}),
      mask,
      network: isOpen(definition),
      ...trustOf(tool),
      env,
    },
    context,
  );
  if ('failure' in end) throw new FillRefusal(end.failure);
  const { exit_code: code, stdout, stderr } = end.output;
  if (!(block.exit_codes_ok ?? [0]).includes(code))
    throw new FillRefusal(`exit ${code}: ${stderr.trim() === '' ? stdout.trim() : stderr.trim()}`);
  return { text: stdout.replace(/\r?\n$/, '') };
}

/** Calls the function of a tool of kind python, in a Python of its own. */
export async function callPython(
  { tool, definition, values, context, mask }: ToolCall,
  block: PythonBlock,
): Promise<{ text: string } | { value: Json }> {
  const folder = resolve(context.workspace, tool.folder);
  const call = {
    folder,
    module: block.module,
    function: block.function,
    args: fill(block.args ?? [], values),
    kwargs: fill(block.kwargs ?? {}, values),
  };
  const end = await runProgram(
    {
      argv: [block.venv === undefined ? 'python3' : join(resolve(folder, block.venv), 'bin', 'python3'), '-c', DRIVER],
      cwd: await folderOf(block.cwd, values, context.workspace),
      stdin: JSON.stringify(call),
      timeoutMs: block.timeout_ms ?? LIMIT_MS,
      shownBytes: JSON_BYTES,
      mask,
      network: isOpen(definition),
      ...trustOf(tool),
    },
    context,
  );
  if ('failure' in end) throw new FillRefusal(end.failure);
  const { exit_code: code, stdout, stderr } = end.output;
  if (code !== 0) throw new FillRefusal(mask(stderr).trim().split('\n').slice(-3).join('\n') || `exit ${code}`);
  return { value: parsed(stdout) };
}

/** The driver writes JSON, unless the function ended it or gives too much; two keys of Python may be one there. */
function parsed(stdout: string): Json {
  let value: Json;
  try {
    value = JSON.parse(stdout) as Json; // JSON.parse gives JSON
  } catch {
    throw new FillRefusal(`The function gave no whole JSON of at most ${JSON_BYTES / 1024 / 1024} MiB.`);
  }
  const twice = keyTwice(stdout);
  if (twice !== null) throw new FillRefusal(`Expected the function to give JSON without ${twice}.`);
  return value;
}

/**
 * The folder that a tool runs in. Its file may say any; where a value of the call is part of it, that leads to none but
 * a folder of the workspace.
 */
async function folderOf(cwd: string | undefined, values: Values, workspace: string): Promise<string> {
  if (cwd === undefined) return workspace;
  const folder = resolve(workspace, withoutNul(fillText(cwd, values)));
  const shown = relative(workspace, folder) || '.';
  if (cwd.includes('${') && (await resolveLinks(workspace, shown)) === null)
    throw new FillRefusal(`Expected the tool's folder to be one of the workspace, got \`${shown}\`.`);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new FillRefusal(`Expected the tool's folder \`${shown}\` to be one; there is none.`);
  return folder;
}

/** What a person wrote runs like any command of a workflow where there is no sandbox; what a client made does not. */
function trustOf({ made }: DefinedTool): Pick<Program, 'sandbox' | 'authored'> {
  return made === true ? { sandbox: true } : { sandbox: false, authored: true };
}

/** A program cannot be held to hosts: it has the network or it has none. */
function isOpen({ permissions }: ToolDefinition): boolean {
  return permissions?.network === true || (Array.isArray(permissions?.network) && permissions.network.length > 0);
}
