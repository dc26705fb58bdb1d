import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { edgesOf, imported, stepOf } from './helpers/imported.js';
import type { Imported } from './helpers/imported.js';

type Steps = Record<string, unknown>[];

/** A workflow of conductor with these agents and groups, as the one file of a project. */
function conductor(body: string, more = ''): Imported & { steps: () => Steps } {
  const done = imported({ 'flow.yaml': `workflow:\n  name: it\n  entry_point: a\n${more}${body}` }, 'flow.yaml');
  return {
    ...done,
    steps: () => (parse(done.files['definitions/workflows/it.yml'] ?? '') as { steps: Steps }).steps,
  };
}

const ROUND = `agents:
  - name: a
    prompt: "Write. {% if b is defined %}They said {{ b.output.advice }}.{% endif %}"
    routes: [{to: b}]
  - name: b
    prompt: "Judge {{ a.output.result }}"
    output: {good: {type: boolean}, advice: {type: string}}
    routes:
      - {to: c, when: "{{ output.good }}"}
      - {to: a}
  - name: c
    prompt: "Publish {{ a.output.result }}"
    routes: [{to: $end}]
output:
  text: "{{ a.output.result }}"
  note: "It says {{ b.output.advice }}"
`;

const BRANCHES = `agents:
  - name: a
    prompt: x
    output: {kind: {type: string}, n: {type: number}}
    routes:
      - {to: b, when: "{{ output.kind == 'bug' and output.n > 2 }}"}
      - {to: c}
  - {name: b, prompt: "Mend {{ a.output.kind }}", routes: [{to: g}]}
  - {name: c, prompt: x, routes: [{to: d}]}
  - name: g
    type: human_gate
    prompt: ok?
    options: [{label: Go, value: go, route: d}, {label: Stop, value: stop, route: $end}]
  - {name: d, prompt: "{{ b.output.result }} {{ g.output.selected }} {{ a.output.kind }}"}
`;

describe('files that a workflow of conductor includes', () => {
  const flow = (file: string): string =>
    'workflow: \n  name: it\n  entry_point: a\n  input: {topic: {type: string}}\nagents:\n' +
    `  - name: a\n    prompt: !file ${file}\n    routes: [{to: $end}]\n`;

  it('stand where they are named, with the values in them', () => {
    const { files, refused } = imported(
      {
        'flows/flow.yaml': flow('prompts/a.md'),
        'flows/prompts/a.md': 'Write of "{{ workflow.input.topic }}".\n\tNow.',
      },
      'flows/flow.yaml',
    );
    expect(refused).toEqual([]);
    const { steps } = parse(files['definitions/workflows/it.yml'] ?? '') as { steps: Steps };
    expect(steps[0]?.['prompt']).toBe('Write of "${topic}".\n\tNow.\n');
  });

  it.each([
    ['is not there', 'gone.md', 'There is no such file.'],
    ['lies outside of the project', '../../../../../../etc/hostname', 'outside of this project'],
    ['is data', 'a.json', 'Tags mean nothing here'],
  ])('are refused where one %s', (_what, file, message) => {
    const { refused, files } = imported({ 'flow.yaml': flow(file), 'a.json': '{}' }, 'flow.yaml');
    expect([refused, files]).toEqual([[expect.stringContaining(message)], {}]);
  });
});

