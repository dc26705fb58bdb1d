import type { Answer, RecordedRequest } from '../fakes/model-endpoint.js';

/** Calls of the turns before the last: six turns, twelve calls. */
export const CALLS = [2, 2, 2, 3, 3];

/** Every call appends a line of its own: by a command, or as a local activity. */
function callOf(effect: number): { name: string; input: object } {
  return effect % 2 === 0
    ? { name: 'shell', input: { argv: ['sh', '-c', 'echo "$0" >> commands.txt', `e${effect}`] } }
    : { name: 'edit_file', input: { path: 'edits.txt', old_text: 'END', new_text: `e${effect}\nEND` } };
}

/** What a scripted model answers to the agents of `agent-kill.test.ts`, by the name of their run. */
export function answerTo(request: RecordedRequest): Answer {
  const {
    results: { count },
    messages,
  } = request;
  if (/made-/.test(messages[0]?.text ?? '')) return madeAnswer(request);
  if (/ask-/.test(messages[0]?.text ?? '')) return { text: 'done' };
  if (/reads-/.test(messages[0]?.text ?? '')) return readsAnswer(request);
  if (/whole-/.test(messages[0]?.text ?? '')) return wholeAnswer(request);
  let first = 0;
  for (const calls of CALLS) {
    if (first === count) return { tools: Array.from({ length: calls }, (_, index) => callOf(first + index)) };
    first += calls;
  }
  return { text: 'done' };
}

/** Looks at a file three times in one turn, which one local activity does. */
function readsAnswer({ results: { count, last } }: RecordedRequest): Answer {
  const call = { name: 'read_file', input: { path: 'edits.txt' } };
  if (count === 0) return { tools: [call, call, call] };
  return { text: last.length === 3 && last.every(({ text }) => text.includes('END')) ? 'done' : JSON.stringify(last) };
}

/** Writes all of a file, and says what came of it. */
function wholeAnswer({ results: { count, last } }: RecordedRequest): Answer {
  if (count === 0) return { tools: [{ name: 'write_file', input: { path: 'whole.txt', content: 'all' } }] };
  return { text: /(?:Wrote|Replaced) whole\.txt/.test(last[0]?.text ?? '') ? 'done' : JSON.stringify(last) };
}

/** Makes a workflow, runs it, and says what came of it. */
function madeAnswer({ results: { count, last }, messages: [first] }: RecordedRequest): Answer {
  const [, name = ''] = /Do (made-\w+)\./.exec(first?.text ?? '') ?? [];
  if (first?.text.includes('Part') === true) return { text: /Part \d/.exec(first.text)?.[0] ?? '' };
  const steps = [1, 2].map((part) => ({ id: `part${part}`, agent: 'helper', prompt: `Part ${part}: Do ${name}.` }));
  if (count === 0)
    return {
      tools: [
        {
          name: 'workflow_create',
          input: { name: 'parts', definition: { steps, output: '${steps.part1.output}, ${steps.part2.output}' } },
        },
      ],
    };
  return count === 1
    ? { tools: [{ name: 'parts', input: {} }] }
    : { text: last[0]?.text.includes('Part 1, Part 2') === true ? 'done' : JSON.stringify(last) };
}
