import type { ProgramName } from '../../plan/agents/program.js';

/**
 * What each program is preferred for, by words of the task; the first group of which one is there, and whose
 * program is too.
 */
const GROUPS: { program: ProgramName; words: string[] }[] = [
  {
    program: 'gemini',
    words: [
      'search web',
      'search the web',
      'google',
      'find online',
      'latest',
      'news',
      'research',
      'look up',
      'what is',
      'documentation',
    ],
  },
  {
    program: 'codex',
    words: ['analyze code', 'review', 'find bugs', 'refactor', 'security', 'performance', 'fix', 'debug'],
  },
  { program: 'claude', words: ['summarize', 'explain', 'write', 'draft', 'quick', 'simple', 'help me understand'] },
];

/** Who plays when no word of the task decides. */
const ORDER: ProgramName[] = ['codex', 'claude', 'gemini'];

/**
 * The program for a task, out of those that are installed; null when there is none. Of several texts the first that has
 * a word decides.
 */
export function programFor(texts: string[], installed: ReadonlySet<ProgramName>): ProgramName | null {
  for (const text of texts) {
    const found = GROUPS.find(
      ({ program, words }) => installed.has(program) && words.some((word) => hasWord(text, word)),
    );
    if (found !== undefined) return found.program;
  }
  return ORDER.find((program) => installed.has(program)) ?? null;
}

/** Whole words, whatever their case and the white space between them. */
function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${word.replaceAll(' ', '\\s+')}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
}
