import { firstWords } from './summaries.js';

const TITLE = '# Nugget Context';
const WORKSPACE = 'Workspace';
const WORDS = 500;

/** What is kept of a task: `run` did it, and `onTop` says that what an earlier run kept stays. */
export interface Section {
  id: string;
  name: string;
  summary: string;
  run: string;
  onTop: boolean;
}

/**
 * A context file with the section of a task, in place of an earlier one of that task, and the newest digest of the
 * workspace at its end. A file of another run is begun anew: what that did may be gone.
 */
export function withSection(text: string, { id, name, summary, run, onTop }: Section, digest: string): string {
  const mark = `Run: ${oneLine(run)}`;
  const isOurs = onTop || text.split('\n', 4).includes(mark);
  const sections = (isOurs ? sectionsOf(text) : []).filter(({ heading }) => heading !== WORKSPACE);
  const section = { heading: oneLine(id), body: `${oneLine(name)}\n\n${plain(firstWords(summary, WORDS))}` };
  const at = sections.findIndex(({ heading }) => heading === section.heading);
  if (at === -1) sections.push(section);
  else sections[at] = section;
  sections.push({ heading: WORKSPACE, body: plain(digest) });
  return `${[TITLE, mark, ...sections.map(({ heading, body }) => `## ${heading}\n\n${body}`)].join('\n\n')}\n`;
}

function sectionsOf(text: string): { heading: string; body: string }[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...rest] = part.split('\n');
      return { heading: heading.trim(), body: rest.join('\n').trim() };
    });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What somebody said has no headings of the file's own. */
function plain(text: string): string {
  return text.replace(/^(#{1,2} )/gm, '\\$1');
}
