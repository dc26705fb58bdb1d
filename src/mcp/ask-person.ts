import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { safeText } from '../cli/text/safe-text.js';
import type { ToolCall } from './tool.js';

/** What the person at a client says: it is to be asked first, or they have agreed, or not. */
export type Asked = { kind: 'ask'; question: InputRequiredResult } | { kind: 'agreed' } | { kind: 'refused' };

/** What is put before a person. */
export interface Question {
  /** Names what is shown: an answer to anything else is none. */
  key: string;
  message: string;
  /** The box that they tick. */
  agree: string;
}

/** A foreign text whose lines pass for nothing else that is put before a person. */
export function marked(text: string): string {
  return safeText(text)
    .split('\n')
    .map((line) => `│ ${line}`)
    .join('\n');
}

/**
 * Puts something before the person at the client, or gives what they have answered: the same call comes again with it.
 * Only for a client that can ask.
 */
export function askPerson({ key, message, agree }: Question, { answers }: Pick<ToolCall, 'answers'>): Asked {
  const answered = inputResponse(answers, key);
  if (answered.kind === 'elicit')
    return answered.action === 'accept' && answered.content?.['decide'] === true
      ? { kind: 'agreed' }
      : { kind: 'refused' };
  return {
    kind: 'ask',
    question: inputRequired({
      inputRequests: {
        [key]: inputRequired.elicit({
          message,
          requestedSchema: z.object({ decide: z.boolean().describe(agree) }),
        }),
      },
    }),
  };
}
