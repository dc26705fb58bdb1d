import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Access } from '../../plan/agents/program-access.js';
import { runsAnything } from '../../plan/agents/program-access.js';
import type { Usage } from '../models/protocol/provider.js';
import { NO_USAGE } from '../models/protocol/provider.js';
import type { ProcessEnd } from '../processes/started-process.js';
import type { Invocation, Program, ProgramEvent, ProgramOutcome, ProgramReader, ProgramTask } from './program.js';
import { briefly, objectAt, objectsIn, textAt } from './stream.js';
import { addUsage, toldUsage, tokensIn } from './usage.js';

/** It asks its provider again so often by itself; beyond that Temporal does, visibly (decision 13). */
const OWN_RETRIES = '1';
/** No process costs more; sums of so much are still exact. */
const MOST_USD = 1e6;

/** Claude Code, by `claude -p --output-format stream-json`. Facts are of version 2.1.197. */
export const claude: Program = {
  name: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  signIn: 'Set ANTHROPIC_API_KEY, or sign in once by `claude` and its `/login`.',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
  homes: ['CLAUDE_CONFIG_DIR'],
  takesSessionId: true,
  invoke,
  reader: createReader,
};

function invoke(task: ProgramTask): Invocation {
  const { session, model, system, usd } = task;
  const args = [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    '--max-turns',
    String(task.maxTurns),
    session.kind === 'start' ? '--session-id' : '--resume',
    session.id,
    ...(model === null ? [] : ['--model', model]),
    ...(system === '' ? [] : ['--append-system-prompt', system]),
    ...(task.effort === undefined ? [] : ['--effort', task.effort]),
    ...(usd === null ? [] : ['--max-budget-usd', String(usd)]),
    ...(takesSchema(task.schema) ? ['--json-schema', JSON.stringify(task.schema)] : []),
    ...accessArgs(task.access),
  ];
  return {
    args,
    stdin: task.prompt,
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_MAX_RETRIES: OWN_RETRIES,
    },
  };
}

/** The schema becomes that of a tool, which is one of an object. */
function takesSchema(schema: Json): boolean {
  return isObject(schema) && schema['type'] === 'object';
}

/**
 * Only these tools are there; of them, reading below the folder needs no leave. In `acceptEdits` edits below it need
 * none either; everything else that is not allowed by name is denied, because nobody is there to ask.
 */
function accessArgs(access: Access): string[] {
  const denied = access.denied ?? [];
  const isLeft = (tool: string): boolean => !denied.includes(tool);
  const tools = [
    'Read',
    'Glob',
    'Grep',
    ...(access.edit ? ['Edit', 'Write', 'NotebookEdit'] : []),
    ...(access.commands.length > 0 ? ['Bash'] : []),
    ...(access.web ? ['WebSearch', 'WebFetch'] : []),
  ].filter(isLeft);
  const commands = runsAnything(access) ? ['Bash'] : access.commands.map((pattern) => `Bash(${pattern})`);
  const allowed = [...commands, ...(access.web ? ['WebSearch', 'WebFetch'].filter(isLeft) : [])];
  return [
    '--tools',
    tools.join(','),
    '--permission-mode',
    access.edit ? 'acceptEdits' : 'default',
    ...(denied.length === 0 ? [] : ['--disallowedTools', ...denied]),
    ...(allowed.length === 0 ? [] : ['--allowedTools', ...allowed]),
  ];
}

function createReader(): ProgramReader {
  let result: JsonObject | null = null;
  let retryMs: number | null = null;
  let lastMessage = '';
  let seen = NO_USAGE;

  function readSystem(event: JsonObject): ProgramEvent[] {
    if (event['subtype'] === 'init')
      return [
        { kind: 'session', id: textAt(event, 'session_id') },
        { kind: 'note', text: `claude ${textAt(event, 'claude_code_version')}, ${textAt(event, 'model')}` },
      ];
    if (event['subtype'] !== 'api_retry') return [];
    retryMs = tokensIn(event, 'retry_delay_ms');
    return [
      {
        kind: 'note',
        text: `the provider refused (${textAt(event, 'error')}); asked again in ${Math.ceil(retryMs / 1000)} s`,
      },
    ];
  }

  /**
   * One message comes in several events, one for each block. Those of its own agents are no turns of the conversation.
   */
  function readAssistant(event: JsonObject): ProgramEvent[] {
    const message = objectAt(event, 'message');
    const id = textAt(message, 'id');
    const isNew = id !== lastMessage && event['parent_tool_use_id'] === null && message['model'] !== '<synthetic>';
    lastMessage = isNew ? id : lastMessage;
    const turn: ProgramEvent[] = isNew ? [{ kind: 'turn', usage: usageIn(objectAt(message, 'usage')) }] : [];
    for (const event of turn) if (event.kind === 'turn' && event.usage !== null) seen = addUsage(seen, event.usage);
    const tools = objectsIn(message['content']).filter(
      (block) => block['type'] === 'tool_use' && block['name'] !== 'StructuredOutput',
    );
    return [
      ...turn,
      ...tools.map((block): ProgramEvent => ({
        kind: 'tool',
        name: textAt(block, 'name'),
        about: briefly(block['input'] ?? null),
      })),
    ];
  }

  function readPart(event: JsonObject): ProgramEvent[] {
    const delta = objectAt(objectAt(event, 'event'), 'delta');
    return event['parent_tool_use_id'] === null && delta['type'] === 'text_delta'
      ? [{ kind: 'text', text: textAt(delta, 'text') }]
      : [];
  }

  return {
    read(event) {
      switch (event['type']) {
        case 'system':
          return readSystem(event);
        case 'stream_event':
          return readPart(event);
        case 'assistant':
          return readAssistant(event);
        case 'user':
          return objectsIn(objectAt(event, 'message')['content'])
            .filter((block) => block['is_error'] === true)
            .map((block) => ({ kind: 'note', text: `tool failed: ${briefly(block['content'] ?? null)}` }));
        case 'result':
          result = event;
          return [{ kind: 'result' }];
        default:
          return [];
      }
    },
    end: (end, said) => (result === null ? withoutResult(end, said, seen) : outcomeOf(result, retryMs, seen)),
  };
}

