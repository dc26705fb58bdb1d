import { describe, expect, it } from 'vitest';
import { hostVariables, mergeCredentials, providerVariables } from '../../src/workers/credentials.js';

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
      "one command's key for telemetry never goes to another command's address",
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_HEADERS: 'key=a' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b' },
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

  const config = {
    providers: { anthropic: { key: '${env.TEAM_KEY}' } },
    mcp: { notes: { command: ['notes'], env: { TOKEN: '${env.NOTES_TOKEN}', HOST: '${env.NOTES_HOST}' } } },
    notify: { webhook: '${env.HOOK}', secret: '${env.HOOK_SECRET}' },
    telemetry: { content: true },
  };

  it.each([
    ['a provider', { TEAM_KEY: 'a' }, { ANTHROPIC_BASE_URL: 'http://b' }],
    ['a provider, by the address of the first', { ANTHROPIC_BASE_URL: 'http://a' }, { TEAM_KEY: 'b' }],
    ['a server', { NOTES_TOKEN: 'a' }, { NOTES_HOST: 'b' }],
    ['a webhook', { HOOK_SECRET: 'a' }, { HOOK: 'http://b' }],
  ])('is of one command where a config names it for %s', (_what, first, second) => {
    const known = mergeCredentials({}, hostVariables({ ...first, OLLAMA_HOST: 'h' }, config));
    expect(known).toEqual({ ...first, OLLAMA_HOST: 'h' });
    expect(mergeCredentials(known, hostVariables(second, config))).toEqual({ ...second, OLLAMA_HOST: 'h' });
  });

  it('stays of telemetry where another command says only what its project wants', () => {
    const known = hostVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, config);
    expect(mergeCredentials(known, hostVariables({}, config))).toEqual(known);
  });

  it('is taken from provider variables and nothing else', () => {
    expect(providerVariables({ TEAM_KEY: 't', OTHER: 'o' }, ['TEAM_KEY'])).toEqual({ TEAM_KEY: 't' });
    expect(
      providerVariables({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: '', AWS_SECRET_ACCESS_KEY: 's', PATH: '/bin' }),
    ).toEqual({ ANTHROPIC_API_KEY: 'a' });
  });
});
