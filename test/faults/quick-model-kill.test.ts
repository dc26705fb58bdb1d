// @seconds 60
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from './project.js';
import { openProject, until } from './project.js';
import type { Victim } from './strike.js';
import { strike } from './strike.js';

const QUESTIONS = 6;
const HIT = 'question 2';

const FILES = {
  'definitions/agents/teller.yml': 'name: teller\nprompt: You answer.\n',
  'definitions/workflows/ask.yml': `name: ask
steps:
${Array.from(
  { length: QUESTIONS },
  (_, index) => `  - id: q${index}
    agent: teller
    prompt: question ${index}
    quick: true
    timeout: 10s
`,
).join('')}`,
};

/** How far the step has come when the blow falls. */
type Point = 'is asked within its task' | 'goes on as an activity' | 'is journalled';

/** Resolves at that point. */
const POINTS: Record<Point, (project: Project) => Promise<unknown>> = {
  'is asked within its task': async () => undefined,
  // What runs within a workflow task is in no event before it has ended.
  'goes on as an activity': isActivity,
  'is journalled': (project) => until(async () => (await journalOf(project)).includes('answer to question 2')),
};

/** By what the server says, and not by a command: the step has ten seconds in all. */
async function isActivity(project: Project): Promise<void> {
  // as the host writes it
  const { ports } = JSON.parse(await project.read('.perdure/host.json')) as { ports: { grpc: number } };
  const connection = await Connection.connect({ address: `127.0.0.1:${String(ports.grpc)}` });
  const handle = new Client({ connection }).workflow.getHandle('asked');
  await until(async () =>
    (await handle.describe()).raw.pendingActivities?.some(({ activityId }) => activityId === 'q2'),
  );
  await connection.close();
}

async function journalOf({ folder }: Project): Promise<string> {
  const journal = join(folder, '.perdure', 'journal');
  const files = await readdir(journal);
  return (await Promise.all(files.map((file) => readFile(join(journal, file), 'utf8')))).join('\n');
}

const moments: { point: Point; victim: Victim; most: number }[] = [
  { point: 'is asked within its task', victim: 'host', most: 2 },
  { point: 'is asked within its task', victim: 'everything', most: 2 },
  { point: 'goes on as an activity', victim: 'host', most: 2 },
  { point: 'goes on as an activity', victim: 'server', most: 1 },
  { point: 'is journalled', victim: 'host', most: 1 },
  { point: 'is journalled', victim: 'everything', most: 1 },
];

describe('kill -9 of what asks a quick question', () => {
  it.each(moments)('of the $victim, when it $point: it is asked $most times at most', async (moment) => {
    let release = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isHeld = moment.point !== 'is journalled';
    const endpoint = await startModelEndpoint(({ prompt }) => {
      const text = `answer to ${/question \d/.exec(prompt)?.[0] ?? ''}`;
      const usage = { input: 1_000, output: 200 };
      return isHeld && prompt.includes(HIT) && endpoint.countOf(HIT) === 1
        ? { text: 'an', until: gone, rest: text.slice(2), usage }
        : { text, usage };
    });
    const project = await openProject(FILES, { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url });
    try {
      const args = ['run', 'definitions/workflows/ask.yml', '--id', 'asked', '--json'];
      const first = project.start(...args);
      await Promise.race([endpoint.arrival(3), first.finished]);
      expect(first.process.exitCode).toBeNull();
      await POINTS[moment.point](project);
      await strike(project, moment.victim, first.process.pid);
      release();
      if (moment.victim === 'everything') await first.finished;
      const again = await project.run(...args);
      expect(again.code, again.stderr).toBe(0);
      const { status, spend, steps } = JSON.parse(again.stdout) as {
        status: string;
        spend: { tokens: number; steps: number };
        steps: { status: string; output: unknown }[];
      };
      expect(status).toBe('success');
      expect(steps.map(({ status: how }) => how)).toEqual(Array.from({ length: QUESTIONS }, () => 'success'));
      expect(spend).toMatchObject({ steps: QUESTIONS, tokens: QUESTIONS * 1_200 });
      expect(endpoint.countOf(HIT)).toBeLessThanOrEqual(moment.most);
      // Whatever else was under way when the blow fell may be asked once more.
      expect(endpoint.requests.length).toBeLessThanOrEqual(QUESTIONS + 1);
    } finally {
      release();
      await project.close();
      await endpoint.close();
    }
  });
});
