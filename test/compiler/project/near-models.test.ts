import { loadConfig } from '../../../src/compiler/project/config.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { describe, expect, it } from 'vitest';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const SPEC = 'nugget: {goal: A tool., type: tool}\nagents: [{name: Bea, role: builder, model: sonet}]\n';
const MANIFEST = JSON.stringify({ version: 1, runtime: {}, entry: { agent: 'main' }, agent_files: ['main.agent'] });
const FILES = {
  'a.flow': '$a := {base: "Explore", prompt: "x", model: "sonet"}\n$a:"y"\n',
  'a.yml': [
    'steps:',
    '  - loop: 2',
    '    until: "${steps.x.output}"',
    '    steps:',
    '      - {id: x, agent: Explore, prompt: y, model: sonet}',
    '',
  ].join('\n'),
  'b.yml': 'name: b\nprompt: You do it.\nmodel: sonet\n',
  'definitions/agents/c.md': '---\nname: c\ndescription: Does it.\nmodel: sonet\n---\nYou do it.\n',
  'chain.json':
    '{"steps": [{"step": 1, "inputs": ["userRequest"], "outputs": {"a": "string"}, "systemPrompt": "x",\n' +
    '"model": {"name": "m", "provider": "anthropic", "model": "sonet"}}]}',
  'p/project.json': MANIFEST,
  'p/main.agent': '---\nname: main\ndescription: Leads.\nmodel: sonet\n---\nYou lead.\n',
  'spec.yml': SPEC,
};

const found = (file: string, files: Record<string, string> = FILES) =>
  compileIn(createProject(files), file).problems.filter(({ code }) => code === 'near-model');

describe('a model that is nearly a short name', () => {
  it.each(['a.flow', 'a.yml', 'b.yml', 'definitions/agents/c.md', 'chain.json', 'p', 'spec.yml'])(
    'is warned of in %s',
    (file) => {
      expect(found(file)).toMatchObject([{ severity: 'warning', suggestion: 'did you mean `sonnet`?' }]);
    },
  );

  it('is warned of behind its provider too', () => {
    const main = FILES['p/main.agent'].replace('sonet', 'anthropic:sonet');
    expect(found('p', { ...FILES, 'p/main.agent': main })).toMatchObject([
      { severity: 'warning', suggestion: 'did you mean `anthropic:sonnet`?', fix: { text: 'anthropic:sonnet' } },
    ]);
  });

  it.each(['sonnet', 'anthropic:sonnet', 'claude-sonnet-5-5', 'ollama:sonet', 'gpt', 'mistral', 'default:sonet'])(
    'is not %s',
    (model) => {
      expect(found('b.yml', { 'b.yml': FILES['b.yml'].replace('sonet', model) })).toEqual([]);
    },
  );

  it('is not an alias of the project, and may be nearly one', () => {
    const config = { 'perdure.yml': 'models: {aliases: {sonet: claude-x, swift: claude-y}}\n' };
    expect(found('b.yml', { ...FILES, ...config })).toEqual([]);
    expect(found('b.yml', { ...config, 'b.yml': FILES['b.yml'].replace('sonet', 'swfit') })).toMatchObject([
      { suggestion: 'did you mean `swift`?' },
    ]);
  });

  it('is no input that has the name', () => {
    const text = 'steps:\n  - {agent: Explore, prompt: y, inputs: {model: sonet}}\n';
    expect(found('a.yml', { 'a.yml': text })).toEqual([]);
  });

  it('is told of the settings of a project too', () => {
    const text = 'models: {default: sonet, aliases: {quick: haku, best: claude-opus-5, local: quick}}\n';
    const { problems } = loadConfig(findProject(createProject({ 'perdure.yml': text })));
    expect(problems.map(({ code, severity, column, fix }) => ({ code, severity, column, fix }))).toMatchObject([
      {
        code: 'near-model',
        severity: 'warning',
        column: 19,
        fix: { text: 'sonnet', line: 1, column: 19, end_line: 1, end_column: 24 },
      },
      { code: 'near-model', severity: 'warning', column: 43, fix: { text: 'haiku' } },
    ]);
  });
});
