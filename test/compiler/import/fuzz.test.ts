// @seconds 15
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importDefinitions } from '../../../src/cli/import/import-definitions.js';
import { FULL, random, SEED } from '../../faults/seed.js';

const FILES = {
  conductor:
    'workflow: {name: x, entry_point: a, input: {q: {type: string}}}\nagents:\n  - name: a\n' +
    '    prompt: "Do {{ workflow.input.q }} {{ b.output.result }}"\n    output: {good: {type: boolean}}\n' +
    '    routes:\n      - {to: b, when: "{{ not output.good and (1 < 2) }}"}\n      - {to: $end}\n' +
    '  - {name: b, prompt: "{% if a is defined %}x{% endif %}", routes: [{to: a}]}\n' +
    'output: {t: "{{ b.output.result }}"}\n',
  archon:
    'name: x\nnodes:\n  - {id: a, prompt: "Do $ARGUMENTS"}\n  - {id: b, bash: "echo $a.output", depends_on: [a],\n' +
    '     when: "$a.output != \'\'"}\n  - {id: c, approval: {message: ok}, depends_on: [b]}\n',
  'gh-aw':
    '---\non: issues\nengine: {id: claude, model: sonnet}\nimports: [shared/a.md]\ntools: {bash: [ls], edit: null}\n' +
    'permissions: read-all\nsafe-outputs: {add-comment: {max: 1}}\ntimeout-minutes: 5\n---\n' +
    'Look at ${{ github.event.issue.number }}.\n{{#import shared/a.md}}\n',
  goose: 'title: x\ndescription: y\nprompt: "Do {{ q }}"\nparameters: [{key: q, requirement: required}]\n',
};
const PIECES = [
  '{{',
  '}}',
  '{%',
  '$',
  "'",
  '"',
  '[',
  ']',
  ':',
  '\n',
  '  ',
  '- ',
  'null',
  '&x',
  '*x',
  '${',
  '\\',
  'a',
  '0',
];
const ROUNDS = FULL ? 4_000 : 60;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'perdure-import-fuzz-'));
  writeFileSync(join(folder, 'perdure.yml'), '{}\n');
  mkdirSync(join(folder, '.github/workflows/shared'), { recursive: true });
  writeFileSync(join(folder, '.github/workflows/shared/a.md'), 'Be kind.\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function mutated(text: string, next: () => number): string {
  let changed = text;
  for (let left = 1 + Math.floor(next() * 4); left > 0; left--) {
    const at = Math.floor(next() * changed.length);
    const cut = Math.floor(next() * 6);
    changed = changed.slice(0, at) + (PIECES[Math.floor(next() * PIECES.length)] ?? '') + changed.slice(at + cut);
  }
  return changed;
}

describe(`files of neighbours with random changes (seed ${SEED})`, () => {
  it.each(Object.entries(FILES))(
    'of %s are imported or refused, and nothing is written where they are',
    (name, text) => {
      const next = random(`import ${name}`);
      for (let round = 0; round < ROUNDS; round++) {
        const changed = mutated(text, next);
        const path = name === 'gh-aw' ? '.github/workflows/flow.md' : 'flow.yaml';
        writeFileSync(join(folder, path), changed);
        const command = { path, to: null, dryRun: false, overwrite: true, partial: false, cwd: folder };
        const { files, attempts, problems } = importDefinitions(command);
        const told = [...problems, ...attempts.flatMap((attempt) => attempt.problems)];
        for (const { line, column } of told) expect(Math.min(line, column), changed).toBeGreaterThan(0);
        if (files.length === 0) expect(told, changed).not.toEqual([]);
        expect(readdirSync(folder).includes('definitions'), changed).toBe(files.length > 0);
        rmSync(join(folder, 'definitions'), { recursive: true, force: true });
      }
    },
    // All of the campaign is 66 times its shard.
    FULL ? 3_600_000 : 100_000,
  );
});