function withoutResult({ code, signal }: ProcessEnd, said: string, usage: Usage): ProgramOutcome {
  if (/No conversation found with session ID/.test(said)) return { kind: 'session-lost', usage, usd: null };
  const end = signal ?? `exit ${String(code)}`;
  return {
    kind: 'failed',
    message: `Claude Code ended without a result (${end})${said === '' ? '' : `: ${said}`}`,
    usage: toldUsage(usage),
    usd: null,
  };
}

/**
 * `is_error` tells whether it went well, and `subtype` only sometimes: a refused call is a `success` with `is_error`.
 * Where it tells no tokens, those of its messages count.
 */
function outcomeOf(result: JsonObject, retryMs: number | null, seen: Usage): ProgramOutcome {
  const spent = { usage: toldUsage(totalUsage(result)) ?? toldUsage(seen), usd: costIn(result) };
  const subtype = textAt(result, 'subtype');
  const said = [textAt(result, 'result'), ...(Array.isArray(result['errors']) ? result['errors'].map(String) : [])]
    .filter((text) => text !== '')
    .join('; ');
  if (subtype === 'error_max_turns') return { kind: 'turns-exceeded', ...spent };
  if (subtype === 'error_max_structured_output_retries') return { kind: 'schema-unmet', message: said, ...spent };
  if (subtype === 'error_max_budget_usd') return { kind: 'budget-spent', ...spent };
  if (/No conversation found with session ID/.test(said)) return { kind: 'session-lost', ...spent };
  if (result['is_error'] === true || subtype !== 'success') {
    const status = result['api_error_status'];
    if (typeof status === 'number') return { kind: 'refused', status, message: said, afterMs: retryMs, ...spent };
    if (/^Not logged in\b/.test(said)) return { kind: 'signed-out', message: said, ...spent };
    return { kind: 'failed', message: `Claude Code failed (${subtype})${said === '' ? '' : `: ${said}`}`, ...spent };
  }
  const structured = result['structured_output'];
  return {
    kind: 'answer',
    text: structured === undefined || structured === null ? said : JSON.stringify(structured),
    model: mainModel(result),
    ...spent,
  };
}

/** What it says that it cost; null where it says nothing, or what cannot be. */
function costIn({ total_cost_usd: cost }: JsonObject): number | null {
  return typeof cost === 'number' && cost >= 0 && cost <= MOST_USD ? cost : null;
}

/** Of all models that it used: its agents', and the small one for its own purposes. */
function totalUsage(result: JsonObject): Usage {
  const all = Object.values(objectAt(result, 'modelUsage'));
  if (all.length === 0) return usageIn(objectAt(result, 'usage'));
  const total = all
    .map((model) => ({
      input: tokensIn(model, 'inputTokens'),
      output: tokensIn(model, 'outputTokens'),
      cache_read: tokensIn(model, 'cacheReadInputTokens'),
      cache_write_5m: tokensIn(model, 'cacheCreationInputTokens'),
      cache_write_1h: 0,
    }))
    .reduce(addUsage, NO_USAGE);
  const hour = Math.min(
    total.cache_write_5m,
    tokensIn(objectAt(objectAt(result, 'usage'), 'cache_creation'), 'ephemeral_1h_input_tokens'),
  );
  return { ...total, cache_write_5m: total.cache_write_5m - hour, cache_write_1h: hour };
}

function usageIn(usage: JsonObject): Usage {
  return {
    input: tokensIn(usage, 'input_tokens'),
    output: tokensIn(usage, 'output_tokens'),
    cache_read: tokensIn(usage, 'cache_read_input_tokens'),
    cache_write_5m: tokensIn(usage, 'cache_creation_input_tokens'),
    cache_write_1h: 0,
  };
}

/** The model that said most. */
function mainModel(result: JsonObject): string | null {
  const models = Object.entries(objectAt(result, 'modelUsage')).sort(
    ([, a], [, b]) => tokensIn(b, 'outputTokens') - tokensIn(a, 'outputTokens'),
  );
  return models[0]?.[0] ?? null;
}
