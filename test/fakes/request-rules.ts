import type { RecordedRequest } from './model-answer.js';

interface Told {
  role: string;
  content?: unknown;
  tool_calls?: { id?: unknown; function?: { name?: unknown } }[];
  tool_call_id?: unknown;
}

interface Piece {
  type?: string;
  id?: unknown;
  name?: unknown;
  input?: unknown;
  text?: unknown;
  tool_use_id?: unknown;
}

/** What both real APIs take as the name of a tool and as the id of a call. */
const WORD = /^[a-zA-Z0-9_-]{1,64}$/;

/** Why the real API would refuse a conversation, in its words, or null. Ollama takes any. */
export function ruleBroken(protocol: RecordedRequest['protocol'], messages: unknown): string | null {
  if (!Array.isArray(messages)) return 'messages: Input should be a valid list';
  if (protocol === 'ollama') return null;
  return protocol === 'anthropic' ? brokenForAnthropic(messages as Told[]) : brokenForOpenai(messages as Told[]);
}

function brokenForAnthropic(messages: Told[]): string | null {
  const seen = new Set<unknown>();
  let open: unknown[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const pieces = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Piece[]);
    if (pieces.length === 0) return `messages.${at}: all messages must have non-empty content`;
    const results = pieces.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
    if (role === 'user' && JSON.stringify(results) !== JSON.stringify(open))
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
    for (const piece of pieces) {
      const broken = pieceBroken(piece, seen);
      if (broken !== null) return `messages.${at}.content: ${broken}`;
    }
    open = pieces.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  return null;
}

function pieceBroken({ type, text, id, name, input }: Piece, seen: Set<unknown>): string | null {
  if (type === 'text' && (typeof text !== 'string' || text.trim() === ''))
    return 'text content blocks must contain non-whitespace text';
  if (type !== 'tool_use') return null;
  if (!isWord(id)) return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  if (!isWord(name)) return "tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'";
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return 'tool_use.input: Input should be a valid dictionary';
  if (seen.has(id)) return '`tool_use` ids must be unique';
  seen.add(id);
  return null;
}

function brokenForOpenai(messages: Told[]): string | null {
  let open: unknown[] = [];
  for (const [at, { role, tool_calls = [], tool_call_id }] of messages.entries()) {
    if (role === 'tool' && open.shift() !== tool_call_id)
      return `messages[${at}]: 'tool_call_id' not found in 'tool_calls' of previous message`;
    if (role !== 'tool' && open.length > 0)
      return `messages[${at}]: 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'`;
    if (role === 'tool') continue;
    open = tool_calls.map(({ id }) => id);
    if (new Set(open).size < open.length || !open.every(isWord))
      return `messages[${at}].tool_calls: duplicate or invalid tool_call_id`;
    if (!tool_calls.every(({ function: called }) => isWord(called?.name)))
      return `messages[${at}].tool_calls.function.name: string does not match pattern '^[a-zA-Z0-9_-]+$'`;
  }
  return null;
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && WORD.test(value);
}
