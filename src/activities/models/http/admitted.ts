import { ApplicationFailure } from '@temporalio/common';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import type { Admission, Pass } from './admission.js';
import { ollamaUrl } from './ollama-address.js';
import type { CallContext, ModelProvider } from '../protocol/provider.js';
import { withoutKeys } from './without-keys.js';

export type Remote = Exclude<ModelChoice['provider'], 'rehearsal'>;

/** One's own machine has memory for one answer at a time, if nobody says more. */
const CONCURRENCY: Record<Remote, number | null> = { anthropic: null, ollama: 1, openai: null };

/** Wraps a provider: it is asked only when the limits of its address allow it (`admission.ts`). */
export function admitted(name: Remote, provider: ModelProvider, admit: Admission): ModelProvider {
  return {
    ...provider,
    async call(request, context) {
      const { signal, concurrency } = context;
      const pass = await admit({
        provider: lineOf(name, context),
        concurrency: concurrency ?? CONCURRENCY[name],
        signal,
      });
      try {
        context.onSent?.();
        const answer = await provider.call(request, {
          ...context,
          onAccepted: () => {
            pass.accept();
            context.onAccepted?.();
          },
        });
        pass.accept();
        pass.release();
        return answer;
      } catch (error) {
        await endOf(pass, error, context);
        throw error;
      }
    },
  };
}

/** The name of the line in which calls of a provider wait. */
export function lineOf(name: Remote, context: CallContext): string {
  return `${name} ${addressOf(name, context)}`;
}

/** A refusal that names a time holds for everybody, and is written down for them. */
async function endOf(pass: Pass, error: unknown, { credentials }: CallContext): Promise<void> {
  const afterMs = error instanceof ApplicationFailure ? pauseIn(error) : null;
  if (error instanceof ApplicationFailure && afterMs !== null)
    await pass.refuse(Date.now() + afterMs, withoutKeys(error.message, credentials));
  else pass.release();
}

function pauseIn({ type, nonRetryable, nextRetryDelay }: ApplicationFailure): number | null {
  const isPause = nonRetryable !== true && (type === 'rate-limited' || type === 'provider-error');
  return isPause && typeof nextRetryDelay === 'number' ? nextRetryDelay : null; // `stepFailure` sets numbers only
}

function addressOf(name: Remote, { baseUrl, credentials }: CallContext): string {
  switch (name) {
    case 'anthropic':
      return baseUrl ?? credentials['ANTHROPIC_BASE_URL'] ?? '';
    case 'ollama':
      return ollamaUrl(baseUrl ?? credentials['OLLAMA_HOST']);
    case 'openai':
      return baseUrl ?? credentials['OPENAI_BASE_URL'] ?? '';
  }
}
