import { describe, expect, it } from 'vitest';
import type { ProgramChoice, ProgramName, ProgramSettings } from '../../../src/plan/agents/program.js';
import {
  isOpenToPrograms,
  isProgram,
  programAddress,
  programKey,
  programOf,
  unlimitable,
  writtenModel,
} from '../../../src/plan/agents/program.js';
import type { Agent } from '../../../src/plan/step.js';
import { FILES, PERMISSIONS, agent, agentStep } from '../../workflows/helpers/conversing.js';

const choice = (program: ProgramName, model: string | null = null): ProgramChoice => ({
  program,
  model,
  price: { input: 1, output: 1, cache_read: null, cache_write_5m: null, cache_write_1h: null },
  max_tokens: 100,
});
const choices = {
  claude: choice('claude'),
  codex: choice('codex'),
  'codex gpt-5.5': choice('codex', 'gpt-5.5'),
};
const settings: ProgramSettings = { choices, usual: 'claude', steps: { '/3': 'codex' } };
const step = agentStep(0);

describe('programs', () => {
  it('are known by their names', () => {
    for (const name of ['claude', 'codex', 'gemini']) expect(isProgram(name)).toBe(true);
    for (const name of ['', 'Claude', 'cat']) expect(isProgram(name)).toBe(false);
    expect(programKey('codex', '')).toBe('codex');
    expect(programKey('codex', 'gpt-5.5')).toBe('codex gpt-5.5');
  });

  it('name steps by nested Plan and place', () => {
    expect(programAddress(null, 3)).toBe('/3');
    expect(programAddress('sha256:a', [3, 0, 2])).toBe('sha256:a/3.0.2');
  });

  it('get the model of the step, else that of its agent', () => {
    expect(writtenModel({ model: 'a' }, { model: 'b' })).toBe('a');
    expect(writtenModel({ model: null }, { model: 'b' })).toBe('b');
    expect(writtenModel({ model: null }, { model: null })).toBe('');
    expect(writtenModel({ model: null }, undefined)).toBe('');
  });
});

describe('a program plays', () => {
  it.each<[string, Partial<Agent>, string | null, boolean]>([
    ['who names nothing', {}, null, true],
    ['a model by its name', { model: 'sonnet' }, null, true],
    ['a model of a provider', { model: 'anthropic:sonnet' }, null, false],
    ['a model of a provider by the step', {}, 'ollama:qwen3', false],
    ['a name that has a provider in it', { model: 'my-openai:x' }, null, true],
    ['a server of its own', { base_url: 'http://localhost' }, null, false],
  ])('%s: %4$s', (_, fields, model, may) => {
    expect(isOpenToPrograms({ model }, agent(fields))).toBe(may);
    expect(programOf(settings, { ...step, model }, agent(fields), '/0') !== null).toBe(may);
  });

  it('where its agent names it, before any other', () => {
    expect(programOf(settings, step, agent({ program: 'codex' }), '/0')).toBe(choices.codex);
    expect(programOf(settings, step, agent({ program: 'codex', model: 'gpt-5.5' }), '/0')).toBe(
      choices['codex gpt-5.5'],
    );
    expect(programOf(settings, step, agent({ program: 'codex', model: 'anthropic:x' }), '/0')).toBe(choices.codex);
    expect(programOf(settings, step, agent({ program: 'other' }), '/0')).toBe(choices.claude);
  });

  it('where it is better for the step, else the usual one, else none', () => {
    expect(programOf(settings, step, agent(), '/3')).toBe(choices.codex);
    expect(programOf(settings, step, agent(), '/4')).toBe(choices.claude);
    expect(programOf(settings, step, undefined, '/4')).toBe(choices.claude);
    expect(programOf({ choices }, step, agent(), '/4')).toBeNull();
    expect(programOf(undefined, step, agent({ program: 'codex' }), '/4')).toBeNull();
  });

  it('only with a model that was chosen for it', () => {
    expect(() => programOf({ choices }, step, agent({ program: 'gemini' }), '/0')).toThrow(/no model .*`gemini`/);
  });

  it.each<[string, Partial<Agent>, RegExp]>([
    ['its writable paths', { permissions: { ...PERMISSIONS, writable: ['src'] } }, /`writable`/],
    [
      'the folder of its tools',
      { uses: [{ kind: 'builtin', name: 'read_file', root: 'docs' }] },
      /folder of its toolset/,
    ],
    ['a person who is asked', { permissions: { ...PERMISSIONS, denial: 'stop' } }, /ask a person about/],
    ['its hooks', { hooks: [] }, /its hooks/],
  ])('no agent that is held to %s', (_, fields, what) => {
    const held = agent(fields);
    expect(unlimitable('claude', held)).toMatch(what);
    expect(unlimitable('claude', held)).toMatch(/^`claude` cannot play the agent `worker`: .* Give the agent a model/);
    expect(() => programOf(settings, step, held, '/0')).toThrow(what);
    expect(programOf(settings, { ...step, model: 'anthropic:x' }, held, '/0')).toBeNull();
  });

  it('an agent that nothing holds', () => {
    expect(unlimitable('claude', agent({ uses: FILES }))).toBeNull();
    const { uses: _uses, permissions: _permissions, ...bare } = agent();
    expect(unlimitable('claude', bare)).toBeNull();
    const maker = { kind: 'maker', name: 'agent_create', root: 'docs' } as const;
    expect(unlimitable('claude', agent({ uses: [maker] }))).toBeNull();
  });
});
