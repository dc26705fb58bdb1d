// @seconds 50
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject, until } from './project.js';
import { FULL, random } from './seed.js';
import type { Victim } from './strike.js';
import { strike } from './strike.js';

const STEPS = 12;
const LINES = 'lines.txt';

/**
 * Every step appends a line when it starts and one when it is done; every third one asks a model. The last one waits:
 * the run does not end before the blow falls.
 */
const WORKFLOW = `name: survive
steps:
${Array.from({ length: STEPS }, (_, index) =>
  index % 3 === 2
    ? `  - agent: general-purpose\n    id: s${index}\n    prompt: question ${index}\n`
    : `  - id: s${index}
    command: [sh, -c, 'echo "start $0" >> ${LINES}; sleep 0.1; echo "done $0" >> ${LINES}', "${index}"]\n`,
).join('')}  - id: held
    command: [sh, -c, 'until [ -e go ]; do sleep 0.05; done']
`;

const HIT: Victim[] = ['host', 'server', 'cli', 'everything'];

/** Step numbers whose command ran again after a later step had begun: something finished was repeated. */
function repeated(lines: string): string[] {
  let latest = -1;
  return lines
    .split('\n')
    .filter((line) => line.startsWith('start '))
    .flatMap((line) => {
      const step = Number(line.slice('start '.length));
      const again = step < latest;
      latest = Math.max(latest, step);
      return again ? [line] : [];
    });
}

describe('kill -9 at a random moment', () => {
  const draw = random('kill');
  const moments = Array.from({ length: FULL ? 20 : 4 }, (_, index) => ({
    victim: HIT[index % HIT.length] ?? 'everything',
    after: Math.floor(draw() * (STEPS - 1)),
    delay: Math.floor(draw() * 150),
  }));

  it.each(moments)(
    'of the $victim, $delay ms after step $after began: the run completes, nothing finished runs twice, no ' +
      'answer is paid twice',
    async ({ victim, after, delay }) => {
      const endpoint = await startModelEndpoint(({ prompt }) => ({ text: `answer to ${prompt}` }));
      const project = await openProject(
        { 'definitions/workflows/survive.yml': WORKFLOW },
        { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
      );
      try {
        const first = project.start('run', 'definitions/workflows/survive.yml', '--id', 'survivor', '--json');
        await until(
          async () =>
            first.process.exitCode !== null ||
            (await project.read(LINES)).includes(`start ${after - (after % 3 === 2 ? 1 : 0)}`),
        );
        if (first.process.exitCode !== null)
          throw new Error(`The run ended before the blow: ${(await first.finished).stderr}`);
        await new Promise((resolve) => {
          setTimeout(resolve, delay);
        }); // the random moment itself, not a wait for something
        await strike(project, victim, first.process.pid);
        await writeFile(join(project.folder, 'go'), '');
        if (victim === 'cli' || victim === 'everything') await first.finished;
        const again = await project.run('run', 'definitions/workflows/survive.yml', '--id', 'survivor', '--json');
        expect(again.code, again.stderr).toBe(0);
        const result = JSON.parse(again.stdout) as { status: string; steps: { status: string }[] };
        expect(result.status).toBe('success');
        expect(result.steps.map(({ status }) => status)).toEqual(Array.from({ length: STEPS + 1 }, () => 'success'));
        expect(repeated(await project.read(LINES))).toEqual([]);
        const asked = endpoint.requests.map(({ prompt }) => prompt.match(/question \d+/)?.[0]);
        // One call may be repeated: the one that was under way when the blow fell.
        expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(1);
        if (victim === 'cli' || victim === 'server') expect(asked.length).toBe(STEPS / 3);
      } finally {
        await project.close();
        await endpoint.close();
      }
    },
  );
});
