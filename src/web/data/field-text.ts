import { escapeHidden, safeText, shownText } from '../../plan/text/safe-text.js';

/** A text as the field of a form has it. */
export interface FieldText {
  text: string;
  /** Characters that are not drawn stand in it as escapes. */
  escaped: boolean;
}

/**
 * A text for a field in which people change it. Browsers draw nothing for hidden characters and make line breaks of all
 * kinds one: a text that has such is shown with escapes, which come back as what they stand for.
 */
export function toField(text: string): FieldText {
  const escaped = escapeHidden(text) !== text;
  return { text: escaped ? safeText(text) : text, escaped };
}

/** The text that a field came back with. Browsers send line breaks as CRLF. */
export function fromField(sent: string, escaped: boolean): string {
  const text = sent.replaceAll('\r\n', '\n');
  return escaped ? shownText(text) : text;
}
