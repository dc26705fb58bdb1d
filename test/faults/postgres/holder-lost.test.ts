// @module-tag postgres
// @module-tag git
// @module-tag sandbox
// @seconds 70
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { write } from '../../definitions/counter-build.js';
import type { ModelEndpoint, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Shared } from './machines.js';
import { endOf, openShared } from './machines.js';
import { begin, openPair } from './pair.js';

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

/** Of each agent the turns: two that write files, and the last, which answers. */
const TURNS = 3;
const agent = (name: string): string => `  - id: ${name}
    agent: writer
    prompt: "Write the files of ${name}."
    timeout: 10m
`;
const FLOWS = {
  'definitions/agents/writer.yml':
    'name: writer\ndescription: Writes files.\nprompt: You write files.\ntools: [write_file]\ntimeout_mins: 9\n',
  'outer.yml': `name: outer
workspace: worktree
steps:
${agent('outer')}  - id: nested
    workflow: ./inner.yml
  - id: last
    command: [sh, -c, "cat outer-*.txt inner-*.txt; ls"]
`,
  'inner.yml': `name: inner
steps:
${agent('inner')}`,
};

/** Who asks, and at which turn. */
function turnOf({ messages, results: { count } }: RecordedRequest): { who: string; turn: number } {
  return { who: /files of (\w+)/.exec(messages[0]?.text ?? '')?.[1] ?? '', turn: count + 1 };
}

async function writers(victim: string): Promise<{ endpoint: ModelEndpoint; reached: Promise<void> }> {
  let arrived = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  let held = false;
  const endpoint = await startModelEndpoint((request) => {
    const { who, turn } = turnOf(request);
    if (turn < TURNS) return { tools: [write(`${who}-${turn}.txt`, `${who} ${turn}\n`)] };
    if (who !== victim || held) return { text: `${who} is done.` };
    held = true;
    arrived();
    return { hang: true };
  });
  onTestFinished(() => endpoint.close());
  return { endpoint, reached };
}

describe('when the machine that has the workspace is gone, with its checkout', () => {
  it.each(['outer', 'inner'])(
    'in the last turn of an agent (%s), that turn alone is asked again, and the files are all there',
    async (victim) => {
      const { endpoint, reached } = await writers(victim);
      const pair = await openPair(shared, FLOWS, endpoint);
      await begin(pair, 'run', 'outer.yml');
      await reached;
      const left = await pair.lose();
      const ended = await endOf(left, pair.run);
      expect(ended).toMatchObject({ status: 'success' });
      const lines = String(ended.output).split('\n');
      expect(lines.slice(0, 4)).toEqual(['outer 1', 'outer 2', 'inner 1', 'inner 2']);
      const files = ['inner-1.txt', 'inner-2.txt', 'outer-1.txt', 'outer-2.txt'];
      expect(lines.filter((line) => line.endsWith('.txt'))).toEqual(files);
      const asked = endpoint.requests.map(turnOf).map(({ who, turn }) => `${who} ${turn}`);
      const once = ['outer', 'inner'].flatMap((who) => [1, 2, 3].map((turn) => `${who} ${turn}`));
      expect(asked.sort()).toEqual([...once, `${victim} ${TURNS}`].sort());
      expect((await left.run('show', pair.run)).stdout).toContain('1 question was asked again');
    },
  );
});
