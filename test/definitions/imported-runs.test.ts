// @seconds 60
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import { strike } from '../faults/strike.js';

/* A file of each neighbour, imported, checked and run: it ends as it would there. */

const ARCHON = `name: fix-issue
description: Looks into an issue, and mends or answers.
worktree: {enabled: false}
nodes:
  - id: look
    prompt: "Investigate: $ARGUMENTS"
    effort: high
    output_format: {type: object, properties: {kind: {type: string}}, required: [kind]}
  - id: mend
    prompt: Mend the bug.
    depends_on: [look]
    when: "$look.output.kind == 'bug'"
    context: fresh
  - id: reply
    prompt: Reply to the question.
    depends_on: [look]
    when: "$look.output.kind == 'question'"
    context: fresh
  - id: check
    bash: echo "checked $mend.output"
    depends_on: [mend, reply]
    trigger_rule: none_failed_min_one_success
`;
const CONDUCTOR = `workflow:
  name: drafts
  entry_point: writer
  input: {topic: {type: string}}
agents:
  - name: writer
    prompt: "Write of {{ workflow.input.topic }}."
    routes: [{to: critic}]
  - name: critic
    prompt: "Judge {{ writer.output.result }}"
    output: {good: {type: boolean}}
    routes:
      - {to: printer, when: "{{ output.good }}"}
      - {to: writer}
  - name: printer
    prompt: "Print {{ writer.output.result }}"
    routes: [{to: $end}]
output: {text: "{{ printer.output.result }}"}
`;
/** Two look side by side, people are asked, and a choice leads back. */
const TRIP = `workflow:
  name: trip
  entry_point: scout
  input: {place: {type: string}}
agents:
  - name: scout
    prompt: "Scout {{ workflow.input.place }}."
    output: {warm: {type: boolean}, open: {type: array}}
    routes:
      - {to: looks, when: "{{ output.warm }}"}
      - {to: never}
  - {name: food, prompt: "Find food in {{ workflow.input.place }}."}
  - {name: beds, prompt: "Find beds in {{ workflow.input.place }}."}
  - {name: never, prompt: "Stay at home.", routes: [{to: $end}]}
  - name: wishes
    type: questions
    prompt: Before it is planned.
    questions:
      - {id: days, text: "How many days in {{ workflow.input.place }}?"}
      - {id: money, text: How much money?, choices: [little, much]}
    routes: [{to: details}]
  - {name: details, type: questions, source: scout.output.open, routes: [{to: plan}]}
  - name: plan
    prompt: >-
      Plan {{ wishes.output.answers.days }} days, {{ wishes.output.answers.money }} money,
      {{ details.output.items }}: {{ looks.outputs.food }}, {{ looks.outputs.beds }}.
    routes: [{to: good}]
  - name: good
    type: human_gate
    prompt: "Is it good? {{ plan.output.result }}"
    options:
      - {label: Go, value: go, route: $end}
      - {label: Again, value: again, route: plan}
parallel: [{name: looks, agents: [food, beds], routes: [{to: wishes}]}]
output:
  plan: "{{ plan.output.result }}"
  chosen: "{{ good.output.selected }}"
`;
const GOOSE = `version: 1.0.0
title: Take Notes
description: Writes notes.
instructions: You take notes.
prompt: "Note down {{ what }}."
parameters: [{key: what, input_type: string, requirement: required, description: What to note.}]
extensions: [{type: builtin, name: developer}]
retry:
  max_retries: 2
  checks: [{type: shell, command: "grep -q ok note.txt"}]
`;
const GH_AW = `---
on: {issues: {types: [opened]}}
permissions: read-all
engine: {id: claude, model: sonnet}
tools: {edit: null}
timeout-minutes: 5
---

Triage issue \${{ github.event.issue.number }}.
`;

let project: Project;
let endpoint: ModelEndpoint;
/** Drafts that were asked for, by their topics. */
const drafts = new Map<string, number>();
let notes = 0;
let plans = 0;
/** Called when a second draft is asked for. */
let onSecondDraft: () => void = () => undefined;

const say = (text: string): Answer => ({ text });