describe('a workflow of conductor inside another one', () => {
  const INNER =
    'workflow:\n  name: inner\n  entry_point: s\n  input:\n    topic: {type: string}\n' +
    '    depth: {type: number, default: 2}\n' +
    '    spare: {type: string}\nagents:\n' +
    '  - {name: s, prompt: "Sum {{ workflow.input.topic }} {{ workflow.input.depth }}",\n' +
    '     output: {text: {type: string}}}\n' +
    'output:\n  summary: "{{ s.output.text }}"\n';
  const outer = (agents: string, output = '"{{ b.output.summary }}"') =>
    'workflow:\n  name: it\n  entry_point: a\n  input: {topic: {type: string}, seeds: {type: array}}\n' +
    `agents:\n  - {name: a, prompt: "Plan {{ workflow.input.topic }}", routes: [{to: b}]}\n${agents}` +
    `output:\n  text: ${output}\n`;
  const stepB = (agents: string, output?: string) => {
    const done = imported({ 'w/flow.yaml': outer(agents, output), 'w/parts/inner.yaml': INNER }, 'w/flow.yaml');
    const steps = parse(done.files['definitions/workflows/it.yml'] ?? '{steps: []}') as { steps: Steps };
    return { ...done, step: steps.steps.find(({ id }) => id === 'b') };
  };
  const NESTED = '  - {name: b, type: workflow, workflow: ./parts/inner.yaml';

  it('is imported along, and given what the mapping says', () => {
    const { step, plan, files, lost } = stepB(
      `${NESTED}, max_depth: 3, input_mapping: {topic: "{{ a.output.result }}!", spare: x}}\n`,
    );
    expect(step).toMatchObject({ workflow: './inner.yml', inputs: { topic: '${steps.a.output}!' } });
    expect(stepOf(plan('it'), 'b')).toMatchObject({ kind: 'workflow' });
    expect(files['definitions/workflows/it.yml']).toContain('text: "${steps.b.output.summary ?? null}"');
    expect(parse(files['definitions/workflows/inner.yml'] ?? '')).toMatchObject({
      inputs: { topic: { type: 'string' }, depth: { type: 'number', default: 2 } },
      output: { summary: '${steps.s.output.text ?? null}' },
    });
    expect(lost).toMatchObject({ 'b.input_mapping.spare': false, 'b.max_depth': false });
  });

  it('runs beside others in a parallel group', () => {
    const { refused, plan, files } = imported(
      {
        'w/flow.yaml':
          'workflow:\n  name: it\n  entry_point: g\n  input: {topic: {type: string}}\nagents:\n' +
          '  - {name: a, prompt: "Look at {{ workflow.input.topic }}"}\n' +
          '  - {name: b, type: workflow, workflow: ./parts/inner.yaml}\n' +
          '  - {name: z, prompt: "{{ g.outputs.b.summary }} {{ g.outputs.a }}"}\n' +
          'parallel: [{name: g, agents: [a, b], routes: [{to: z}]}]\n',
        'w/parts/inner.yaml': INNER,
      },
      'w/flow.yaml',
    );
    expect(refused).toEqual([]);
    expect(edgesOf(plan('it'))).toMatchObject({ a: '', b: '', z: 'a! b!' });
    expect(stepOf(plan('it'), 'b')).toMatchObject({ kind: 'workflow', parallel_group: 'g' });
    const { steps } = parse(files['definitions/workflows/it.yml'] ?? '') as { steps: Steps };
    expect(steps[2]).toMatchObject({ prompt: '${steps.b.output.summary} ${steps.a.output}\n' });
  });

  it('has the inputs of the same names without a mapping', () => {
    expect(stepB(`${NESTED}}\n`).step).toMatchObject({ inputs: { topic: '${topic}' } });
  });

  it('is run for each item of a list', () => {
    const { step, files } = stepB(
      '',
      '"{{ b.outputs[0].summary }}"\nfor_each:\n' +
        '  - {name: b, type: for_each, source: workflow.input.seeds, as: seed,\n' +
        '     agent: {type: workflow, workflow: parts/inner.yaml, input_mapping: {topic: "{{ seed }}"}}}',
    );
    expect(step).toMatchObject({
      workflow: './inner.yml',
      foreach: { items: '${seeds}' },
      inputs: { topic: '${item}' },
    });
    expect(files['definitions/workflows/it.yml']).toContain('steps.b.output[0].summary');
  });

  it.each([
    ['a field that it does not yield', `${NESTED}}\n`, '"{{ b.output.sumary }}"', 'unknown-variable 9 '],
    ['an input that it needs and is not given', `${NESTED}, input_mapping: {depth: 3}}\n`, undefined, 'missing-key 7 '],
  ])('is refused with %s', (_what, agents, output, problem) => {
    expect(stepB(agents, output).refused).toEqual([expect.stringContaining(problem)]);
  });

  it('that is refused itself is told at its own fault, and where it stands', () => {
    const { refused } = imported(
      {
        'flow.yaml': outer(`  - {name: b, type: workflow, workflow: in.yaml}\n`),
        'in.yaml': INNER.replace('{{ s', '{{ t'),
      },
      'flow.yaml',
    );
    expect(refused).toEqual([
      expect.stringMatching(/^unknown-variable \d+ There is no `t.output.text` here/) as string,
      'unknown-workflow 7 The workflow `in.yaml` cannot be imported itself.',
    ]);
  });
});

