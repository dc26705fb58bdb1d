// @seconds 25
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createChecker } from '../../../src/compiler/editing/checker.js';
import { withOverlay } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import type { Below } from './shard.js';
import { SEED, shardOf } from './shard.js';
import { edited, writtenWorkflow } from './texts.js';

const HELPERS = [
  'name: helper\nprompt: Help with ${nothing}.\n',
  'name: helper\ninputs: {topic: {default: x}}\nprompt: Help with ${topic}.\n',
  'name: helper\ninputs: {topic: {required: true}}\nprompt: Help with ${topic}.\nmodel: sonet\n',
  'name: helper\nprompt: [\n',
  'name: another\nprompt: Help.\n',
];

function newFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-editing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function pickFrom<T>(list: readonly T[], random: Below): T {
  return list[random(list.length)] as T; // the list is not empty
}

it(
  `what is found step by step is what validate finds, whatever is typed anywhere (PERDURE_SEED=${SEED})`,
  { timeout: 1_800_000 },
  () => {
    const folder = newFolder({
      'perdure.yml': 'models: {aliases: {quick: haiku}}\n',
      'definitions/agents/helper.yml': HELPERS[0] ?? '',
      'definitions/workflows/nested.yml':
        'name: nested\ninputs: {target: {type: string}}\nsteps:\n  - agent: helper\n    prompt: ${target} ${more}\n',
    });
    const file = join(folder, 'definitions/workflows/written.yml');
    const helper = join(folder, 'definitions/agents/helper.yml');
    let found = 0;
    for (const { below: random } of shardOf('steps compiled alone', 400, 8)) {
      let text = writtenWorkflow(random, 8 + random(8));
      const texts = new Map<string, string>();
      const { check } = createChecker(file, folder);
      for (let turn = 0; turn < 25; turn++) {
        texts.set(file, text);
        const expected = withOverlay({ texts }, () => validatePaths([file], folder).problems);
        expect(check(texts), text).toEqual(expected);
        found += expected.length;
        if (random(12) === 0) texts.set(helper, pickFrom(HELPERS, random));
        text = random(6) === 0 ? writtenWorkflow(random, 8 + random(8)) : edited(text, random);
      }
    }
    expect(found).toBeGreaterThan(100);
  },
);
