// @seconds 25
import { describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject } from './project.js';
import { FULL, random } from './seed.js';
import type { Victim } from './strike.js';
import { strike } from './strike.js';

const TURNS = 6;
const FILES = {
  'a.txt': 'first\n',
  'definitions/agents/reader.yml': 'name: reader\nprompt: You read.\ntools: [read_file]\n',
  'definitions/workflows/read.yml': 'name: read\nsteps:\n  - {id: r, agent: reader, prompt: Read., quick: true}\n',
};
const HIT: Victim[] = ['host', 'server', 'everything'];

describe('kill -9 in a conversation whose turns are quick', () => {
  const draw = random('quick turns');
  const moments = Array.from({ length: FULL ? 12 : 2 }, (_, index) => ({
    victim: HIT[(index + Math.floor(draw() * HIT.length)) % HIT.length] ?? 'everything',
    turn: 1 + Math.floor(draw() * TURNS),
    // Else as it is asked, within the workflow task.
    whenAnswered: draw() < 0.5,
  }));

  it.each(moments)('of the $victim in turn $turn: what was answered is not asked again', async (moment) => {
    const { victim, turn, whenAnswered } = moment;
    let release = (): void => undefined;
    const gone = new Promise<void>((resolve) => (release = resolve));
    const usage = { input: 1_000, output: 200 };
    const endpoint = await startModelEndpoint(({ call, results }) => {
      const held = call === turn && !whenAnswered ? { text: '', until: gone, rest: '' } : {};
      return results.count < TURNS - 1
        ? { ...held, tools: [{ name: 'read_file', input: { path: 'a.txt' } }], usage }
        : { text: `read ${results.count} times`, ...held, usage };
    });
    const project = await openProject(FILES, { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url });
    try {
      const args = ['run', 'definitions/workflows/read.yml', '--id', 'read', '--json'];
      const first = project.start(...args);
      await Promise.race([endpoint.arrival(turn), first.finished]);
      await strike(project, victim, first.process.pid);
      release();
      if (victim === 'everything') await first.finished;
      const again = await project.run(...args);
      expect(again.code, again.stderr).toBe(0);
      const { status, output, spend } = JSON.parse(again.stdout) as {
        status: string;
        output: unknown;
        spend: { tokens: number; steps: number };
      };
      expect({ status, output }).toEqual({ status: 'success', output: `read ${TURNS - 1} times` });
      // What was under way when the blow fell may be asked once more. Both answers are paid, and the host that lives
      // hears both; one that was killed tells of none.
      expect(endpoint.requests.length).toBeLessThanOrEqual(TURNS + 1);
      expect(spend.steps).toBe(1);
      expect(spend.tokens).toBe((victim === 'server' ? endpoint.requests.length : TURNS) * 1_200);
    } finally {
      release();
      await project.close();
      await endpoint.close();
    }
  });
});
