import { describe, expect, it } from 'vitest';
import { brief } from '../helpers/temporary-project.js';
import { chainOf, ASK, COUNT, MODELS, compile, found } from '../helpers/chain-compile.js';

describe('a chain with faults', () => {
  it.each<[string, unknown, string]>([
    [
      'a number used twice',
      chainOf(ASK, { ...COUNT, step: 1 }),
      'duplicate-name <1> This is a duplicate step number: 1',
    ],
    [
      'an input nobody writes',
      chainOf({ ...ASK, inputs: ['request'] }),
      'unknown-variable <"request"> Chain step 1 references unknown input \'request\'.',
    ],
    [
      'an input written later',
      chainOf({ ...ASK, inputs: ['words'] }, COUNT),
      'unknown-variable <"words"> Chain step 1 references unknown input \'words\'.',
    ],
    [
      'its own output as input',
      chainOf({ ...ASK, inputs: ['gist'] }),
      'unknown-variable <"gist"> Chain step 1 references unknown input \'gist\'.',
    ],
    [
      'an unknown variable in a prompt',
      chainOf({ ...ASK, systemPrompt: 'x {{ foo }}' }),
      'unknown-variable <{{ foo }}> Chain step 1 uses an unknown variable: foo',
    ],
    [
      'an unknown variable in a command',
      chainOf(ASK, { ...COUNT, command: ['echo', 'a', '{{foo}}'] }),
      'unknown-variable <{{foo}}> Chain step 2 uses an unknown variable: foo',
    ],
    [
      'an unknown model',
      chainOf({ ...ASK, modelRef: 'big' }),
      'unknown-model <"big"> Chain step 1 references unknown modelRef \'big\'.',
    ],
    [
      'no model',
      chainOf({ ...ASK, modelRef: undefined }),
      'missing-key <"step"> Chain step 1 missing model or modelRef for LLM step: `modelRef` may be `small`.',
    ],
    [
      'both kinds of model',
      chainOf({ ...ASK, model: { provider: 'ollama', model: 'x' } }),
      'conflicting-keys <"model"> Chain step 1 has both `modelRef` and `model`.',
    ],
    [
      'neither prompt nor command',
      chainOf({ ...ASK, systemPrompt: undefined }),
      'step-kind <"step"> Chain step 1 has neither `systemPrompt` nor `command`.',
    ],
    [
      'both prompt and command',
      chainOf({ ...ASK, command: ['wc'] }),
      'step-kind <[> Chain step 1 has both `systemPrompt` and `command`.',
    ],
    [
      'a command with a model',
      chainOf(ASK, { ...COUNT, modelRef: 'small' }),
      'conflicting-keys <"small"> Chain step 2 is a command, which no model runs.',
    ],
    [
      'an output of that name',
      chainOf({ ...ASK, outputs: { userRequest: 'string' } }),
      'reserved-name <"userRequest"> `userRequest` is what the chain is asked; an output needs another name.',
    ],
    ['no output', chainOf({ ...ASK, outputs: {} }), 'invalid-value <{}> Expected one output, got none.'],
    [
      'two outputs',
      chainOf({ ...ASK, outputs: { a: 'string', b: 'string' } }),
      'invalid-value <"b"> Expected one output, got 2.',
    ],
    [
      'an output of another type',
      chainOf({ ...ASK, outputs: { a: 'boolean' } }),
      'invalid-value <"boolean"> Expected string or number, got `boolean`.',
    ],
    [
      'an output that is no name',
      chainOf({ ...ASK, outputs: { 'a-b': 'string' } }),
      'invalid-name <"a-b"> Expected a name: a letter or `_`, then letters, digits or `_`; got `a-b`.',
    ],
    [
      'step 0',
      chainOf({ ...ASK, step: 0 }),
      'invalid-value <0> Expected a whole number of at least 1, got `0` (number).',
    ],
    [
      'step 1.5',
      chainOf({ ...ASK, step: 1.5 }),
      'invalid-value <1.5> Expected a whole number of at least 1, got `1.5` (number).',
    ],
    [
      'a step that is a text',
      chainOf({ ...ASK, step: '1' }),
      'invalid-value <"1"> Expected a whole number of at least 1, got the text `1`.',
    ],
    [
      'no number',
      chainOf({ ...ASK, step: undefined }),
      'missing-key <"inputs"> Expected `step`: a whole number of at least 1.',
    ],
    [
      'no inputs',
      chainOf({ ...ASK, inputs: [] }),
      'invalid-value <[]> Expected at least one variable, got an empty list.',
    ],
    ['no steps', { models: MODELS, steps: [] }, 'invalid-value <[]> Expected at least one step, got an empty list.'],
    [
      'an unknown key',
      chainOf({ ...ASK, temprature: 0 }),
      'unknown-key <"temprature"> There is no key `temprature` here.',
    ],
    [
      'an unknown key at the top',
      { ...chainOf(ASK), title: 'x' },
      'unknown-key <"title"> There is no key `title` here.',
    ],
    [
      'another provider',
      { models: [{ name: 'small', provider: 'gemini', model: 'x' }], steps: [ASK] },
      'invalid-value <"gemini"> Expected one of ollama, anthropic, openai, got `gemini`.',
    ],
    [
      'an address that is none',
      { models: [{ ...MODELS[0], baseUrl: 'localhost' }], steps: [ASK] },
      'invalid-value <"localhost"> Expected an http or https address, got `localhost`.',
    ],
    [
      'two models of one name',
      { models: [...MODELS, ...MODELS], steps: [ASK] },
      'duplicate-name <"small"> There is a model `small` already.',
    ],
    [
      'a parameter that is none',
      { models: [{ ...MODELS[0], params: { stream: false } }], steps: [ASK] },
      'reserved-name <"stream"> `stream` is no setting of a model: what is asked follows from the chain.',
    ],
    [
      'a command that is a text',
      chainOf(ASK, { ...COUNT, command: 'wc -w' }),
      'invalid-value <"wc -w"> Expected a list, got `wc -w`.',
    ],
    [
      'a program and its arguments in one',
      chainOf(ASK, { ...COUNT, command: ['wc -w'] }),
      'command-not-list <"wc -w"> Expected one executable, got `wc -w`.',
    ],
    [
      'a program from a variable',
      chainOf(ASK, { ...COUNT, command: ['{{gist}}'] }),
      'command-not-literal <"{{gist}}"> Expected an executable, got a template.',
    ],
    [
      'a number as argument',
      chainOf(ASK, { ...COUNT, command: ['head', 5] }),
      'invalid-value <5> Expected a text, got `5` (number).',
    ],
  ])('%s', (_what, chain, expected) => {
    const { plan } = compile(chain);
    expect({ plan, problems: found(chain) }).toEqual({ plan: null, problems: [expected] });
  });

  it('has them told all at once, each where it is', () => {
    const chain = {
      models: [{ ...MODELS[0], extra: 1 }],
      steps: [
        { ...ASK, modelRef: 'big', inputs: ['a'] },
        { ...COUNT, step: 1, outputs: {} },
        { ...COUNT, step: 3, inputs: ['gist'], command: [] },
      ],
    };
    expect(
      compile(chain)
        .problems.map(({ code }) => code)
        .sort(),
    ).toEqual(['duplicate-name', 'invalid-value', 'invalid-value', 'unknown-key', 'unknown-model', 'unknown-variable']);
  });

  it('is known to steps that use what a broken step writes', () => {
    expect(found(chainOf({ ...ASK, modelRef: 'big' }, COUNT))).toHaveLength(1);
    expect(found(chainOf({ ...ASK, step: 'one' }, COUNT))).toHaveLength(1);
  });

  it.each([
    ['foo', 'step 3 writes it, which does not come before'],
    ['gits', 'did you mean `gist`?'],
    ['zzzzzz', 'there are `userRequest`, `gist`'],
  ])('says what to write in the place of %s', (name, suggestion) => {
    const chain = chainOf(ASK, { ...COUNT, inputs: [name] }, { ...COUNT, step: 3, outputs: { foo: 'string' } });
    expect(compile(chain).problems).toMatchObject([{ suggestion }]);
  });

  it('in a flow-style YAML has its place inside the text', () => {
    const yaml = 'steps: [{step: 1, inputs: [userRequest], outputs: {a: string}, command: [echo, "x {{nope}}"]}]';
    expect(compile(yaml, 'c.yml').problems.map(brief)).toEqual([`1:${yaml.indexOf('{{') + 1} unknown-variable`]);
  });

  it('in a block of YAML has its line', () => {
    const yaml =
      'steps:\n- step: 1\n  inputs: [userRequest]\n  outputs: {a: string}\n  model: {provider: ollama, model: ' +
      'm}\n  systemPrompt: |\n    One.\n\n    Two {{ nope }}.\n';
    expect(compile(yaml, 'c.yml').problems.map(brief)).toEqual(['9:9 unknown-variable']);
  });
});
