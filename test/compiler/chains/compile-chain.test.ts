import { describe, expect, it } from 'vitest';
import type { AgentStep, CommandStep } from '../../../src/plan/step.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const MODELS = [
  {
    name: 'small',
    provider: 'ollama',
    model: 'llama3.1:8b',
    baseUrl: 'http://localhost:11434',
    params: { temperature: 0 },
  },
];
const ASK = {
  step: 1,
  inputs: ['userRequest'],
  outputs: { gist: 'string' },
  modelRef: 'small',
  systemPrompt: 'Summarize: {{userRequest}}',
};
const COUNT = { step: 2, inputs: ['gist'], outputs: { words: 'number' }, command: ['wc', '-w', '{{gist}}'] };

type Written = Record<string, unknown>;
const chainOf = (...steps: Written[]): Written => ({ models: MODELS, steps });
const compile = (chain: unknown, file = 'chain.json') =>
  compileIn(createProject({ [file]: typeof chain === 'string' ? chain : JSON.stringify(chain, null, 1) }), file);
const planOf = (...steps: Written[]) => {
  const { plan, problems } = compile(chainOf(...steps));
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  return plan;
};
/** Messages and the text that the caret underlines. */
function found(chain: unknown, file?: string): string[] {
  const { problems, sources } = compile(chain, file);
  return problems.map(({ code, message, line, column, length, file: name }) => {
    const text = (sources.get(name) ?? '').split('\n')[line - 1] ?? '';
    return `${code} <${text.slice(column - 1, column - 1 + length)}> ${message}`;
  });
}

