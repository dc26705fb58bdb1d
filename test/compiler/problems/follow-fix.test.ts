// @seconds 40
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/compiler/problems/problem.js';
import { FULL, random, SEED } from '../../faults/seed.js';
import { compileIn } from '../helpers/temporary-project.js';

/* What a fix says is done, letter by letter, by a program: then the problem is gone, and no other has come. */

const ROOT = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'perdure-fixes-'));
cpSync(join(ROOT, 'definitions'), join(folder, 'definitions'), { recursive: true });
writeFileSync(join(folder, 'perdure.yml'), 'devices: {uno: {kind: simulated}, left: {kind: simulated}}\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Words of one file in which a slip is made. */
const SLIPS = FULL ? 90 : 6;
/** A slip in a declaration makes its references wrong, one by one. */
const MOST_FIXES = 6;

const shipped = readdirSync(join(folder, 'definitions'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:yml|flow|json)$/.test(name) && !/^(?:invalid|tools|devices|sandbox|permissions)\//.test(name))
  .map((name) => join('definitions', name))
  .sort();

/** A text after a fix: what stands in its range is replaced, letter by letter. */
function follow(text: string, { fix }: Problem): string {
  if (fix === null) return text;
  const offset = (line: number, column: number): number => {
    let at = 0;
    for (let number = 1; number < line; number++) at = text.indexOf('\n', at) + 1;
    return at + column - 1;
  };
  return text.slice(0, offset(fix.line, fix.column)) + fix.text + text.slice(offset(fix.end_line, fix.end_column));
}

/** A letter is missing, is there twice, or has changed its place with its neighbour. */
function slip(word: string, draw: () => number): string {
  const at = 1 + Math.floor(draw() * (word.length - 2));
  const [before, letter, after] = [word.slice(0, at), word[at] ?? '', word.slice(at + 1)];
  const kind = Math.floor(draw() * 3);
  if (kind === 0) return before + after;
  return kind === 1 ? before + letter + letter + after : before + after.slice(0, 1) + letter + after.slice(1);
}

/** Makes slips in words of a file, and tells of each the problems that it has, and those after all fixes. */
function slipsIn(file: string): { what: string; first: Problem[]; last: Problem[]; isKey: boolean }[] {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const before = new Set(compileIn(folder, file).problems.map(({ message }) => message));
  const told = (now: string): Problem[] => {
    writeFileSync(path, now);
    return compileIn(folder, file).problems.filter(({ message }) => !before.has(message));
  };
  const draw = random(`fixes ${file}`);
  const words = [...text.matchAll(/[A-Za-z_][A-Za-z0-9_-]{3,}/g)];
  const chosen = FULL ? words.filter((_, index) => index % Math.ceil(words.length / SLIPS) === 0) : [];
  while (!FULL && chosen.length < SLIPS) chosen.push(words[Math.floor(draw() * words.length)]!);
  const made = chosen.map((found) => {
    const [word] = found;
    const end = found.index + word.length;
    const typo = slip(word, draw);
    let now = text.slice(0, found.index) + typo + text.slice(end);
    const first = told(now);
    let last = first;
    for (let count = 0; count < MOST_FIXES; count++) {
      const one = last.find(({ fix }) => fix !== null);
      if (one === undefined) break;
      now = follow(now, one);
      last = told(now);
    }
    const isKey = /^["]?:(?:\s|$)/.test(text.slice(end)) && /(?:^|\n)[\s{"-]*$/.test(text.slice(0, found.index));
    return { what: `${file}: ${word} → ${typo}`, first, last, isKey };
  });
  writeFileSync(path, text);
  return made;
}

describe(`a slip in one word of a shipped definition (PERDURE_SEED=${SEED})`, () => {
  it.each(shipped)('%s: what a fix says can be followed literally', { timeout: 120_000 }, (file) => {
    const left = slipsIn(file)
      .filter(({ first }) => first.some(({ fix }) => fix !== null))
      .filter(({ last }) => last.length > 0)
      .map(({ what, last }) => `${what}: ${last.map(({ message }) => message).join(' ')}`);
    expect(left).toEqual([]);
  });
});

/** Codes whose example a person mends: docs/problems.md says why. */
const [, section = ''] = readFileSync(join(ROOT, 'docs/problems.md'), 'utf8').split('## What a person mends\n');
const BY_A_PERSON = new Set(
  section.split('\n- ').flatMap((item) => {
    const codes = /^(?:`[a-z-]+`(?:,\s+)?)+(?=:\s)/.exec(item)?.[0] ?? '';
    return [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code);
  }),
);

describe('files with one problem', () => {
  const invalid = readdirSync(join(folder, 'definitions/invalid')).map((name) => ({
    code: name.replace(/\.\w+$/, ''),
    root: name.includes('.') ? folder : join(folder, 'definitions/invalid', name),
    main: name.includes('.') ? join('definitions/invalid', name) : 'main.yml',
  }));
  const told = ({ code, severity, message, file }: Problem): string => JSON.stringify([code, severity, message, file]);

  it.each(invalid)('$code: its fix takes the problem away and brings none, or a person mends it', (example) => {
    const { code, root, main } = example;
    // The shipped agents are the project's own here.
    const compile = (): Problem[] =>
      compileIn(root, main).problems.filter((problem) => problem.code !== 'shadows-builtin' || code === problem.code);
    const problems = compile();
    const one = problems.find((problem) => problem.code === code && problem.fix !== null);
    expect(one === undefined).toBe(BY_A_PERSON.has(code));
    if (one?.fix == null) return;
    const path = join(root, one.fix.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, follow(text, one));
    const after = compile();
    writeFileSync(path, text);
    expect(after.map(told)).toEqual(problems.filter((problem) => problem !== one).map(told));
  });
});

describe('a slip in a key', () => {
  const step = 'steps:\n  - id: a\n    agent: general-purpose\n    prompt: Say.\n';
  it.each<[string, string, string, string]>([
    ['of an agent', 'agents/a.yml', 'name: a\npromtp: Do it.\n', '2:1 prompt'],
    ['of a workflow', 'x.yml', 'name: x\nstpes:\n  - agent: general-purpose\n    prompt: Say.\n', '2:1 steps'],
    [
      'that says what a step is',
      'x.yml',
      'name: x\nsteps:\n  - agnet: general-purpose\n    prompt: Say.\n',
      '3:5 agent',
    ],
    [
      'that makes a step a block',
      'x.yml',
      'name: x\nsteps:\n  - forecah: [1]\n    steps:\n      - set: {v: "${item}"}\n',
      '3:5 foreach',
    ],
    [
      'that holds the steps of a block',
      'x.yml',
      'name: x\nsteps:\n  - foreach: [1]\n    stpes:\n      - set: {v: "${item}"}\n',
      '4:5 steps',
    ],
    [
      'of a step that others refer to',
      'x.yml',
      `name: x\n${step}    outptu: b\n  - command: [echo, "\${b}"]\n`,
      '6:5 output',
    ],
    ['that a step must have', 'x.yml', 'name: x\nsteps:\n  - tool: read_file\n    inptus: {path: a}\n', '4:5 inputs'],
    ['of a build', 'builds/x.yml', 'nuggte:\n  goal: Pong\n', '1:1 nugget'],
    [
      'that a build must have',
      'builds/x.yml',
      'nugget: {goal: Pong}\nagents: [{naem: a, role: builder}]\n',
      '2:11 name',
    ],
    [
      'of a manifest',
      'p/project.json',
      '{"version": 1, "runtime": {}, "enrty": {"agent": "a"}, "agent_files": ["a.agent"]}',
      '1:32 entry',
    ],
    [
      'of a chain',
      'chains/x.json',
      '{"steps": [{"step": 1, "inputs": ["userRequest"], "otuputs": {"a": "string"}, "command": ["cat"]}]}',
      '1:52 outputs',
    ],
    ['of an agent of a flow', 'x.flow', '$a := {baes: "Explore", prompt: "p"}\n$a:"x"\n', '1:8 base'],
  ])('%s is told once, with its fix, and nothing that would follow', (_what, file, text, expected) => {
    const root = mkdtempSync(join(tmpdir(), 'perdure-fix-'));
    cpSync(folder, root, { recursive: true });
    for (const [name, content] of [
      [file, text],
      ['p/a.agent', '---\nname: a\nmodel: anthropic:x\n---\nDo it.\n'],
    ] as const) {
      cpSync(join(folder, 'perdure.yml'), join(root, name)); // makes the folders
      writeFileSync(join(root, name), content);
    }
    const { plan, problems } = compileIn(root, file);
    rmSync(root, { recursive: true });
    expect(plan).toBeNull();
    const own = problems.filter((one) => one.file === file);
    expect(own.map(({ line, column, fix }) => `${line}:${column} ${fix?.text ?? ''}`)).toEqual([expected]);
  });
});

describe('a key that is nearly one which stands there already', () => {
  it.each([
    ['of a build', 'builds/x.yml', 'goal: A page.\nskills:\n  - {id: s1, kid: user, name: n, prompt: Say.}\n', 'id'],
    ['of a step', 'x.yml', 'name: x\nsteps:\n  - {id: a, command: [ls], comand: [pwd]}\n', 'command'],
    [
      'of a chain',
      'chains/x.json',
      '{"steps": [{"step": 1, "inputs": [], "inputz": [], "command": ["cat"]}]}',
      'inputs',
    ],
  ])('%s has no fix that would write it twice', (_what, file, text, key) => {
    const root = mkdtempSync(join(tmpdir(), 'perdure-twice-'));
    cpSync(join(folder, 'perdure.yml'), join(root, file)); // makes the folders
    writeFileSync(join(root, file), text);
    const { problems } = compileIn(root, file);
    rmSync(root, { recursive: true });
    const [problem] = problems.filter(({ code }) => code === 'unknown-key');
    expect(problem).toMatchObject({ fix: null, suggestion: `\`${key}\` is written already: take this out, or that` });
  });
});

describe('a text that a colon has made a map of', () => {
  it.each([
    [
      'a tool with a word about it',
      'agents/a.yml',
      'prompt: Look.\ntools:\n  - Read\n  - Grep: for patterns\n',
      'Grep',
    ],
    [
      'a gate',
      'builds/b.yml',
      'goal: A page.\nworkflow:\n  human_gates:\n    - Half: does it look right?\n',
      '"Half: does it look right?"',
    ],
  ])('%s', (_title, file, text, mended) => {
    const path = join('definitions', file.replace('/', '/mine-'));
    writeFileSync(join(folder, path), text);
    const [problem, ...others] = compileIn(folder, path).problems;
    expect(others).toEqual([]);
    expect(problem?.fix?.text).toBe(mended);
    writeFileSync(join(folder, path), follow(text, problem!));
    expect(compileIn(folder, path).problems).toEqual([]);
  });
});
