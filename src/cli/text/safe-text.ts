import { escapeHidden } from '../../plan/text/safe-text.js';

export { safeName } from '../../plan/text/safe-name.js';
export { safeLine, safeText } from '../../plan/text/safe-text.js';

/** JSON as it may reach a terminal: a character that is not drawn is written as `\uXXXX`, so that nothing is lost. */
export function safeJson(document: unknown, indent?: number): string {
  return escapeHidden(JSON.stringify(document, null, indent), jsonEscape);
}

function jsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
