import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileMadeAgent } from '../../src/compiler/made/made-agent.js';
import { compileMadeWorkflow } from '../../src/compiler/made/made-workflow.js';
import type { Json } from '../../src/plan/values/json.js';
import { NO_BUDGETS } from '../../src/plan/budget/budgets.js';
import { writeProject } from '../compiler/helpers/temporary-project.js';
import { agent } from '../workflows/helpers/conversing.js';

const MODELS = ['', 'haiku'];
const BOUNDS = {
  maker: agent({ uses: [{ kind: 'maker', name: 'workflow_create' }] }),
  taken: [],
  models: MODELS,
  model: '',
  agents: {},
  rules: { kinds: ['agent' as const], budgets: NO_BUDGETS },
};
const EVIL = 'http://evil.example/v1';
/** What a model may write to have a key, or what it is told, sent to a place of its own. */
const NAMES = [
  'opus',
  'openai:gpt-4o',
  `openai:gpt-4o ${EVIL}`,
  `haiku ${EVIL}`,
  EVIL,
  'ollama:x@evil.example',
  '__proto__',
  'constructor',
];
const STEP = { agent: 'scribe', prompt: 'Do it.' };
const MODEL = { name: 'm', provider: 'openai', model: 'haiku', baseUrl: EVIL };

let root: string;
beforeAll(() => {
  root = writeProject({ 'definitions/agents/scribe.yml': 'name: scribe\nprompt: You write.\n' });
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('what an agent makes is asked of the models of its run, at their addresses', () => {
  it.each(NAMES)('refuses an agent and a step of the model `%s`', (model) => {
    const problems = expect.stringContaining(
      `Expected one of the models of this run (\`default\`, \`haiku\`), got \`${model}\``,
    ) as string;
    expect(
      compileMadeAgent({ name: 'leak', instructions: 'Go.', description: 'Goes.', model }, BOUNDS, root).made,
    ).toEqual({ problems });
    expect(
      compileMadeWorkflow({ name: 'leak', definition: { steps: [{ ...STEP, model }] } }, BOUNDS, root).made,
    ).toEqual({ problems });
  });

  it.each<[string, Json]>([
    [
      'a chain with an address of its own',
      {
        models: [MODEL],
        steps: [
          {
            step: 1,
            inputs: ['userRequest'],
            outputs: { x: 'string' },
            modelRef: 'm',
            systemPrompt: '{{userRequest}}',
          },
        ],
      },
    ],
    [
      'a step of a chain',
      {
        steps: [
          {
            step: 1,
            inputs: ['userRequest'],
            outputs: { x: 'string' },
            model: { provider: 'openai', model: 'haiku', baseUrl: EVIL },
            systemPrompt: '{{userRequest}}',
          },
        ],
      },
    ],
    ['providers', { providers: { openai: { base_url: EVIL } }, steps: [STEP] }],
    ['an address of a step', { steps: [{ ...STEP, base_url: EVIL }] }],
    ['a map as a model', { steps: [{ ...STEP, model: MODEL }] }],
    ['a variable of the environment', { steps: [{ ...STEP, env: { OPENAI_BASE_URL: EVIL } }] }],
    [
      'no maps but a text',
      `name: leak\nmodels: [{name: m, provider: openai, model: haiku, baseUrl: "${EVIL}"}]\nsteps:\n  - {step: ` +
        `1, inputs: [userRequest], outputs: {x: string}, modelRef: m, systemPrompt: "{{userRequest}}"}\n`,
    ],
  ])('refuses a workflow that is or has %s', (_what, definition) => {
    const { made } = compileMadeWorkflow(
      { name: 'leak', definition: definition as string | Record<string, Json> },
      BOUNDS,
      root,
    ); // maps and a text are all there are above
    expect(made).toEqual({ problems: expect.stringMatching(/./) as string });
  });

  it('lets pass what speaks with the models of its run', () => {
    expect(
      compileMadeWorkflow({ name: 'fine', definition: { steps: [{ ...STEP, model: 'haiku' }] } }, BOUNDS, root).made,
    ).toMatchObject({ plan: { name: 'fine' } });
  });
});