/** What models say, by what they are asked. */
const ANSWERS: [asked: RegExp, answer: (asked: string, results: number) => Answer][] = [
  [/Investigate: /, (asked) => say(`{"kind": "${asked.includes('?') ? 'question' : 'bug'}"}`)],
  [/Mend the bug/, () => say('Mended.')],
  [/Reply to/, () => say('Replied.')],
  [/Write of \w+/, (asked) => draftOf(/Write of (\w+)/.exec(asked)?.[1] ?? '')],
  [/Judge /, (asked) => say(`{"good": ${!asked.includes('draft 1')}}`)],
  [/Print /, (asked) => say(`printed ${/\w+ draft \d/.exec(asked)?.[0] ?? ''}`)],
  [/Scout Home/, () => say('{"warm": false, "open": []}')],
  [/Scout Rome/, () => say('{"warm": true, "open": ["By train?", {"question": "Alone?", "hint": "Or two?"}]}')],
  [/Find (food|beds) in Rome/, (asked) => say(asked.includes('food') ? 'pasta' : 'bunks')],
  [/Plan 3 days/, (asked) => say(`plan ${(plans += 1)} of ${asked.replace(/\s+/g, ' ').trim()}`)],
  [/Stay at home/, () => say('Home it is.')],
  [/Note down/, (_, results) => note(results)],
  [/Triage issue 7\./, () => say('A duplicate.')],
];

function draftOf(topic: string): Answer {
  const number = (drafts.get(topic) ?? 0) + 1;
  drafts.set(topic, number);
  if (number === 2) onSecondDraft();
  return say(`${topic} draft ${number}`);
}

/** The first time it says so, and does nothing. */
function note(results: number): Answer {
  if (results > 0) return say('Noted.');
  notes += 1;
  const write = { name: 'write_file', input: { path: 'note.txt', content: 'ok' } };
  return notes === 1 ? say('Noted.') : { tools: [write] };
}

function answerTo({ messages, results: { count } }: RecordedRequest): Answer {
  const asked = messages[0]?.text ?? '';
  const found = ANSWERS.find(([pattern]) => pattern.test(asked));
  return found === undefined ? { status: 400, message: `Nobody expects: ${asked}` } : found[1](asked, count);
}

