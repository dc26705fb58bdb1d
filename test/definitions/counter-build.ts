import type { Answer, RecordedRequest } from '../fakes/model-endpoint.js';
import type { Voices } from './shipped-project.js';

/** A page that counts clicks, built by three agents and tested by `node --test`. */
export const COUNTER_SPEC = {
  goal: 'A page that counts clicks.',
  type: 'website',
  requirements: [{ description: 'A click adds one.' }],
  agents: [
    { name: 'Bo', role: 'builder' },
    { name: 'Tess', role: 'tester' },
    { name: 'Rita', role: 'reviewer' },
  ],
};

export /** A task as a planner answers it. */
const task = (number: number, name: string, agent_name: string, dependencies: number[]) => ({
  id: `task-${number}`,
  name,
  description: `${name}.`,
  acceptance_criteria: ['It is there.'],
  dependencies: dependencies.map((needed) => `task-${needed}`),
  agent_name,
  requirement_ids: ['req-0'],
  mood: 'eager', // a key that nothing reads
});
export const TASKS = [
  task(1, 'Set up', 'Bo', []),
  task(2, 'Count', 'Bo', [1]),
  task(3, 'Test', 'Tess', [2]),
  task(4, 'Review', 'Rita', [3]),
];
export const planOf = (tasks: object[]): Answer => ({
  text: JSON.stringify({ tasks, plan_explanation: 'In order.', test_command: ['node', '--test'] }),
});

export const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
export const COUNTER = (step: number): string => `export const next = (count) => count + ${step};\n`;
const PAGE =
  '<!doctype html>\n<title>Counter</title>\n<button>0</button>\n<script type="module">\n' +
  "import { next } from './counter.js';\nconst button = document.querySelector('button');\n" +
  'button.onclick = () => (button.textContent = next(Number(button.textContent)));\n</script>\n';
export const TEST =
  "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { next } from './counter.js';\n" +
  "test('a click adds one', () => assert.equal(next(1), 2));\n";
const REVIEW = (verdict: string): Answer => ({
  text: JSON.stringify({
    verdict,
    criteria: [{ criterion: 'It is there.', met: verdict === 'APPROVED', evidence: 'counter.js' }],
    summary: verdict === 'APPROVED' ? 'Well done.' : 'Say what it is for.',
  }),
});

/** The heading of what an agent of a build is asked. */
export function taskOf({ messages, prompt }: RecordedRequest): string {
  return /^# (.+)$/m.exec(messages[0]?.text ?? prompt)?.[1] ?? '';
}

/** Agents that really write files. The counter is wrong at first, and the first `rejections` reviews reject. */
export function team(rejections: number, mends: (request: RecordedRequest) => Answer): Voices {
  let reviews = 0;
  const files: Record<string, ReturnType<typeof write>[]> = {
    'Set up': [write('package.json', '{"type": "module"}\n'), write('index.html', PAGE)],
    Count: [write('counter.js', COUNTER(2))],
    Test: [write('counter.test.mjs', TEST)],
    'Mend what the review found: Review': [write('counter.js', `// Counts.\n${COUNTER(2)}`)],
  };
  return {
    'You plan how a project is built': () => planOf(TASKS),
    'of a team that builds': (request) => {
      const name = taskOf(request);
      if (name === 'Review') return REVIEW((reviews += 1) <= rejections ? 'NEEDS CHANGES' : 'APPROVED');
      if (request.results.count > 0) return { text: `${name}: done.` };
      return name === 'Make the tests pass' ? mends(request) : { tools: files[name] ?? [] };
    },
  };
}

/** Makes the tests pass. */
export const mendCounter = (): Answer => ({ tools: [write('counter.js', COUNTER(1))] });
