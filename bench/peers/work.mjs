// What a step does, the same for every peer as on our side.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';

const MODEL = { model: 'claude-sonnet-4-6', max_tokens: 32_000 };
const READ_FILE = {
  name: 'read_file',
  description: 'Reads a text file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const client = new Anthropic({ maxRetries: 0 });

/** Acts by name; arguments and results are JSON. */
export const ACTS = { command, read, ask, turn };

async function command() {
  const child = spawn('true', [], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0) throw new Error(`true ended with ${code}`);
  return '';
}

function read(folder, path) {
  return readFile(join(folder, path), 'utf8');
}

async function ask(prompt) {
  const stream = client.messages.stream({
    ...MODEL,
    system: 'You answer in one line.',
    messages: [{ role: 'user', content: prompt }],
  });
  return stream.finalText();
}

async function turn(messages) {
  const stream = client.messages.stream({ ...MODEL, system: 'You read.', messages, tools: [READ_FILE] });
  return (await stream.finalMessage()).content;
}

/**
 * One run: `steps` acts one after another, or an agent's turns with their calls at once. `step(act, args)` is the
 * peer's durable step, `all` waits for several.
 */
export async function perform({ work, steps, folder, path, prompt }, step, all = (waiting) => Promise.all(waiting)) {
  if (work === 'turns') return converse({ folder, prompt }, step, all);
  for (let index = 0; index < steps; index++) {
    if (work === 'commands') await step('command', []);
    else if (work === 'reads') await step('read', [folder, path]);
    else await step('ask', [`Short ${index}.`]);
  }
  return 'done';
}

async function converse({ folder, prompt }, step, all) {
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    const content = await step('turn', [[...messages]]);
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return 'done';
    const results = await all(calls.map(({ input }) => step('read', [folder, input.path])));
    messages.push({
      role: 'user',
      content: calls.map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id, content: results[index] })),
    });
  }
}

/** Answers the benchmark: each message is a run, and is answered once that has ended. */
export function serve(run) {
  process.on('message', ({ id, job }) => {
    run(job).then(
      () => process.send({ id }),
      (error) => process.send({ id, error: String(error?.stack ?? error) }),
    );
  });
  process.once('disconnect', () => process.exit(0));
  process.send({ id: 0 });
}
