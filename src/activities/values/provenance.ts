import { sha256 } from '../../store/hash.js';
import type { ContextBlock, InjectedContext } from '../../plan/agents/injected-context.js';

/**
 * A prompt with its context around it, each part in a container that says where it is from and whether it can be
 * trusted. Text of a context is escaped whole; a prompt may hold code, so that only `glee` tags are
 * escaped in it. So nothing inside can close a container, and without the nonce nothing can pass for one.
 */
export function withContext({ nonce, blocks }: Pick<InjectedContext, 'nonce' | 'blocks'>, prompt: string): string {
  const shown = blocks.filter(({ text }) => text.trim() !== '');
  if (shown.length === 0) return prompt;
  return [
    ...shown.map((block) => container(block, nonce)),
    `<glee:user_prompt nonce="${nonce}">\n${escapeGleeTags(prompt)}\n</glee:user_prompt>`,
  ].join('\n\n');
}

/** The prompt inside such a message; any other message as it is. */
export function promptWithin(message: string): string {
  return /<glee:user_prompt nonce="[0-9a-f]+">\n([\s\S]*)\n<\/glee:user_prompt>$/.exec(message)?.[1] ?? message;
}

/**
 * What a tool or another agent has given, in a container of its own. It may hold code that is to be changed letter for
 * letter, so that only tags of ours are escaped in it. The nonce depends on all that is inside: nothing inside can know
 * it.
 */
export function untrusted(source: string, text: string): string {
  return (
    `<glee:context source="${escapeTags(source)}" trusted="false" ` +
    `nonce="${nonceOf(text)}">\n${escapeOurTags(text)}\n</glee:context>`
  );
}

/** An input under its name: what its author wrote out is trusted, what a reference gave is not. */
export function inputSection(name: string, text: string, trusted: boolean): string {
  const inside = escapeOurTags(text).replace(CLOSED_INPUT, '&lt;');
  const nonce = nonceOf(text);
  return `<input name="${escapeTags(name)}" trusted="${String(trusted)}" nonce="${nonce}">\n${inside}\n</input>`;
}

const NONCE_DIGITS = 16;

function nonceOf(text: string): string {
  return sha256(text).slice(-NONCE_DIGITS);
}

function container({ source, trusted, text }: ContextBlock, nonce: string): string {
  return (
    `<glee:context source="${escapeTags(source)}" trusted="${String(trusted)}" ` +
    `nonce="${nonce}">\n${escapeTags(text.trim())}\n</glee:context>`
  );
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Text in which no tag can begin or end. */
function escapeTags(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

/**
 * What a lenient reader passes over: white space, slashes, characters that nobody sees. No `<` is in it, so a search
 * takes linear time.
 */
const UNSEEN = '\\s\\\\\\p{Cc}\\p{Cf}\\p{DI}';
const GLEE = new RegExp(`<(?=[${UNSEEN}/]*glee)`, 'giu');
/** Only one with marks of ours: a form in HTML stays as it is. */
const OPENED_INPUT = new RegExp(`<(?=[${UNSEEN}/]*input\\b[^<>]*?\\b(?:trusted|nonce)\\s*=)`, 'giu');
const CLOSED_INPUT = new RegExp(`<(?=[${UNSEEN}]*/[${UNSEEN}/]*input)`, 'giu');

/**
 * A text in which nothing passes for a tag that says where a text is from: neither a `glee` tag nor an `<input>` with
 * `trusted` or a nonce, also where only a lenient reader would take it for one. All else stays letter for letter.
 */
export function escapeOurTags(text: string): string {
  return escapeGleeTags(text).replace(OPENED_INPUT, '&lt;');
}

function escapeGleeTags(text: string): string {
  return text.replace(GLEE, '&lt;');
}
