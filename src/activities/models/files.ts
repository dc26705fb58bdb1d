import type { ModelChoice } from '../../plan/agents/model-choice.js';

/** Tells whether models of a provider are shown PDF and images as they are. */
export function takesFiles(provider: ModelChoice['provider']): boolean {
  return provider === 'anthropic' || provider === 'rehearsal';
}

/** What is told where they are not; `player` is a model with its provider, or a program. */
export function unreadableBy(file: string, player: string): string {
  return (
    `The attachment \`${file}\` is no text, and \`${player}\` is not shown such files. Give the agent a Claude ` +
    'model (`model: anthropic:sonnet`), or attach a text.'
  );
}
