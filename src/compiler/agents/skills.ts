import { join } from 'node:path';
import type { Place, Report } from '../problems/problem.js';
import { kindOf, listFolder, readText } from '../text/disk.js';
import { hiddenIn, hiddenWords } from '../text/hidden-characters.js';

/** A skill: a text for an agent, and files beside it. */
export interface Skill {
  name: string;
  /** Its folder, from the project's root. */
  folder: string;
  /** What its `SKILL.md` says below the front matter. */
  text: string;
  /** There is more than the text in its folder. */
  hasFiles: boolean;
}

/** Where skills are looked for, from the project's root; the first that has one of that name. */
const HOMES = ['definitions/skills', '.claude/skills'];

/** The skill of that name; null when there is none, else why its text cannot be read. */
export function findSkill(name: string, root: string): Skill | { failure: string } | null {
  const home = HOMES.find((one) => kindOf(join(root, one, name, 'SKILL.md')) !== 'missing');
  if (home === undefined) return null;
  const folder = `${home}/${name}`;
  const read = readText(join(root, folder, 'SKILL.md'));
  if ('failure' in read) return { failure: `The skill \`${name}\` cannot be read: ${read.failure}` };
  const text = read.text.replace(/^\s*---[ \t]*\r?\n[\s\S]*?^---[ \t]*$/m, '').trim();
  const hasFiles = listFolder(join(root, folder)).some(({ name: file }) => file !== 'SKILL.md');
  return { name, folder, text, hasFiles };
}

/** Warns, where an agent names it, of a skill that tells it more than people see. */
export function warnOfHiddenIn({ name, folder, text }: Skill, at: Place, report: Report): void {
  const hidden = hiddenIn(text);
  if (hidden === null) return;
  report({
    code: 'hidden-character',
    severity: 'warning',
    at,
    message: `The skill \`${name}\` has ${hiddenWords(hidden)}: it tells the agent more than is seen.`,
    suggestion: `take it out of \`${folder}/SKILL.md\``,
  });
}

/** Names of all skills of a project. */
export function skillNames(root: string): string[] {
  return HOMES.flatMap((home) =>
    listFolder(join(root, home)).flatMap(({ name, kind }) => (kind === 'folder' ? [name] : [])),
  );
}

/** What an agent is told of a skill, below its instruction. */
export function skillText({ name, folder, text, hasFiles }: Skill): string {
  const files = hasFiles ? `\n\nThe files of this skill are in \`${folder}/\`; you may read them.` : '';
  return `\n\n# Skill \`${name}\`\n\n${text}${files}`;
}
