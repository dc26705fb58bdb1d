/** Classes of characters that are not drawn, or that act on a terminal, each with members of it. */
export const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  'C0 controls': ['\u0000', '\u0007', '\b', '\u000b', '\u000c', '\r', '\u001f', '\u007f'],
  'C1 controls': ['\u0080', '\u0085', '\u0090', '\u009b2J', '\u009d0;x\u009c'],
  'escape sequences': [
    '\u001b[2J',
    '\u001b[31m',
    '\u001b]0;x\u0007',
    '\u001b]52;c;eA==\u0007',
    '\u001b]8;;http://x\u001b\\x\u001b]8;;\u001b\\',
    '\u001bPq\u001b\\',
    '\u001bc',
    '\u001b[8m',
  ],
  formats: [
    '\u00ad',
    '\u061c',
    '\u200b',
    '\u200e',
    '\u200f',
    '\u2060',
    '\u2061',
    '\u2064',
    '\ufeff',
    '\ufff9',
    '\u{1d173}',
    '\u{13430}',
  ],
  'bidirectional overrides': ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
  tags: ['\u{e0001}', '\u{e0041}', '\u{e0042}', '\u{e007f}', '🏴\u{e0041}'],
  'variation selectors': [
    '\ufe00',
    '\ufe0e',
    '\ufe0f',
    '\u{e0100}',
    '\u{e01ef}',
    '\u180b',
    'a\ufe0f',
    '🚀\ufe0f\ufe0f',
  ],
  fillers: ['\u034f', '\u115f', '\u1160', '\u17b4', '\u180e', '\u3164', '\uffa0', '\u{16fe4}'],
  blanks: ['\u00a0', '\u1680', '\u2000', '\u2003', '\u200a', '\u205f', '\u2800', '\ufffc', '\u{1d159}', '\u{13441}'],
  'line separators': ['\u2028', '\u2029'],
  joiners: ['\u200c', '\u200d', '👨\u200d', 'a\u200db'],
  'unassigned and private': ['\u0378', '\ufdd0', '\uffff', '\u{1fffe}', '\ue000', '\u{f0000}', '\u{10fffd}'],
  'half characters': ['\ud800x', 'x\udfff'],
  'marks upon marks': [`e${'\u0301'.repeat(30)}`, `a${'\u0336\u0489'.repeat(9)}`, '\u0301x'],
};

/** What is drawn, and must stay as it is. */
export const DRAWN = [
  'plain',
  'wörld',
  '日本語',
  'Ελληνικά',
  'עברית',
  '👨‍👩‍👧‍👦',
  '🏳️‍🌈',
  '👍🏽',
  '1️⃣',
  'می‌خواهم',
  'क्‍ष',
  'e\u0301',
  '«\u00a0oui\u00a0»',
  '\\u{200b}',
  '⇥',
  'a\tb',
];

/** Whatever no screen may show raw; line breaks and our own colours aside. */
export const RAW = new RegExp(
  [
    `(?!\\n)[${[
      '\\p{Cc}\\p{Cs}\\p{Co}\\p{Cn}',
      '\\u{ad}\\u{61c}\\u{115f}\\u{1160}\\u{180e}\\u{200b}\\u{200e}\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}',
      '\\u{2800}\\u{3164}\\u{feff}\\u{ffa0}\\u{e0080}-\\u{e0fff}',
    ].join('')}]`,
    // Tags, but of a flag.
    '[^\\u{1f3f4}\\u{e0020}-\\u{e007f}][\\u{e0020}-\\u{e007f}]',
    '\\p{M}{5}',
  ].join('|'),
  'u',
);
