import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../../src/activities/programs/programs.js';
import { refusalOf } from '../../../src/activities/programs/refusal.js';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';

const CLAUDE: JsonObject = {
  type: 'result',
  subtype: 'success',
  is_error: true,
  api_error_status: null,
  result: 'Not logged in · Please run /login',
};
const failed = (message: string): JsonObject => ({ type: 'turn.failed', error: { message } });

describe('how a program ended that could ask nobody, and one that was refused', () => {
  it.each<[ProgramName, { events?: JsonObject[]; said?: string; code: number }, type: string]>([
    ['claude', { events: [CLAUDE], code: 1 }, 'signed-out'],
    ['claude', { events: [{ ...CLAUDE, api_error_status: 401, result: 'Invalid API key' }], code: 1 }, 'key-refused'],
    ['codex', { events: [failed('Missing environment variable: `OPENAI_API_KEY`.')], code: 1 }, 'signed-out'],
    [
      'codex',
      {
        events: [failed('unexpected status 401 Unauthorized: Missing bearer or basic authentication in header')],
        code: 1,
      },
      'signed-out',
    ],
    ['codex', { events: [failed('unexpected status 401 Unauthorized: no such key')], code: 1 }, 'key-refused'],
    ['gemini', { said: 'Invalid auth method selected.', code: 41 }, 'signed-out'],
    [
      'gemini',
      {
        said: 'Please set an Auth method in your settings.json or specify one of the following environment variables',
        code: 41,
      },
      'signed-out',
    ],
    [
      'gemini',
      {
        events: [
          {
            type: 'result',
            status: 'error',
            error: { message: '[API Error: {"error":{"code":401,"message":"no such key"}}]' },
          },
        ],
        code: 145,
      },
      'key-refused',
    ],
  ])('%s %j is %s', (name, { events = [], said = '', code }, type) => {
    const reader = PROGRAM[name].reader(NO_USAGE);
    for (const event of events) reader.read(event);
    const outcome = reader.end({ code, signal: null }, said);
    if (outcome.kind === 'answer') throw new Error('This is no answer.');
    const failure = refusalOf(
      outcome,
      {
        program: name,
        model: null,
        price: { input: 1, output: 1, cache_read: null, cache_write_5m: null, cache_write_1h: null },
        max_tokens: 1,
      },
      10,
    );
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(failure.message.includes(PROGRAM[name].signIn)).toBe(type === 'signed-out');
    expect(/refuses the key/.test(failure.message)).toBe(type === 'key-refused');
  });
});
