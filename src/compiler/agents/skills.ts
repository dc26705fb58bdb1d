import { join } from 'node:path';
import { kindOf, listFolder, readText } from '../text/disk.js';

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
