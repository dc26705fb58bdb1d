/**
 * Escape sequences as terminals read them: strings (OSC, DCS, APC, PM, SOS), control sequences, two-character escapes. Of a string
 * that does not end on its line only the beginning counts, so that it cannot hide what follows from who approves it.
 */
const SEQUENCES =
  // eslint-disable-next-line no-control-regex -- these characters are what is looked for
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])(?:[^\n\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;
/** C0 but tab and newline, DEL, C1. */
// eslint-disable-next-line no-control-regex -- these characters are what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Characters that reorder what stands around them, or cannot be seen. */
const BIDI = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/** What JSON leaves as it is and a terminal may act on or hide. */
const HIDDEN = /[\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Text from models, commands and definitions, as it may reach a terminal (S34): each escape sequence becomes `␛`,
 * other control characters and bidirectional overrides vanish; newlines and tabs stay.
 */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(SEQUENCES, '␛').replace(CONTROLS, '').replace(BIDI, '').replace(LONE_SURROGATES, '\ufffd');
}

/**
 * JSON as it may reach a terminal: what `safeText` takes out is written as `\uXXXX`, so that nothing is lost. JSON itself
 * escapes C0 only; C1 has control sequences of one character.
 */
export function safeJson(document: unknown, indent?: number): string {
  const text = JSON.stringify(document, null, indent);
  return text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Text as `safeText` gives it, on one line: white space runs become one space. */
export function safeLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ').trim();
}
