import { describe, expect, it } from 'vitest';
import {
  BUILD_MODEL,
  DEFAULT_MODEL,
  SHORT_NAMES,
  byDefault,
  defaultOf,
  fullModelName,
  wantedModel,
} from '../../../src/plan/agents/model-names.js';
import type { ModelOptions } from '../../../src/plan/agents/model-names.js';

const aliases = { quick: 'openai:gpt-5.5-mini', sonnet: 'ollama:qwen3' };

describe('the name of a model', () => {
  it('has a full one for each short one, and stays where it is none', () => {
    for (const name of SHORT_NAMES) expect(fullModelName(name)).toContain(`claude-${name}-`);
    expect(fullModelName('openai:gpt-5.5')).toBe('openai:gpt-5.5');
    expect(fullModelName('toString')).toBe('toString');
  });

  it.each<[string, string | null]>([
    ['', DEFAULT_MODEL],
    ['sonnet', null],
    ['default:opus', 'opus'],
    ['default:', null],
    ['my-default:opus', null],
    [BUILD_MODEL, 'claude-opus-4-6'],
  ])('%j gives way to a default, else it is %s', (name, otherwise) => {
    expect(defaultOf(name)).toBe(otherwise);
  });

  it.each<[string, ModelOptions, Record<string, string | undefined>, string]>([
    ['opus', { default: 'haiku' }, { CLAUDE_MODEL: 'fable' }, fullModelName('opus')],
    ['', {}, {}, fullModelName(DEFAULT_MODEL)],
    ['', {}, { CLAUDE_MODEL: 'fable' }, fullModelName('fable')],
    ['', {}, { CLAUDE_MODEL: '' }, fullModelName(DEFAULT_MODEL)],
    ['', { default: 'haiku' }, { CLAUDE_MODEL: 'fable' }, fullModelName('haiku')],
    ['', { default: null }, { CLAUDE_MODEL: 'fable' }, fullModelName('fable')],
    [byDefault('opus'), {}, {}, fullModelName('opus')],
    [byDefault('opus'), { default: 'haiku' }, {}, fullModelName('haiku')],
    ['quick', { aliases }, {}, 'openai:gpt-5.5-mini'],
    ['sonnet', { aliases }, {}, 'ollama:qwen3'],
    ['', { aliases, default: 'quick' }, {}, 'openai:gpt-5.5-mini'],
    ['constructor', { aliases }, {}, 'constructor'],
    ['other', {}, {}, 'other'],
  ])('%j, with %j and %j, stands for %4$s', (name, options, env, model) => {
    expect(wantedModel(name, options, env)).toBe(model);
  });
});