describe('questions of conductor', () => {
  const asking = (what: string, reads: string) =>
    conductor(
      'agents:\n  - {name: a, prompt: x, output: {open: {type: array}}, routes: [{to: ask}]}\n' +
        `  - name: ask\n    type: questions\n    prompt: Before we begin.\n    allow_back: false\n${what}` +
        '    routes: [{to: z, when: "{{ ask.output.answered_any }}"}]\n' +
        `  - {name: z, prompt: '${reads}'}\n`,
    );

  it('are asked one after the other, and answered by their ids', () => {
    const { refused, steps, lost, plan } = asking(
      '    questions:\n      - {text: "Where does {{ a.output.open }} run?", choices: [Server, Client]}\n' +
        '      - {id: rollout, text: How?, hint: Mind the window., default: Slowly}\n',
      '{{ ask.output.answers.rollout }} {{ ask.output.answers.q1 }} {{ ask.output.transcript }}',
    );
    expect(refused).toEqual([]);
    expect(steps().slice(1)).toMatchObject([
      {
        id: 'ask',
        foreach: {
          items: ['Where does ${steps.a.output.open} run?\n\n- Server\n- Client', 'How?\n\nMind the window.'],
          max_parallel: 1,
        },
        steps: [
          { ask: 'Before we begin.\n\n${item.question ?? item.text ?? item}' },
          { set: { question: '${item.question ?? item.text ?? item}', answer: '${steps.asked.output}' } },
        ],
      },
      { prompt: '${steps.ask.output[1].answer} ${steps.ask.output[0].answer} ${steps.ask.output}\n' },
    ]);
    expect(stepOf(plan('it'), 'ask')).toMatchObject({ kind: 'foreach' });
    expect(lost).toMatchObject({ 'ask.questions': true, 'ask.questions.default': true, 'ask.allow_back': true });
  });

  it('come from the list of another node, as texts or as maps', () => {
    const { refused, steps } = asking(
      '    source: a.output.open\n',
      '{{ ask.output.items }} {{ ask.output.answered_count }} {{ ask.output.answers.q2 }}',
    );
    expect(refused).toEqual([]);
    expect(steps().slice(1)).toMatchObject([
      { foreach: { items: '${steps.a.output.open}', max_parallel: 1 } },
      { prompt: '${steps.ask.output} ${steps.ask.output.length} ${steps.ask.output[1].answer}\n' },
    ]);
  });

  it.each([
    ['from two places', '    source: a.output.open\n    questions: [{text: Why?}]\n', 'x', 'conflicting-keys 10 '],
    ['that are not there', '', 'x', 'missing-key 6 '],
    ['with an answer of no question', '    questions: [{text: Why?}]\n', '{{ ask.output.answers.q2 }}', 'unknown-vari'],
    ['without text', '    questions: [{hint: Why?}]\n', 'x', 'missing-key 10 '],
  ])('are refused %s', (_what, body, reads, problem) => {
    const { refused, files } = asking(body, reads);
    expect([refused, files]).toEqual([[expect.stringContaining(problem)], {}]);
  });
});

