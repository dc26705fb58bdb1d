import type { Effort } from '../../plan/names.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Usage } from '../models/protocol/provider.js';
import { isStrictSchema } from '../models/protocol/strict-schema.js';
import { statusIn } from './status.js';
import type { Invocation, Program, ProgramEvent, ProgramOutcome, ProgramReader, ProgramTask } from './program.js';
import { briefly, objectAt, textAt } from './stream.js';
import { toldUsage, tokensIn, usageSince } from './usage.js';
import { ownOf } from '../../plan/values/own.js';

/** How much its models think, in its words. */
const EFFORT: Record<Effort, string> = { low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'xhigh' };
/** What it says where it has no key: a provider of its configuration names a variable; OpenAI misses a header. */
const SIGNED_OUT = /Missing environment variable|Missing bearer/i;
const SCHEMA_FILE = 'schema.json';
/** Kinds of items that are a tool of its own, and where each tells what it does. */
const TOOLS: Record<string, string> = {
  command_execution: 'command',
  file_change: 'changes',
  mcp_tool_call: 'tool',
  web_search: 'query',
};

/** Codex, by `codex exec --json`. Facts are of version 0.169.0. */
export const codex: Program = {
  name: 'codex',
  install: 'npm install -g @openai/codex',
  signIn: 'Set OPENAI_API_KEY, or sign in once by `codex login`.',
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY'],
  homes: ['CODEX_HOME'],
  takesSessionId: false,
  invoke,
  reader: createReader,
};

/** `exec resume` has no flag for the sandbox; the configuration's name for it holds for both. */
function invoke(task: ProgramTask): Invocation {
  const { session, model, system, schema, access, scratch } = task;
  const writes = access.edit || access.commands.length > 0;
  // Others are asked for in the prompt alone.
  const isStrict = isStrictSchema(schema);
  const args = [
    'exec',
    ...(session.kind === 'resume' ? ['resume'] : []),
    '--json',
    '--skip-git-repo-check',
    ...(model === null ? [] : ['-m', model]),
    ...(task.effort === undefined ? [] : setting('model_reasoning_effort', EFFORT[task.effort])),
    ...setting('sandbox_mode', writes ? 'workspace-write' : 'read-only'),
    ...setting('approval_policy', 'never'),
    ...setting('web_search', access.web ? 'live' : 'disabled'),
    ...(system === '' ? [] : setting('developer_instructions', system)),
    ...(isStrict ? ['--output-schema', `${scratch}/${SCHEMA_FILE}`] : []),
    ...(session.kind === 'resume' ? [session.id] : []),
    '-',
  ];
  return {
    args,
    stdin: task.prompt,
    env: {},
    ...(isStrict ? { files: { [SCHEMA_FILE]: JSON.stringify(schema) } } : {}),
  };
}

/** A value of its configuration, as TOML: JSON's strings are TOML's. */
function setting(name: string, value: string): string[] {
  return ['-c', `${name}=${JSON.stringify(value)}`];
}

/** `before` is what the thread had used: Codex reports what it has used in all. */
function createReader(before: Usage): ProgramReader {
  let answer: string | null = null;
  let usage: Usage | null = null;
  let refusal: string | null = null;
  let isDone = false;
  const begun = new Set<string>();

  /** An item of a tool comes when it begins, and again when it ends. */
  function readItem(item: JsonObject, isEnd: boolean): ProgramEvent[] {
    const type = textAt(item, 'type');
    if (type === 'agent_message' && isEnd) {
      answer = textAt(item, 'text');
      return [{ kind: 'text', text: `${answer}\n` }];
    }
    if (type === 'error' && isEnd) return [{ kind: 'note', text: textAt(item, 'message') }];
    const field = ownOf(TOOLS, type);
    const id = textAt(item, 'id');
    if (field === undefined || begun.has(id)) return [];
    begun.add(id);
    return [
      { kind: 'turn', usage: null },
      { kind: 'tool', name: type, about: briefly(item[field] ?? null) },
    ];
  }

  return {
    read(event) {
      switch (event['type']) {
        case 'thread.started':
          return [{ kind: 'session', id: textAt(event, 'thread_id') }];
        case 'item.started':
          return readItem(objectAt(event, 'item'), false);
        case 'item.completed':
          return readItem(objectAt(event, 'item'), true);
        case 'turn.completed':
          isDone = true;
          usage = since(before, toldUsage(usageIn(objectAt(event, 'usage'))));
          return [{ kind: 'turn', usage: null }, { kind: 'result' }];
        case 'turn.failed':
          refusal = textAt(objectAt(event, 'error'), 'message');
          return [{ kind: 'result' }];
        case 'error':
          // Also said when it is about to connect again: final only with `turn.failed`.
          return [{ kind: 'note', text: textAt(event, 'message') }];
        default:
          return [];
      }
    },
    end({ code, signal }, said): ProgramOutcome {
      const spent = { usage, usd: null };
      if (refusal !== null && SIGNED_OUT.test(refusal)) return { kind: 'signed-out', message: refusal, ...spent };
      if (refusal !== null)
        return { kind: 'refused', status: statusIn(refusal), message: refusal, afterMs: null, ...spent };
      if (isDone && code === 0 && answer !== null) return { kind: 'answer', text: answer, model: null, ...spent };
      if (/no rollout found/i.test(said)) return { kind: 'session-lost', ...spent };
      return {
        kind: 'failed',
        message: `Codex ended without an answer (${signal ?? `exit ${String(code)}`})${said === '' ? '' : `: ${said}`}`,
        ...spent,
      };
    },
  };
}

function since(before: Usage, now: Usage | null): Usage | null {
  return now === null ? null : usageSince(before, now);
}

/** Its input counts what came from the cache; its output counts reasoning. */
function usageIn(usage: JsonObject): Usage {
  const cached = tokensIn(usage, 'cached_input_tokens');
  const written = tokensIn(usage, 'cache_write_input_tokens');
  return {
    input: Math.max(0, tokensIn(usage, 'input_tokens') - cached - written),
    output: tokensIn(usage, 'output_tokens'),
    cache_read: cached,
    cache_write_5m: written,
    cache_write_1h: 0,
  };
}
