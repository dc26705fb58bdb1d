import type { JsonObject } from '../../plan/values/json.js';
import type { Access } from '../../plan/agents/program-access.js';
import { runsAnything } from '../../plan/agents/program-access.js';
import type { Usage } from '../models/protocol/provider.js';
import { NO_USAGE } from '../models/protocol/provider.js';
import type { ProcessEnd } from '../processes/started-process.js';
import type { Invocation, Program, ProgramOutcome, ProgramReader, ProgramTask } from './program.js';
import { statusIn } from './status.js';
import { briefly, objectAt, textAt } from './stream.js';
import { addUsage, toldUsage, tokensIn } from './usage.js';

/** Exit codes of its own, beside 1; 53 is its limit of turns. Of a refused call it is the status's last eight bits. */
const EXIT = { auth: 41, turns: 53 } as const;

/** Gemini CLI, by `gemini -o stream-json`. Facts are of version 0.61.0. */
export const gemini: Program = {
  name: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  signIn:
    'Set GEMINI_API_KEY, or choose how to sign in once by `gemini` itself; where GOOGLE_GEMINI_BASE_URL is set, ' +
    'it also needs `security.auth.selectedType: "gemini-api-key"` in its settings.json.',
  credentials: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_GENAI_USE_GCA',
  ],
  homes: ['GEMINI_CLI_HOME', 'GOOGLE_APPLICATION_CREDENTIALS'],
  variableFiles: ['.gemini/.env', '.env'],
  takesSessionId: true,
  invoke,
  reader: createReader,
};

/**
 * It has no flag for an instruction: that stands before the prompt. An empty `-p` makes it read the prompt and not ask.
 */
function invoke({ session, model, system, prompt, access }: ProgramTask): Invocation {
  const args = [
    '-o',
    'stream-json',
    '--skip-trust',
    '-p',
    '',
    session.kind === 'start' ? '--session-id' : '--resume',
    session.id,
    ...(model === null ? [] : ['-m', model]),
    '--approval-mode',
    access.edit ? 'auto_edit' : 'default',
    ...allowed(access).flatMap((tool) => ['--allowed-tools', tool]),
  ];
  return { args, stdin: system === '' ? prompt : `${system}\n\n${prompt}`, env: { NO_COLOR: '1' } };
}

/** Tools that it may use unasked; what would have to be asked for is denied, because nobody is there. */
function allowed(access: Access): string[] {
  const commands = runsAnything(access)
    ? ['run_shell_command']
    : access.commands.map((pattern) => `run_shell_command(${pattern.replace(/\s*\*$/, '')})`);
  return [...commands, ...(access.web ? ['google_web_search', 'web_fetch'] : [])];
}

function createReader(): ProgramReader {
  let text = '';
  let result: JsonObject | null = null;
  return {
    read(event) {
      switch (event['type']) {
        case 'init':
          return [
            { kind: 'session', id: textAt(event, 'session_id') },
            { kind: 'note', text: `gemini, ${textAt(event, 'model')}` },
          ];
        case 'message':
          if (event['role'] !== 'assistant') return [];
          text += textAt(event, 'content');
          return [{ kind: 'text', text: textAt(event, 'content') }];
        case 'tool_use':
          // What it says before it uses a tool is no part of its answer.
          text = '';
          return [
            { kind: 'turn', usage: null },
            { kind: 'tool', name: textAt(event, 'tool_name'), about: briefly(event['parameters'] ?? null) },
          ];
        case 'tool_result':
          return event['status'] === 'error'
            ? [{ kind: 'note', text: `tool failed: ${briefly(event['output'] ?? event['error'] ?? null)}` }]
            : [];
        case 'error':
          return [{ kind: 'note', text: textAt(event, 'message') }];
        case 'result':
          result = event;
          return [{ kind: 'result' }];
        default:
          return [];
      }
    },
    // It would ask again for minutes; Temporal does that, visibly (decision 13).
    hear: (line) =>
      /^Attempt \d+ failed with status 429\b/.test(line)
        ? { kind: 'refused', status: 429, message: briefly(line), afterMs: null, usage: null, usd: null }
        : null,
    end: (end, said) => outcomeOf(result, text, end, said),
  };
}

function outcomeOf(
  result: JsonObject | null,
  text: string,
  { code, signal }: ProcessEnd,
  said: string,
): ProgramOutcome {
  const stats = objectAt(result ?? {}, 'stats');
  const spent = { usage: toldUsage(usageIn(stats)), usd: null };
  if (result?.['status'] === 'success' && code === 0)
    return { kind: 'answer', text, model: mainModel(stats), ...spent };
  const message = textAt(objectAt(result ?? {}, 'error'), 'message') || said;
  if (code === EXIT.turns) return { kind: 'turns-exceeded', ...spent };
  if (/Invalid session identifier|No previous sessions found|Error resuming session/i.test(said))
    return { kind: 'session-lost', ...spent };
  const status = statusIn(message);
  if (status !== null) return { kind: 'refused', status, message, afterMs: null, ...spent };
  // It says so before it asks anybody: `Invalid auth method selected.`, `you must specify the GEMINI_API_KEY
  // environment variable`.
  if (code === EXIT.auth) return { kind: 'signed-out', message, ...spent };
  return {
    kind: 'failed',
    message:
      `Gemini CLI ended without an answer ` +
      `(${signal ?? `exit ${String(code)}`})${message === '' ? '' : `: ${message}`}`,
    ...spent,
  };
}

/** Its thoughts are in the total alone, and are paid as output. */
function usageIn(stats: JsonObject): Usage {
  const models = Object.values(objectAt(stats, 'models'));
  const all = models.length === 0 ? [stats] : models;
  return all
    .map((model) => {
      const asked = tokensIn(model, 'input_tokens');
      const cached = Math.min(asked, tokensIn(model, 'cached'));
      return {
        input: asked - cached,
        output: Math.max(tokensIn(model, 'output_tokens'), tokensIn(model, 'total_tokens') - asked),
        cache_read: cached,
        cache_write_5m: 0,
        cache_write_1h: 0,
      };
    })
    .reduce(addUsage, NO_USAGE);
}

function mainModel(stats: JsonObject): string | null {
  const models = Object.entries(objectAt(stats, 'models')).sort(
    ([, a], [, b]) => tokensIn(b, 'output_tokens') - tokensIn(a, 'output_tokens'),
  );
  return models[0]?.[0] ?? null;
}