describe('workflows of conductor', () => {
  it('go from step to step, and the first route that fits is a condition of where it leads', () => {
    const { steps, plan } = conductor(BRANCHES);
    const bug = "steps.a.output.kind == 'bug' && steps.a.output.n > 2";
    expect(steps().map(({ id, when }) => [id, when])).toEqual([
      ['a', undefined],
      ['b', `\${${bug}}`],
      ['c', `\${!(${bug})}`],
      ['g', "${steps.b.status == 'success'}"],
      ['d', "${steps.c.status == 'success' || (steps.g.status == 'success' && (steps.g.output ?? null) == 'go')}"],
    ]);
    expect(steps()[4]).toMatchObject({
      prompt: "${steps.b.output ?? ''} ${steps.g.output ?? ''} ${steps.a.output.kind}\n",
    });
    expect(stepOf(plan('it'), 'g')).toMatchObject({ kind: 'approval', options: ['go', 'stop'] });
  });

  it('that lead back go in rounds, of which the last one is read behind them', () => {
    const { steps, plan, files, lost } = conductor(ROUND, '  limits: {max_iterations: 4, timeout_seconds: 90}\n');
    expect(stepOf(plan('it'), 'a-rounds')).toMatchObject({ kind: 'loop', max: 4 });
    expect(stepOf(plan('it'), 'a')).toMatchObject({ kind: 'agent' });
    expect(steps()).toMatchObject([
      {
        loop: { until: '${!steps.a-rounds-next.output.again}' },
        steps: [
          { prompt: "Write. They said ${steps.b.output.advice ?? ''}.\n" },
          { prompt: 'Judge ${steps.a.output}\n' },
          { set: { again: '${!steps.b.output.good}', 'to-c': '${steps.b.output.good}' } },
        ],
      },
      { id: 'c', when: '${steps.a-rounds.output.next.to-c}', prompt: "Publish ${steps.a-rounds.output.a ?? ''}\n" },
    ]);
    expect(parse(files['definitions/workflows/it.yml'] ?? '')).toMatchObject({
      budgets: { max_runtime_mins: 2 },
      output: {
        text: '${steps.a-rounds.output.a ?? null}',
        note: "It says ${steps.a-rounds.output.b.advice ?? ''}",
      },
    });
    expect(lost).toEqual({ 'a.prompt': true, 'workflow.limits.max_iterations': true });
  });

  it('have groups side by side, and lists item by item', () => {
    const { steps, plan } = conductor(
      'agents:\n  - {name: a, prompt: x, routes: [{to: g}]}\n' +
        '  - {name: m, prompt: x, output: {list: {type: array}}}\n  - {name: n, prompt: x}\n' +
        '  - {name: z, prompt: "{{ g.outputs.n.result }} {{ each.outputs | json }}"}\n' +
        'parallel: [{name: g, agents: [m, n], failure_mode: fail_fast, routes: [{to: each}]}]\n' +
        'for_each:\n  - {name: each, type: for_each, source: g.outputs.m.list, as: thing, max_concurrent: 3,\n' +
        '     failure_mode: continue_on_error, agent: {prompt: "{{ thing.name }} {{ _index }}"}, routes: [{to: z}]}\n',
    );
    expect(edgesOf(plan('it'))).toMatchObject({
      a: '',
      m: 'a',
      n: 'a',
      each: 'm! n',
      z: expect.stringContaining('each'),
    });
    expect(steps().slice(3)).toMatchObject([
      {
        foreach: { items: '${steps.m.output.list}', max_parallel: 3 },
        prompt: '${item.name} ${index}\n',
        on_error: 'continue',
      },
      { prompt: '${steps.n.output} ${steps.each.output}\n' },
    ]);
  });

  it('have programs that tell how they ended, and values never become programs', () => {
    const { steps, lost } = conductor(
      'agents:\n  - {name: a, type: script, command: pytest, args: ["{{ workflow.input.path }}", "-q"],\n' +
        '     routes: [{to: b, when: "exit_code == 0"}, {to: c}]}\n' +
        '  - {name: b, prompt: "{{ a.output.stdout }}"}\n  - {name: c, prompt: x}\n',
      '  input: {path: {type: string}}\n',
    );
    expect(steps()).toMatchObject([
      { command: ['bash', '-c', expect.stringContaining('"$@"'), 'script', 'pytest', '${path}', '-q'] },
      { when: "${endsWith((steps.a.output ?? ''), '[exit code 0]')}" },
      { when: "${!endsWith((steps.a.output ?? ''), '[exit code 0]')}" },
    ]);
    expect(lost).toEqual({ 'a.command': true });
  });

  it('say who does what, with which model and how hard it thinks', () => {
    const { files, lost } = conductor(
      'agents:\n  - {name: a, prompt: x, system_prompt: You judge., reasoning: {effort: high},\n' +
        '     tools: [Read, web__x],\n' +
        '     model: gpt-5.2, retry: {max_attempts: 3, delay_seconds: 5}, validator: {criteria: x}}\n',
      '  runtime: {provider: copilot, default_model: claude-sonnet-4.5, temperature: 0.5}\n  metadata: {x: y}\n',
    );
    expect(parse(files['definitions/agents/it-a.yml'] ?? '')).toMatchObject({
      effort: 'high',
      tools: ['Read'],
      prompt: 'You judge.\n',
    });
    expect(parse(files['definitions/workflows/it.yml'] ?? '')).toMatchObject({
      steps: [{ retry: { attempts: 3, backoff: '5s' } }],
    });
    expect(lost).toEqual({
      'a.tools': true,
      'a.model': true,
      'a.validator': true,
      'workflow.runtime.provider': true,
      'workflow.runtime.temperature': true,
      'workflow.metadata': false,
    });
  });

  it.each([
    ['{{ output.x in [1] }}', 'unknown-variable'],
    ['{{ output.x | upper }}', 'unknown-variable'],
    ['{{ output.y }}', 'unknown-variable'],
    ['{{ output.x + 1 }}', 'unknown-variable'],
    ['x {{ output.x }}', 'unknown-variable'],
  ])('with the condition %j are refused with one problem', (when, code) => {
    const { refused, files } = conductor(
      'agents:\n  - name: a\n    prompt: x\n    output: {x: {type: string}}\n    routes:\n' +
        `      - {to: b, when: ${JSON.stringify(when)}}\n      - {to: c}\n` +
        '  - {name: b, prompt: x}\n  - {name: c, prompt: x}\n',
    );
    expect([refused, files]).toEqual([[expect.stringMatching(`^${code} 9 `)], {}]);
  });

  it.each([
    ['{name: a, prompt: x, routes: [{to: nowhere}]}', 'unknown-step'],
    ['{name: a, prompt: "{% for x in y %}{% endfor %}"}', 'unknown-variable'],
    ['{name: a, prompt: "{{ workflow.input.none }}"}', 'unknown-variable'],
    ['{name: a, type: workflow, workflow: ./b.yaml, routes: [{to: $end, when: "{{ output.x }}"}]}', 'unknown-workflow'],
    ['{name: a, type: workflow, workflow: flow.yaml}', 'workflow-cycle'],
    ['{name: a, type: workflow, workflow: ../../b.yaml}', 'unknown-workflow'],
    ['{name: a, type: workflow}', 'missing-key'],
    ['{name: a, type: script, command: "{{ workflow.name }}"}', 'invalid-value'],
    ['{name: a, type: human_gate, prompt: x}', 'missing-key'],
  ])('with the agent %s are refused with one problem', (agent, code) => {
    const { refused, files } = conductor(`agents:\n  - ${agent}\n`);
    expect([refused.filter((one) => !one.includes('endfor')), files]).toEqual([
      [expect.stringContaining(`${code} 5 `)],
      {},
    ]);
  });

  it('whose loop has two ways into it are refused, with where it should lead', () => {
    const { refused } = conductor(
      'agents:\n  - {name: a, prompt: x, output: {p: {type: boolean}},\n' +
        '     routes: [{to: b, when: "{{ output.p }}"}, {to: c}]}\n' +
        '  - {name: b, prompt: x, routes: [{to: c}]}\n' +
        '  - {name: c, prompt: x, output: {p: {type: boolean}},\n' +
        '     routes: [{to: b, when: "{{ output.p }}"}, {to: $end}]}\n',
    );
    expect(refused).toEqual([expect.stringMatching(/^unsupported-key \d+ The loop of `b` can also be entered at `c`/)]);
  });
});