describe('a chain', () => {
  it('is a Plan of model calls and commands, one after the other', () => {
    const plan = planOf(ASK, COUNT);
    expect(plan).toMatchObject({
      name: 'chain',
      inputs: { userRequest: { type: 'string', required: true } },
      output: null,
    });
    const [ask, count] = plan.steps as [AgentStep, CommandStep];
    expect(ask).toMatchObject({
      kind: 'agent',
      id: 'step-1',
      prompt: { value: '' },
      output_as: 'trimmed',
      inputs: { userRequest: { expression: { root: 'input:userRequest' } } },
      retry: { attempts: 3 },
    });
    expect(plan.agents[ask.agent]).toMatchObject({
      name: 'small',
      model: 'ollama:llama3.1:8b',
      base_url: 'http://localhost:11434',
      params: { temperature: 0 },
    });
    expect(count).toMatchObject({
      kind: 'command',
      id: 'step-2',
      from: 'caller',
      output_as: 'number',
      needs: [{ step: 0, skip: true }],
      on_error: 'stop',
    });
    expect(count.argv).toMatchObject([{ value: 'wc' }, { value: '-w' }, { expression: { root: 'step:0.output' } }]);
  });

  it('is the same in YAML', () => {
    const yaml =
      'models:\n- {name: small, provider: ollama, model: "llama3.1:8b", baseUrl: "http://localhost:11434", ' +
      'params: {temperature: 0}}\nsteps:\n- step: 1\n  inputs: [userRequest]\n  outputs: {gist: string}\n  ' +
      'modelRef: small\n  systemPrompt: "Summarize: {{userRequest}}"\n';
    expect(compile(yaml, 'chain.yml').plan?.hash).toBe(planOf(ASK).hash);
    expect(compile(yaml, 'chain.json').plan?.hash).toBe(planOf(ASK).hash);
  });

  it('runs in the order of its numbers, whatever the order of the file; gaps are allowed', () => {
    const plan = planOf({ ...COUNT, step: 40 }, { ...ASK, step: 7 });
    expect(plan.steps.map(({ id, kind }) => [id, kind])).toEqual([
      ['step-7', 'agent'],
      ['step-40', 'command'],
    ]);
    expect(plan.hash).not.toBe(planOf(ASK, COUNT).hash);
  });

  it('reads of a variable that is written twice the latest value', () => {
    const again = (step: number) => ({
      step,
      inputs: ['gist'],
      outputs: { gist: 'string' },
      command: ['tr', 'a-z', 'A-Z', '{{gist}}'],
    });
    const roots = planOf(ASK, again(2), again(3))
      .steps.slice(1)
      .map((step) => (step as CommandStep).argv[3]);
    expect(roots).toMatchObject([{ expression: { root: 'step:0.output' } }, { expression: { root: 'step:1.output' } }]);
  });

  it('may use any known variable in a template, whether its step lists it or not', () => {
    expect(
      planOf(ASK, { ...COUNT, command: ['echo', '{{userRequest}} {{ gist }} {{\tgist\n}}'] }).steps[1],
    ).toMatchObject({
      argv: [
        {},
        {
          parts: [
            { expression: { root: 'input:userRequest' } },
            ' ',
            { expression: { root: 'step:0.output' } },
            ' ',
            { expression: { root: 'step:0.output' } },
          ],
        },
      ],
    });
  });

  it.each([
    '{gist}',
    '{{}}',
    '{{ 1a }}',
    '{{a-b}}',
    '{{gist.x}}',
    '${gist}',
    '{{gist',
    '\\{{',
    '{{"gist"}}',
    '{ {gist} }',
  ])('leaves %s as it is', (text) => {
    expect(planOf(ASK, { ...COUNT, command: ['echo', text] }).steps[1]).toMatchObject({
      argv: [{}, { kind: 'literal', value: text }],
    });
  });

  it('may bring a model in place, and one model in two places is one', () => {
    const { modelRef: _ref, ...bare } = ASK;
    const plan = planOf(
      { ...bare, model: { provider: 'anthropic', model: 'haiku' } },
      { ...ASK, step: 2 },
      { ...ASK, step: 3 },
    );
    expect(Object.values(plan.agents).map(({ name, model }) => [name, model])).toEqual([
      ['haiku', 'anthropic:haiku'],
      ['small', 'ollama:llama3.1:8b'],
    ]);
  });

  it('has the name of its file, made one where it is none', () => {
    const nameOf = (file: string) => compile(chainOf(ASK), file).plan?.name;
    expect([nameOf('my chain.json'), nameOf('01.json'), nameOf('übung.yml')]).toEqual(['my-chain', 'chain-01', 'bung']);
  });

  it('says where a backslash was typed in place of a new line', () => {
    expect(found(chainOf({ ...ASK, systemPrompt: 'Judge.\\n\\n{{userRequest}}' }))).toEqual([
      'typed-escape <\\\\n> `\\n` is typed as two characters here, and the model reads it so.',
    ]);
    expect(compile(chainOf({ ...ASK, systemPrompt: 'Judge.\\n' })).plan).not.toBeNull();
    expect(found(chainOf({ ...ASK, systemPrompt: 'Judge.\n' }))).toEqual([]);
  });
});

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

describe('a chain in a workflow', () => {
  const files = {
    'definitions/chains/judge.json': JSON.stringify(chainOf(ASK)),
    'flow.yml': 'steps:\n  - id: judged\n    workflow: judge\n    inputs: {userRequest: "${text}"}\n',
  };

  it('is nested by its name and given `userRequest`', () => {
    const { plan, problems } = compileIn(createProject(files), 'flow.yml');
    expect(problems).toEqual([]);
    expect(plan?.steps[0]).toMatchObject({
      kind: 'workflow',
      workflow: 'judge',
      inputs: { userRequest: { expression: { root: 'input:text' } } },
    });
    expect(Object.keys(plan?.agents ?? {})).toHaveLength(1);
  });

  it('is nested by its path, and asks for what it is not given', () => {
    const { plan, problems } = compileIn(
      createProject({
        'judge.json': files['definitions/chains/judge.json'],
        'flow.yml': 'steps:\n  - workflow: ./judge.json\n',
      }),
      'flow.yml',
    );
    expect(problems).toEqual([]);
    expect(plan?.inputs['userRequest']).toMatchObject({ required: true });
  });

  it('that is broken says so in its own file', () => {
    const { problems } = compileIn(
      createProject({ ...files, 'definitions/chains/judge.json': JSON.stringify(chainOf({ ...ASK, modelRef: 'x' })) }),
      'flow.yml',
    );
    expect(problems).toMatchObject([{ code: 'unknown-model', file: 'definitions/chains/judge.json' }]);
  });
});