beforeAll(async () => {
  endpoint = await startModelEndpoint(answerTo);
  project = await openProject(
    {
      '.archon/workflows/fix-issue.yaml': ARCHON,
      'drafts.yaml': CONDUCTOR,
      'trip.yaml': TRIP,
      'notes.yaml': GOOSE,
      '.github/workflows/triage.md': GH_AW,
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

async function bring(file: string): Promise<void> {
  const { code, stdout, stderr } = await project.run('import', file, '--json');
  expect(code, stderr).toBe(0);
  const { files } = JSON.parse(stdout) as { files: { file: string; status: string }[] };
  // An agent that all of them have is there already when another one is imported.
  for (const { status } of files) expect(['written', 'unchanged']).toContain(status);
  const checked = await project.run('validate', ...files.map(({ file: written }) => written));
  expect(checked.code, checked.stderr).toBe(0);
}

async function run(...args: string[]): Promise<RunResult> {
  const { stdout, stderr } = await project.run('run', ...args, '--yes', '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as RunResult;
}

/** How steps ended, by their ids. */
function statuses({ steps }: RunResult): Record<string, string> {
  const ended = steps as { id: string; status: string }[]; // all steps have ids here
  return Object.fromEntries(ended.map(({ id, status }) => [id, status]));
}

it('a workflow of Archon takes the branch that its condition chooses, and goes on behind both', async () => {
  await bring('.archon/workflows/fix-issue.yaml');
  const bug = await run('fix-issue', 'The login fails.', '--id', 'bug');
  expect(bug).toMatchObject({ status: 'success', output: 'checked Mended.' });
  expect(statuses(bug)).toMatchObject({ look: 'success', mend: 'success', reply: 'skipped', check: 'success' });
  const question = await run('fix-issue', 'How do I log in?');
  expect(statuses(question)).toMatchObject({ mend: 'skipped', reply: 'success', check: 'success' });
  expect(question.output).toBe('checked ');
});

describe('a workflow of conductor', () => {
  it('goes back until its critic is content, and yields what it says', async () => {
    await bring('drafts.yaml');
    const result = await run('drafts', '-i', 'topic=bees');
    expect(result).toMatchObject({ status: 'success', output: { text: 'printed bees draft 2' } });
    expect([endpoint.countOf('Write of bees.'), endpoint.countOf('Judge bees draft')]).toEqual([2, 2]);
  });

  it('goes on where it was when its host is killed between two rounds', async () => {
    const second = new Promise<void>((resolve) => (onSecondDraft = resolve));
    const args = ['run', 'drafts', '-i', 'topic=wasps', '--id', 'wasps', '--yes', '--json'];
    const running = project.start(...args);
    await second;
    await strike(project, 'host', undefined);
    await running.finished;
    const { stdout } = await project.run(...args);
    const { status, output } = JSON.parse(stdout) as RunResult;
    expect({ status, output }, stdout).toEqual({
      status: 'success',
      // The second draft is asked for again where its answer was lost with the host.
      output: { text: expect.stringMatching(/^printed wasps draft [23]$/) as string },
    });
    // What was answered before the blow is not asked again.
    expect(endpoint.countOf('Judge wasps draft 1')).toBe(1);
  });
});

/** A gate as `list --waiting` tells of it. */
interface Waiting {
  gate: string;
  message: string;
}

/** The next thing that a run asks people: what was answered may be listed a little longer. */
function asks(run: string, answered: Set<string>): Promise<Waiting> {
  return until(async () => {
    const waiting = JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as Waiting[];
    return waiting.find(({ gate }) => gate.startsWith(`${run}/`) && !answered.has(gate));
  });
}

describe('a workflow of conductor that asks people', () => {
  it('looks side by side, asks one question after the other, and goes back where a choice leads', async () => {
    await bring('trip.yaml');
    expect((await project.run('run', 'trip', '-i', 'place=Rome', '--id', 'rome', '--no-wait')).code).toBe(4);
    const said: string[] = [];
    const answered = new Set<string>();
    for (const answer of ['3', 'little', 'Yes', 'No', 'again', 'go']) {
      const { gate, message } = await asks('rome', answered);
      expect(message).toBe(message.trimEnd());
      said.push(message.replace(/\s+/g, ' ').trim());
      answered.add(gate);
      const { code, stderr } = await project.run('answer', gate, answer);
      expect(code, stderr).toBe(0);
    }
    expect((await project.run('watch', 'rome')).code).toBe(0);
    const plan = (number: number): string =>
      `plan ${number} of Plan 3 days, little money, [ { "answer": "Yes", "question": "By train?" }, ` +
      '{ "answer": "No", "question": "Alone?" } ]: pasta, bunks.';
    expect(said).toEqual([
      'Before it is planned. How many days in Rome?',
      'Before it is planned. How much money? - little - much',
      'By train?',
      'Alone? Or two?',
      `Is it good? ${plan(1)} go: Go again: Again`,
      `Is it good? ${plan(2)} go: Go again: Again`,
    ]);
    const result = JSON.parse((await project.run('show', 'rome', '--json')).stdout) as RunResult;
    expect(result).toMatchObject({ status: 'success', output: { plan: plan(2), chosen: 'go' } });
    expect(statuses(result)).toMatchObject({ never: 'skipped', food: 'success', beds: 'success' });
  });

  it('ends where its route leads, and asks nobody then', async () => {
    const result = await run('trip', '-i', 'place=Home');
    expect(result.status).toBe('success');
    expect(statuses(result)).toMatchObject({ never: 'success', food: 'skipped', beds: 'skipped', wishes: 'skipped' });
  });
});

it('a recipe of goose is tried again until its check passes', async () => {
  await bring('notes.yaml');
  const result = await run('take-notes', '-i', 'what=milk');
  expect(result.status, JSON.stringify(result)).toBe('success');
  expect(notes).toBe(2);
  expect(await project.read('note.txt')).toBe('ok');
});

it('an agentic workflow of GitHub is asked of what GitHub would give', async () => {
  await bring('.github/workflows/triage.md');
  expect(await run('triage', '-i', 'issue_number=7')).toMatchObject({ status: 'success', output: 'A duplicate.' });
  expect((await project.run('run', 'triage', '--yes')).code).toBe(2);
});

describe('a run is exported as it was, whatever became of its files', () => {
  it('as a picture, as agents of Claude Code, and as a workflow of Archon', async () => {
    const { stdout: drawn } = await project.run('export', 'wasps', '--to', 'mermaid');
    expect(drawn).toMatch(/^flowchart/);
    expect(drawn).toContain('writer');

    const claude = await project.run('export', 'bug', '--to', 'claude', '--out', 'theirs', '--json');
    expect(claude.code, claude.stderr).toBe(0);
    const { files } = JSON.parse(claude.stdout) as { files: string[] };
    expect(files).toContain('theirs/fix-issue-look.md');
    expect(await project.read('theirs/fix-issue-look.md')).toContain('effort: high');
    expect(existsSync(join(project.folder, '.claude'))).toBe(false);

    // Its conditions have no words there.
    const refused = await project.run('export', 'bug', '--to', 'archon');
    expect({ code: refused.code === 0, stdout: refused.stdout }).toEqual({ code: false, stdout: '' });
    expect(refused.stderr).toContain('its `when`');
  });

  it('also as a workflow that Archon reads, which comes back as the same steps', async () => {
    const { stdout } = await project.run('export', 'triage', '--to', 'archon');
    expect((parse(stdout) as { nodes: { prompt: string }[] }).nodes[0]?.prompt).toContain('Triage issue $INPUTS.');
  });
});
