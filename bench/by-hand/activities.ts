import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ANSWER_TOKENS } from '../../src/activities/models/protocol/provider.js';

const HEARTBEAT_MS = 2_000;
const client = new Anthropic({ maxRetries: 0 });

/** One answer of the model. */
export async function askModel(prompt: string): Promise<string> {
  return withHeartbeat(async () => {
    const events = await client.messages.create(
      {
        model: 'claude-sonnet-4-6',
        max_tokens: ANSWER_TOKENS.anthropic,
        system: 'You answer in one line.',
        messages: [{ role: 'user', content: prompt }],
        stream: true,
      },
      { signal: cancellationSignal() },
    );
    let answer = '';
    for await (const event of events)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') answer += event.delta.text;
    return answer;
  });
}

/** One turn of an agent with a tool: all that was said so far goes in, what the model says to it comes out. */
export async function askTurn(messages: Anthropic.MessageParam[]): Promise<Anthropic.ContentBlock[]> {
  return withHeartbeat(async () => {
    const stream = client.messages.stream(
      {
        model: 'claude-sonnet-4-6',
        max_tokens: ANSWER_TOKENS.anthropic,
        system: 'You read.',
        messages,
        tools: [READ_FILE],
      },
      { signal: cancellationSignal() },
    );
    return (await stream.finalMessage()).content;
  });
}

const READ_FILE: Anthropic.Tool = {
  name: 'read_file',
  description: 'Reads a text file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/** The tool. */
export function readText(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), 'utf8');
}

/** Runs a program and gives its standard output. */
export async function runCommand(argv: string[]): Promise<string> {
  return withHeartbeat(async () => {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      signal: cancellationSignal(),
    });
    const exited = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
    const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    if (code !== 0) throw ApplicationFailure.nonRetryable(`${program} ended with ${code}: ${errors}`);
    return output.trimEnd();
  });
}

async function withHeartbeat<T>(act: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => heartbeat(), HEARTBEAT_MS);
  try {
    return await act();
  } finally {
    clearInterval(timer);
  }
}
