import { z } from 'zod';
import type { Spelling } from '../../text/respell.js';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { memberOf } from '../../text/node.js';
import type { Report } from '../../problems/problem.js';
import { anyJson, count, name, text } from '../values.js';
import { buildAgent, permissions, rule, skill } from './agents.js';
import { deviceNameNode, targetDevice } from './target-device.js';
import { flow } from './flow.js';
import { composition, knowledge, meetingTeam, portal, runtime } from './outside.js';
import { warnOfOverruled } from './overruled.js';
import { warnOfUnreached } from './unreached.js';
import { warnOfUnused } from './unused.js';
import { filledUpTo, flag, list, map, textUpTo } from './values.js';

const TYPES = ['game', 'website', 'hardware', 'story', 'tool', 'general'] as const;

const goalShape = {
  goal: filledUpTo(2000).optional().describe('What is to be built, in a sentence or two.'),
  type: z
    .enum(TYPES, { error: `one of ${TYPES.join(', ')}` })
    .optional()
    .describe('What kind of thing it is; general when left out.'),
  description: textUpTo(2000).optional().describe('More about it.'),
};

const requirement = z.strictObject(
  {
    type: z
      .enum(['feature', 'constraint', 'when_then', 'data', 'timer'], {
        error: 'one of feature, constraint, when_then, data, timer',
      })
      .optional()
      .describe('What kind of requirement it is; feature when left out.'),
    description: filledUpTo(2000).describe('What must hold of the result.'),
    test_id: textUpTo(200).optional().describe('The behavioural test that shows it.'),
  },
  map('a requirement with type and description'),
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
    .nullable()
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
        runtime_url: textUpTo(500).optional().describe('A runtime for an agent of the result. Nothing is sent there.'),
        provision_runtime: flag.optional().describe('Whether such a runtime is set up. It is not.'),
      },
      map('target and auto_flash'),
    )
    .optional()
    .describe('Where the result goes.'),
  workflow: flow.optional().describe('Tests, reviews and gates of the build.'),
  skills: list(skill, 50, 'skills').optional().describe('What agents know to do.'),
  rules: list(rule, 50, 'rules').optional().describe('What agents must heed.'),
  portals: list(portal, 20, 'portals').optional().describe('Outside things the result talks to.'),
  devices: list(targetDevice, 20, 'devices').optional().describe('Devices the result runs on.'),
  permissions: permissions.optional().describe('What agents may do unasked.'),
  runtime: runtime.optional().describe('An agent that the result may have; told to those who build.'),
  knowledge: knowledge.optional().describe('What that agent knows; told to those who build.'),
  composition: composition.optional().describe('What it gives to other projects; told to those who build.'),
  meeting_team: meetingTeam.optional().describe('Who would talk about it; nobody meets.'),
  narrate: flag
    .optional()
    .describe('Whether a narrator and a teacher tell those who watch the build; false when left out.'),
  max_tokens: count.optional().describe('Tokens for the whole build; 500000 when left out.'),
};

/** The whole file. */
export const buildSchema = z
  .strictObject(buildShape)
  .describe('A build spec: what is to be built, by whom, and what must hold of it.');

export type AuthoredBuild = z.infer<typeof buildSchema>;

/** What `respelled` holds a build spec against. */
export const buildSpelling: Spelling = {
  schema: buildSchema,
  unknownKeys: 'warning',
  wanted: new Set(['nugget', 'goal']),
};

/** Reads a build spec. Keys that nothing knows are warnings: specs are drawn by tools that know more than we do. */
export function readBuild(node: Node, report: Report): AuthoredBuild | null {
  const authored = check(buildSchema, node, { report, unknownKeys: 'warning' });
  if (authored !== null) {
    warnOfUnused(node, report);
    warnOfUnreached(node, report);
    warnOfOverruled(node, report);
  }
  if (authored !== null && refuseSameNames(node, report)) return null;
  if (authored === null || (authored.nugget?.goal ?? authored.goal) !== undefined) return authored;
  const at = memberOf(node, 'nugget') ?? node;
  report({ code: 'missing-key', at, message: 'Expected `goal`: what is to be built.' });
  return null;
}

/**
 * Tasks are for agents by their names, and so is what these may write; what is flashed is a board's. Two of one name
 * are a problem.
 */
function refuseSameNames(node: Node, report: Report): boolean {
  const again = [
    ...secondOf(node, 'agents', (agent) => memberOf(agent, 'name')),
    ...secondOf(node, 'devices', deviceNameNode),
  ];
  for (const [list, at] of again)
    report({
      code: 'duplicate-name',
      at,
      message: `Two of the \`${list}\` are called \`${String(at.value)}\`: nobody could say which one is meant.`,
      suggestion: 'give each a name of its own',
    });
  return again.length > 0;
}

/** Names of a list that stand before in it. */
function secondOf(node: Node, list: string, nameOf: (item: Node) => Node | null): [string, Node][] {
  const names = (memberOf(node, list)?.items ?? []).flatMap((item) => nameOf(item) ?? []);
  const again = names.filter(({ value }, index) => names.findIndex((other) => other.value === value) < index);
  return again.map((name) => [list, name]);
}
