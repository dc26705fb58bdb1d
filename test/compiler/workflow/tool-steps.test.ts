import { describe, expect, it } from 'vitest';
import { handlerOf } from '../../../src/activities/tools/handlers.js';
import { BUILTIN_INPUTS } from '../../../src/plan/tools/builtin-inputs.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import type { ToolStep } from '../../../src/plan/step.js';
import { BUILTIN_TOOLS } from '../../../src/plan/tools/tool.js';
import type { Store } from '../../../src/store/store.js';
import { compileText, planOf } from '../helpers/temporary-project.js';

const DEPLOY = `name: deploy
description: Deploys.
kind: http
version: 1
inputs:
  schema:
    type: object
    properties: {target: {enum: [test, live]}, times: {type: integer}}
    required: [target]
    additionalProperties: false
outputs: {format: json}
exec:
  http: {method: POST, url: "https://example.org/deploy"}
approval: {required: true}
`;
const FILES = {
  'definitions/tools/deploy/tool.yml': DEPLOY,
  'definitions/agents/critic.yml': 'name: critic\nprompt: You judge.\n',
};

function stepOf(step: string): ToolStep {
  return planOf(`steps:\n  - ${step}\n`, FILES).steps[0] as ToolStep;
}

describe('A tool step', () => {
  it('holds the tool, what it is called with, and what it may do', () => {
    expect(stepOf('{tool: deploy, inputs: {target: live}, permissions: {network: [example.org]}}')).toMatchObject({
      kind: 'tool',
      tool: { kind: 'defined', name: 'deploy' },
      inputs: { target: { kind: 'literal', value: 'live' } },
      effect: 'external',
      retry: { attempts: 1 },
      permissions: { network: ['example.org'], ask: ['tool:deploy'], commands: [] },
    });
  });

  it.each([
    ['{tool: read_file, inputs: {path: a}}', 'none'],
    ['{tool: Read, inputs: {path: a}}', 'none'],
    ['{tool: write_file, inputs: {path: a, content: b}}', 'workspace'],
    ['{tool: http_request, inputs: {url: "https://example.org"}}', 'none'],
    ['{tool: http_request, inputs: {url: "https://example.org", method: POST}}', 'external'],
    ['{tool: http_request, inputs: {url: "https://example.org", method: "${how}"}}', 'external'],
    ['{tool: http_request, inputs: {url: "https://example.org", method: POST}, effect: none}', 'none'],
    ['{tool: deploy, inputs: {target: test}}', 'external'],
  ])('%s has the effect %s', (step, effect) => {
    expect(stepOf(step).effect).toBe(effect);
  });

  it.each([
    [{}, true],
    [{ description: 'Which.' }, true],
    [{ type: 'number' }, false],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, false],
    [{ oneOf: [{ type: 'number' }, { type: 'string' }] }, false],
    [{ allOf: [{ type: 'number' }] }, false],
    [{ $ref: '#/properties/target' }, false],
    [{ enum: [1, 2] }, false],
    [{ const: 1 }, false],
  ])('tells of the spelling of a number only where its tool says nothing of it: %j', (share, isTold) => {
    const tool = DEPLOY.replace('times: {type: integer}', `share: ${JSON.stringify(share)}`);
    const { problems } = compileText('steps:\n  - {tool: deploy, inputs: {target: live, share: 1.0}}\n', {
      ...FILES,
      'definitions/tools/deploy/tool.yml': tool,
    });
    expect(problems.map(({ code }) => code)).toEqual(isTold ? ['number-spelling'] : []);
  });

  it.each([
    ['{tool: ¦deplo, inputs: {target: live}}', 'unknown-tool', 'There is no tool `deplo`.'],
    ['{tool: ¦critic}', 'unknown-tool', 'There is no tool `critic`.'],
    ['{tool: ¦web_search, inputs: {query: x}}', 'unknown-tool', null],
    ['{tool: ¦agent_create}', 'unknown-tool', 'There is no tool `agent_create`.'],
    ['{tool: ¦filed__create}', 'unknown-tool', 'There is no MCP server `filed` in perdure.yml.'],
    ['{tool: ¦deploy}', 'missing-input', 'The tool `deploy` needs the input `target`.'],
    ['{tool: ¦read_file}', 'missing-input', 'The tool `read_file` needs the input `path`.'],
    [
      '{tool: deploy, inputs: {target: live, ¦taget: test}}',
      'unknown-input',
      'The tool `deploy` takes no input `taget`.',
    ],
    [
      '{tool: deploy, inputs: {target: ¦moon}}',
      'invalid-value',
      'Expected `target` to be one of "test", "live", got `"moon"`.',
    ],
    [
      '{tool: deploy, inputs: {target: live, times: ¦2.5}}',
      'invalid-value',
      'Expected `times` to be a value of type integer, got `2.5`.',
    ],
    ['{tool: deploy, inputs: {target: live}, ¦prompt: x}', 'unknown-key', null],
    ['{tool: deploy, inputs: {target: live}, permissions: {¦networks: true}}', 'unknown-key', null],
    [
      '{tool: deploy, inputs: {target: live}, permissions: {network: ["localhost:80", ¦localhost]}}',
      'invalid-value',
      'Expected a host of this machine with its port, such as localhost:8080, got `localhost`.',
    ],
  ])('%s is refused: %s', (marked, code, message) => {
    const line = `  - ${marked}`;
    const { problems } = compileText(`steps:\n${line.replace('¦', '')}\n`, FILES);
    expect(problems).toMatchObject([
      { line: 2, column: line.indexOf('¦') + 1, code, ...(message === null ? {} : { message }) },
    ]);
  });

  it('that is misspelled is told the name of the nearest, also of the project', () => {
    expect(compileText('steps:\n  - {tool: deplo}\n', FILES).problems).toMatchObject([
      { suggestion: 'did you mean `deploy`?' },
    ]);
    const agent = 'name: scribe\nprompt: You write.\ntools: [deplo]\n';
    expect(
      compileText('steps:\n  - {agent: scribe, prompt: x}\n', { ...FILES, 'definitions/agents/scribe.yml': agent })
        .problems,
    ).toMatchObject([{ code: 'unknown-tool', suggestion: 'did you mean `deploy`?' }]);
  });

  it('is not called unknown where its own file has a problem', () => {
    const files = {
      'definitions/tools/deploy/tool.yml': DEPLOY.replace('version: 1', 'version: none'),
      'definitions/agents/scribe.yml': 'name: scribe\nprompt: You write.\ntools: [deploy]\n',
    };
    for (const step of ['{tool: deploy}', '{agent: scribe, prompt: x}']) {
      expect(compileText(`steps:\n  - ${step}\n`, files).problems).toMatchObject([
        { code: 'invalid-value', file: expect.stringContaining('tool.yml') as string },
      ]);
    }
  });

  it('leaves to the call what a reference gives', () => {
    expect(compileText('steps:\n  - {tool: deploy, inputs: {target: "${where}"}}\n', FILES).problems).toEqual([]);
  });

  it('that names an agent is told how agents are asked', () => {
    expect(compileText('steps:\n  - {tool: critic}\n', FILES).problems).toMatchObject([
      { suggestion: 'it is an agent: write `agent: critic`' },
    ]);
  });
});

describe('What a compiler knows of the tools that come with Perdure', () => {
  it.each(BUILTIN_TOOLS)('%s is what they take', async (name) => {
    const { input_schema: whole } = await handlerOf({ kind: 'builtin', name }).spec(
      { kind: 'builtin', name },
      {} as Store,
    ); // built-in tools read no store
    expect(plainly(BUILTIN_INPUTS[name])).toEqual(plainly(whole));
  });
});

/** Names, types and which must be there. */
function plainly({ properties, required = [], additionalProperties }: JsonObject): Json {
  const types = Object.entries(properties as JsonObject).map(([key, schema]) => [
    key,
    (schema as JsonObject)['type'] ?? null,
  ]);
  return {
    types: Object.fromEntries(types) as JsonObject,
    required: [...(required as string[])].sort(),
    additionalProperties: additionalProperties ?? null,
  };
}
