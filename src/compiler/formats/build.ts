import { z } from 'zod';
import { check } from '../text/check.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { anyJson, count, filledText, name, text } from './values.js';

const words = z.array(text, { error: 'a list of texts' });
const flag = z.boolean({ error: 'true or false' });
const TYPES = ['game', 'website', 'hardware', 'story', 'tool', 'general'] as const;
const map = (what: string) => ({ error: `a map: ${what}` });
const list = <T extends z.ZodType>(item: T, most: number, what: string) =>
  z.array(item, { error: `a list of ${what}` }).max(most, { error: `at most ${most} ${what}` });

const goalShape = {
  goal: filledText.optional().describe('What is to be built, in a sentence or two.'),
  type: z
    .enum(TYPES, { error: `one of ${TYPES.join(', ')}` })
    .optional()
    .describe('What kind of thing it is; general when left out.'),
  description: text.optional().describe('More about it.'),
};

const requirement = z.strictObject(
  {
    type: z
      .enum(['feature', 'constraint', 'when_then', 'data', 'timer'], {
        error: 'one of feature, constraint, when_then, data, timer',
      })
      .optional()
      .describe('What kind of requirement it is; feature when left out.'),
    description: filledText.describe('What must hold of the result.'),
    test_id: text.optional().describe('The behavioural test that shows it.'),
  },
  map('a requirement with type and description'),
);

const buildAgent = z.strictObject(
  {
    name: filledText.describe('What the agent is called.'),
    role: z
      .enum(['builder', 'tester', 'reviewer', 'custom'], { error: 'one of builder, tester, reviewer, custom' })
      .describe('What it does.'),
    persona: text.optional().describe('How it speaks and what it cares for.'),
    allowed_paths: words.optional().describe('Paths it may write to.'),
    restricted_paths: words.optional().describe('Paths it must not touch.'),
  },
  map('an agent with name and role'),
);

const skill = z.strictObject(
  {
    id: text.optional().describe('Its id.'),
    name: filledText.describe('What the skill is called.'),
    category: z
      .enum(['agent', 'feature', 'style', 'composite'], { error: 'one of agent, feature, style, composite' })
      .optional()
      .describe('Whom it is for.'),
    prompt: filledText.describe('What agents are told.'),
  },
  map('a skill with name and prompt'),
);

const rule = z.strictObject(
  {
    id: text.optional().describe('Its id.'),
    name: filledText.optional().describe('What the rule is called.'),
    trigger: z
      .enum(['always', 'on_task_complete', 'on_test_fail', 'before_deploy'], {
        error: 'one of always, on_task_complete, on_test_fail, before_deploy',
      })
      .optional()
      .describe('When it holds; always when left out.'),
    prompt: filledText.describe('What agents are told then.'),
  },
  map('a rule with trigger and prompt'),
);

const age = z.number({ error: 'an age in years' }).int().min(1, { error: 'an age of at least 1' }).max(120, {
  error: 'an age of at most 120',
});
const audience = z.strictObject(
  {
    ages: z
      .tuple([age, age], { error: 'the youngest and the oldest age, such as [8, 14]' })
      .refine(([least, most]) => least <= most, { error: 'the youngest age first, such as [8, 14]' })
      .optional()
      .describe('The youngest and the oldest; [8, 14] when left out.'),
  },
  map('ages: the youngest and the oldest'),
);

const flow = z.strictObject(
  {
    review_enabled: flag.optional().describe('Whether results are reviewed; so when there is a reviewer.'),
    testing_enabled: flag.optional().describe('Whether results are tested; so unless the spec says no.'),
    human_gates: list(text, 10, 'gates').optional().describe('Where a person is asked before the build goes on.'),
    flow_hints: z
      .array(anyJson, { error: 'a list' })
      .optional()
      .describe('Which tasks follow each other, or go side by side.'),
    iteration_conditions: z
      .array(anyJson, { error: 'a list' })
      .optional()
      .describe('Until when something is repeated.'),
    behavioral_tests: z
      .array(
        z.strictObject(
          { when: filledText.describe('What happens.'), then: filledText.describe('What must follow.') },
          map('a test with when and then'),
        ),
        { error: 'a list of tests' },
      )
      .optional()
      .describe('What must follow when something happens.'),
  },
  map('how the build goes'),
);

const buildShape = {
  $schema: text.optional().describe('For editors.'),
  name: name.optional().describe("Name of the build; the file's name when left out."),
  nugget: z
    .strictObject(goalShape, map('goal, type and description'))
    .optional()
    .describe('What is to be built: goal, type and description. They may stand at the top as well.'),
  ...goalShape,
  requirements: list(requirement, 50, 'requirements').optional().describe('What must hold of the result.'),
  style: z
    .record(z.string(), anyJson, map('how it looks and speaks'))
    .optional()
    .describe('How it looks and speaks: visual, personality.'),
  audience: audience.optional().describe('For whom it is built; all that is made and said is fit for them.'),
  agents: list(buildAgent, 20, 'agents').optional().describe('Who builds; a builder and a tester when left out.'),
  deployment: z
    .strictObject(
      {
        target: z
          .enum(['preview', 'web', 'esp32', 'both'], { error: 'one of preview, web, esp32, both' })
          .optional()
          .describe('Where the result goes; preview when left out.'),
        auto_flash: flag.optional().describe('Whether a device is flashed without asking.'),
      },
      map('target and auto_flash'),
    )
    .optional()
    .describe('Where the result goes.'),
  workflow: flow.optional().describe('Tests, reviews and gates of the build.'),
  skills: list(skill, 50, 'skills').optional().describe('What agents know to do.'),
  rules: list(rule, 50, 'rules').optional().describe('What agents must heed.'),
  portals: list(z.record(z.string(), anyJson, map('a portal')), 20, 'portals')
    .optional()
    .describe('Outside things the result talks to.'),
  devices: list(z.record(z.string(), anyJson, map('a device')), 20, 'devices')
    .optional()
    .describe('Devices the result runs on.'),
  permissions: z.record(z.string(), anyJson, map('permissions')).optional().describe('What agents may do unasked.'),
  max_tokens: count.optional().describe('Tokens for the whole build; 500000 when left out.'),
};

/** The whole file. */
export const buildSchema = z
  .strictObject(buildShape)
  .describe('A build spec: what is to be built, by whom, and what must hold of it.');

export type AuthoredBuild = z.infer<typeof buildSchema>;

/** Reads a build spec. Keys that nothing knows are warnings: specs are drawn by tools that know more than we do. */
export function readBuild(node: Node, report: Report): AuthoredBuild | null {
  const authored = check(buildSchema, node, { report, unknownKeys: 'warning' });
  if (authored === null || (authored.nugget?.goal ?? authored.goal) !== undefined) return authored;
  const at = memberOf(node, 'nugget') ?? node;
  report({ code: 'missing-key', at, message: 'Expected `goal`: what is to be built.' });
  return null;
}
