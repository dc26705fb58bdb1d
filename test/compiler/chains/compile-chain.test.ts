import { describe, expect, it } from 'vitest';
import type { AgentStep, CommandStep } from '../../../src/plan/step.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';
import { planOf, ASK, COUNT, compile, chainOf, found } from '../helpers/chain-compile.js';

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
    expect([nameOf('my chain.json'), nameOf('01.json'), nameOf('übung.yml')]).toEqual([
      'my-chain',
      'chain-01',
      'ubung',
    ]);
  });

  it('says where a backslash was typed in place of a new line', () => {
    expect(found(chainOf({ ...ASK, systemPrompt: 'Judge.\\n\\n{{userRequest}}' }))).toEqual([
      'typed-escape <\\\\n> `\\n` is typed as two characters here, and the model reads it so.',
    ]);
    expect(compile(chainOf({ ...ASK, systemPrompt: 'Judge.\\n' })).plan).not.toBeNull();
    expect(found(chainOf({ ...ASK, systemPrompt: 'Judge.\n' }))).toEqual([]);
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
