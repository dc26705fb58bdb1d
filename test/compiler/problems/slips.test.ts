import { describe, expect, it } from 'vitest';
import { problemsIn } from '../helpers/slips.js';

/* What people really get wrong, each told once and where a person would look. */

describe('slips in flows', () => {
  it.each([
    ['another sign than `:=`', '$x = {base:"Explore", prompt:"p"}\n$x:"a"\n', ['1:4 unexpected-text']],
    ['a colon alone', '$x: {base:"Explore", prompt:"p"}\n$x:"a"\n', ['1:3 unexpected-text']],
    ['no sign at all', '$x {base:"Explore", prompt:"p"}\n$x:"a"\n', ['1:4 unexpected-text']],
    ['an instruction without quotes', 'general-purpose:do the thing -> Explore:"x"\n', ['1:17 unexpected-text']],
    [
      'an instruction without its colon',
      'general-purpose "do it":out -> Explore:"x {out}"\n',
      ['1:17 unexpected-text'],
    ],
    [
      'a name with letters of another alphabet',
      'Explore:"Suche":straßen_liste -> general-purpose:"y"\n',
      ['1:17 invalid-name'],
    ],
    ['a long arrow', 'Explore:"a":x --> Explore:"b {x}"\n', ['1:15 missing-operator']],
    ['an arrow in two', 'Explore:"a":x - > Explore:"b {x}"\n', ['1:15 missing-operator']],
    ['another arrow behind a condition', 'Explore:"a":x (if passed)-> Explore:"b {x}"\n', ['1:15 missing-operator']],
    ['a question without a name for its answer', '@ask-human:"Which branch?"\n', ['1:1 unexpected-text']],
    [
      'texts of a definition in other quotes',
      '$x := {base: \'Explore\', prompt: "p"}\n$x:"a"\n',
      ['1:14 unexpected-text'],
    ],
    ['an output that begins with a digit', 'Explore:"a":1x\n', ['1:13 invalid-name']],
    [
      'a tool that there is not',
      '$x := {base: "Explore", prompt: "p", tools: ["Raed"]}\n$x:"a"\n',
      ['1:47 unknown-tool'],
    ],
    ['JSON', '{"steps":[{"agent":"x"}]}\n', ['1:1 foreign-file']],
    ['YAML', 'name: x\nsteps:\n  - agent: x\n', ['1:1 foreign-file']],
    ['XML', '<?xml version="1.0"?><Flow/>\n', ['1:1 foreign-file']],
    ['a program', "import React from 'react'\ntype Props = { x: number }\n", ['1:1 foreign-file']],
  ])('%s', (_title, text, expected) => {
    expect(problemsIn('x.flow', text)).toEqual(expected);
  });

  it.each([
    ['of a workflow', 'Explore:"Write a plan as\nsteps:\n- find\n- test":plan\n'],
    ['of a program', `general-purpose:"Change this line:\nimport React from 'react'\nto preact"\n`],
    ['of an export', 'general-purpose:"Write\nexport default function x() {}\n"\n'],
  ])('takes lines %s in an instruction for what they are, also beside a fault', (_title, text) => {
    expect(problemsIn('x.flow', text)).toEqual([]);
    expect(problemsIn('x.flow', `${text.trim()} -> Explore "x"\n`)).toEqual([
      expect.stringContaining('unexpected-text'),
    ]);
    expect(problemsIn('x.flow', text.replace(/":?[a-z]*\n$/, ''))).not.toContain('1:1 foreign-file');
  });

  it.each([
    ['Explore:"a":x --> Explore:"b {x}"', '-->', 'write `->`'],
    ['Explore:"a":x - > Explore:"b {x}"', '- >', 'write `->`'],
  ])('names another arrow as it is written: %s', (text, raw, suggestion) => {
    expect(problemsIn('x.flow', text, 'told')).toEqual([
      { message: `Expected \`->\` or \`||\`, got \`${raw}\`.`, suggestion },
    ]);
  });

  it('has no suggestion for the names of what every object has', () => {
    expect(problemsIn('x.flow', 'constructor(x)\n', 'told')).toContainEqual({
      message: 'This version does not run `constructor(…)`.',
      suggestion: null,
    });
  });
});

describe('what is expected where a value may have several forms', () => {
  const steps = 'steps: [{command: [ls]}]\n';
  it.each([
    ['budgets: {on_exhausted: {max_tokens: skip}}\n', 'pause, stop, error or {degrade: <model>}, got `skip`'],
    ['on: {run: {definition: x, ends: []}}\n', 'at least one of them, got an empty list'],
    ['on: {run: {definition: []}}\n', 'at least one definition, got an empty list'],
    ['finally: [{approval: ok?, fallback: no}]\n', 'approve, skip, abort, or one `${…}` that says so, got `no`'],
    ['finally: [{flash: {device: d, files: []}}]\n', 'at least one file, got an empty list'],
  ])('is told in our words: %s', (text, expected) => {
    expect(problemsIn('x.yml', text + steps, 'message')).toContain(`Expected ${expected}.`);
  });
});

describe('slips in agents', () => {
  it.each([
    [
      'front matter that does not end',
      'a.md',
      '---\nname: a\ndescription: b\n\nYou are.\n',
      ['1:1 unsupported-format'],
    ],
    [
      'front matter with an open list',
      'a.md',
      '---\nname: a\ntools: [Read, Grep\n---\nYou are.\n',
      ['3:8 invalid-yaml'],
    ],
    ['no instructions', 'a.md', '---\nname: a\ndescription: b\n---\n', ['2:1 missing-key']],
    ['TOML with an open quote', 'a.toml', 'name = "c2\ndescription = "broken"\n', ['1:8 invalid-toml']],
    ['a skill', 'SKILL.md', '---\nname: pdf\ndescription: b\n---\nDo it.\n', ['1:1 foreign-file']],
    ['TOML with an open quote behind closed ones', 'a.toml', 'tools = ["Read", "Grep\n', ['1:18 invalid-toml']],
    [
      'TOML with an open quote behind the other one',
      'a.toml',
      'tools = [\'say "\', "a \\" \'b\n',
      ['1:19 invalid-toml'],
    ],
    [
      'an input in a list that is named as what every object has',
      'agents/a.yml',
      'prompt: Look.\ninputs: [constructor]\n',
      ['2:10 forbidden-key'],
    ],
    [
      'an input in a map that is named as what every object has',
      'agents/a.yml',
      'prompt: Look.\ninputs: {constructor: {}}\n',
      ['2:10 forbidden-key'],
    ],
    ['inputs as a list of names', 'agents/a.yml', 'prompt: Look at ${file}.\ninputs: [file]\n', []],
  ])('%s', (_title, file, text, expected) => {
    expect(problemsIn(file, text)).toEqual(expected);
  });

  it('names the instructions as the other tool does', () => {
    expect(problemsIn('.codex/agents/a.toml', 'name = "a"\ndescription = "b"\n', 'message')).toEqual([
      'Expected `developer_instructions`: the instructions.',
    ]);
  });
});

describe('slips in workflows and chains', () => {
  const step = 'name: x\nsteps:\n  - agent: general-purpose\n    prompt: a\n';
  it.each([
    [
      'a number in quotes',
      `${step}    retry: {attempts: "3"}\n`,
      'Expected a whole number above 0, got the text `3`.',
      null,
    ],
    ['an empty list', 'name: x\nsteps: []\n', 'Expected at least one step, got an empty list.', null],
    [
      'a duration in words',
      `${step}    timeout: 5 minutes\n`,
      'Expected a duration such as `500ms`, `30s`, `5m` or `1h30m`, got `5 minutes`.',
      'write `5m`',
    ],
    [
      'attempts alone',
      `${step}    retry: 3\n`,
      'Expected a map with attempts and backoff, got `3` (number).',
      'write `{attempts: 3}`',
    ],
    [
      'an assignment for a comparison',
      `${step}    when: "\${x = 'y'}"\n`,
      'Expected a name, a value or an operator, got `=`.',
      'write `==`',
    ],
    ['and in words', `${step}    when: "\${x and y}"\n`, 'Expected `}`, got `and`.', 'write `&&`'],
    [
      'and in words where no operator may stand',
      step.replace('prompt: a', 'prompt: "${x and y}"'),
      'Expected `}`, got `and`.',
      null,
    ],
    [
      'the name of what every object has',
      step.replace('prompt: a', 'prompt: "${x constructor}"'),
      'Expected `}`, got `constructor`.',
      null,
    ],
    [
      'a map for a duration',
      `${step}    timeout: {toString: 1}\n`,
      'Expected a duration with its unit, such as `30s` or `5m`, got a map.',
      null,
    ],
    [
      'a list for a duration',
      `${step}    timeout: [{toString: 1}]\n`,
      'Expected a duration with its unit, such as `30s` or `5m`, got a list.',
      null,
    ],
    [
      'a map for the type of an input',
      `inputs: {a: {type: {toString: 1}}}\n${step}`,
      'Expected one of string, number, integer, boolean, list (or array), object, any, got a map.',
      null,
    ],
    [
      'a map for a step that is needed',
      `${step}    needs: [{toString: 1}]\n`,
      'Expected a list of ids or indexes of steps, got a list.',
      null,
    ],
    [
      'a map for the address of a schema',
      `$schema: {toString: 1}\n${step}`,
      'There is no key `$schema` here.',
      expect.stringMatching(/^there are `autonomy`, .*`workspace`$/) as string,
    ],
    [
      'a key that is like none',
      `${step}    retry: {max: 3}\n`,
      'There is no key `max` here.',
      'there are `attempts`, `backoff`',
    ],
  ])('%s', (_title, text, message, suggestion) => {
    expect(problemsIn('x.yml', text, 'told')).toEqual([{ message, suggestion }]);
  });

  it('takes the inputs of a workflow as a list, as those of agents', () => {
    expect(
      problemsIn(
        'x.yml',
        `inputs:\n  - target\n  - {name: depth, type: number, default: ` +
          `2}\n${step.replace('prompt: a', 'prompt: ${target} ${depth}')}`,
      ),
    ).toEqual([]);
  });

  it('tells once that models are no list', () => {
    const text =
      'models:\n  m: {provider: ollama, model: x}\nsteps:\n  - {step: 1, inputs: [userRequest], outputs: {a: ' +
      'string}, modelRef: m, systemPrompt: x}\n';
    expect(problemsIn('x.yml', text)).toEqual(['2:3 invalid-value']);
  });
});

describe('one mistake', () => {
  const step = 'steps: [{command: [ls]}]\n';
  it.each([
    ['a key of another trigger', 'w.yml', `on: {push: {branches: [main]}}\n${step}`, ['1:6 unknown-key']],
    ['a zone by another word', 'w.yml', `schedule: {cron: "0 2 * * *", tz: UTC}\n${step}`, ['1:31 unknown-key']],
    [
      'a loop by other words',
      'w.yml',
      'steps: [{command: [ls], loop: {until: "${x}", max_iterations: 3}}]\n',
      ['1:47 unknown-key'],
    ],
    ['a kind of step by another word', 'w.yml', 'steps: [{shell: ls -l}]\n', ['1:10 step-kind']],
    ['a kind of step that nobody has', 'w.yml', 'steps: [{python: "1", timeout: 5m}]\n', ['1:10 step-kind']],
    [
      'keys of a chain by other words',
      'c.json',
      '{"steps":[{"step":1,"input":["userRequest"],"output":{"a":"string"},"command":["ls"]}]}\n',
      ['1:21 unknown-key', '1:45 unknown-key'],
    ],
    [
      'a requirement of a build by another word',
      'b.yml',
      'goal: x\nrequirements: [{desc: y}]\n',
      ['2:17 missing-key', '2:17 unknown-key'],
    ],
  ])('is told once: %s', (_title, file, text, expected) => {
    expect(problemsIn(file, text)).toEqual(expected);
  });
});

describe('files of ours that look like those of other tools', () => {
  const steps =
    'steps:\n  - id: test\n    command: npm test\n  - id: pack\n    command: npm pack\n    depends_on: [test]\n';
  it.each([
    ['a build with permissions', 'x.yml', 'goal: A game\npermissions: {allow_network: false}\n', []],
    [
      'a build with a type and a version',
      'x.yml',
      'name: pong\nversion: 1\ngoal: Pong\ntype: game\n',
      ['2:1 unknown-key'],
    ],
    [
      'a build with a license of its own',
      'x.yml',
      'nugget: {goal: Pong}\nname: pong\nversion: 1\nlicense: MIT\n',
      ['3:1 unknown-key', '4:1 unknown-key'],
    ],
    [
      'an agent with permissions and instructions',
      'agents/fixer.yml',
      'name: fixer\ninstructions: Fix it.\npermissions: {allow: ["write:src/**"]}\n',
      ['2:1 unknown-key'],
    ],
    [
      'an agent of Codex with permissions',
      '.codex/agents/a.toml',
      'name = "a"\ndescription = "b"\ndeveloper_instructions = "Fix it."\n[permissions]\nallow = ["x"]\n',
      [],
    ],
    [
      'a tool with a type',
      'tools/echo/tool.yml',
      'name: echo\nversion: 1\ntype: command\n',
      expect.arrayContaining(['3:1 unknown-key']),
    ],
    [
      'commands that are texts, in an order',
      'x.yml',
      steps,
      ['3:14 command-not-list', '5:14 command-not-list', '6:5 unknown-key'],
    ],
    [
      'a pipeline with a plan',
      'x.yml',
      'steps:\n  - command: npm test\n    agents: {queue: default}\n  - plan: Do it.\n',
      ['2:14 command-not-list', '3:5 unknown-key', '4:11 invalid-value'],
    ],
    ['a schema that is none', 'x.yml', '$schema: {toString: 1}\ntasks: {}\n', ['1:1 missing-key']],
  ])('%s', (_title, file, text, expected) => {
    expect(problemsIn(file, text)).toEqual(expected);
  });
});

describe('files of other tools', () => {
  it.each([
    [
      'k8s.yaml',
      'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n---\napiVersion: v1\nkind: Pod\n',
      'a Kubernetes object',
    ],
    ['tsconfig.json', '{\n  // usual here\n  "compilerOptions": {"strict": true,},\n}\n', 'a TypeScript configuration'],
    ['package.json', '{"name":"x","private":true,"type":"module"}', 'an npm package manifest'],
    ['Cargo.toml', '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n', 'a Cargo manifest'],
    ['.gitlab-ci.yml', 'image: node:20\ntest:\n  script: npm test\n', 'a GitLab pipeline'],
    ['settings.json', '{"permissions":{"allow":["Bash(npm run lint)"]},"hooks":{}}', 'settings of Claude Code'],
    ['dify.yml', 'app: {mode: workflow, name: x}\nkind: app\nworkflow: {graph: {nodes: []}}\n', 'a Dify application'],
    ['langgraph.json', '{"dependencies":["."],"graphs":{"agent":"./a.py:graph"}}', 'a LangGraph application'],
    ['devcontainer.json', '{"name":"Node","image":"node","features":{}}', 'a dev container'],
    ['rules.yml', 'groups:\n- name: x\n  rules: [{alert: A, expr: up == 0}]\n', 'a file of Prometheus rules'],
    [
      'bug.yml',
      'name: Bug\ndescription: File a bug\nbody:\n  - type: textarea\n    attributes: {label: What}\n',
      'a GitHub issue form',
    ],
    [
      'promptfooconfig.yaml',
      'description: eval\nprompts: ["x"]\nproviders: [openai:gpt-4o]\n',
      'a promptfoo evaluation',
    ],
    [
      'tasks.json',
      '{"version":"2.0.0","tasks":[{"label":"x","type":"shell","command":"make"}]}',
      'a list of VS Code tasks',
    ],
    [
      'woodpecker.yml',
      'when: {event: push}\nsteps:\n  - name: test\n    image: node\n    commands: [npm test]\n',
      'a Woodpecker pipeline',
    ],
    ['buildkite.yml', 'steps:\n  - command: npm test\n    agents: {queue: default}\n', 'a Buildkite pipeline'],
    ['waits.yml', 'steps:\n  - command: npm test\n    key: test\n  - wait: ~\n', 'a Buildkite pipeline'],
    ['tasks.yml', '- name: install\n  apt: {name: nginx, state: present}\n', 'a list of Ansible tasks'],
    ['values.yaml', 'replicaCount: 1\nimage: {repository: nginx, tag: latest}\n', 'a set of Helm values'],
    [
      'renovate.json',
      '{"$schema":"https://docs.renovatebot.com/renovate-schema.json","extends":["config:base"]}',
      'a Renovate configuration',
    ],
  ])('%s is refused in one sentence', (file, text, name) => {
    expect(problemsIn(file, text, 'message')).toEqual([`This seems to be ${name}, which Perdure does not run.`]);
  });
});
