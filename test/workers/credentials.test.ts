import { describe, expect, it } from 'vitest';
import { mergeCredentials, providerVariables } from '../../src/workers/credentials.js';

describe('what a host knows of providers', () => {
  it.each([
    ['nothing new leaves what is known', { ANTHROPIC_API_KEY: 'a' }, {}, { ANTHROPIC_API_KEY: 'a' }],
    [
      'a new key replaces the old one',
      { ANTHROPIC_API_KEY: 'a' },
      { ANTHROPIC_API_KEY: 'b' },
      { ANTHROPIC_API_KEY: 'b' },
    ],
    [
      'another provider is added',
      { ANTHROPIC_API_KEY: 'a' },
      { OLLAMA_HOST: 'h' },
      { ANTHROPIC_API_KEY: 'a', OLLAMA_HOST: 'h' },
    ],
    [
      "one command's key never goes to another command's address",
      { ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://x' },
      { ANTHROPIC_API_KEY: 'b' },
      { ANTHROPIC_API_KEY: 'b' },
    ],
    [
      'variables that only a config names are each for themselves',
      { TEAM_A: 'a', TEAM_B: 'b' },
      { TEAM_A: 'c' },
      { TEAM_A: 'c', TEAM_B: 'b' },
    ],
  ])('%s', (_, known, given, expected) => {
    expect(mergeCredentials(known, given)).toEqual(expected);
  });

  it('is taken from provider variables and nothing else', () => {
    expect(providerVariables({ TEAM_KEY: 't', OTHER: 'o' }, ['TEAM_KEY'])).toEqual({ TEAM_KEY: 't' });
    expect(
      providerVariables({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: '', AWS_SECRET_ACCESS_KEY: 's', PATH: '/bin' }),
    ).toEqual({ ANTHROPIC_API_KEY: 'a' });
  });
});
