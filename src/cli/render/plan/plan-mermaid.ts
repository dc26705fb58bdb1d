import type { Plan } from '../../../plan/plan.js';
import type { Box, Picture } from './plan-picture.js';
import { kindWord, pictureOf } from './plan-picture.js';
import { safeLine } from '../../text/safe-text.js';
import { clip } from '../../text/width.js';

const LONGEST_LINE = 60;

const SHAPES: Record<Box['kind'], [string, string]> = {
  agent: ['([', '])'],
  command: ['[', ']'],
  tool: ['[/', '/]'],
  workflow: ['[[', ']]'],
  plan: ['[[', ']]'],
  approval: ['{{', '}}'],
  ask: ['{{', '}}'],
  set: ['[/', '/]'],
  wait: ['[/', '/]'],
  foreach: ['[[', ']]'],
  loop: ['[[', ']]'],
  compile: ['[', ']'],
  flash: ['[', ']'],
  serial: ['[', ']'],
};

/** A Plan as a Mermaid flow chart. What a step consists of, and the members of a group, stand in subgraphs. */
export function planMermaid(plan: Plan): string {
  return [
    'flowchart TD',
    ...linesOf(pictureOf(plan), '  ', 'plan'),
    '  classDef gate stroke-width:3px',
    '  classDef optional stroke-dasharray:4 3',
  ].join('\n');
}

function linesOf(picture: Picture, indent: string, owner: string): string[] {
  const grouped = new Set(picture.groups.flatMap(({ members }) => members));
  const one = (position: number, at: string): string[] => {
    const box = picture.boxes[position];
    return box === undefined ? [] : boxLines(box, at);
  };
  const groups = picture.groups.flatMap(({ name, members }, number) => [
    `${indent}subgraph ${owner}-group-${number}["${escape(name)}"]`,
    ...members.flatMap((member) => one(member, `${indent}  `)),
    `${indent}end`,
  ]);
  const idOf = (position: number): string => picture.boxes[position]?.id ?? '';
  return [
    ...picture.boxes.flatMap((_, position) => (grouped.has(position) ? [] : one(position, indent))),
    ...groups,
    ...picture.arrows.map(({ from, to }) => `${indent}${idOf(from)} --> ${idOf(to)}`),
  ];
}

function boxLines(box: Box, indent: string): string[] {
  const style =
    box.kind === 'approval' || box.kind === 'ask'
      ? [`${indent}class ${box.id} gate`]
      : box.when === null
        ? []
        : [`${indent}class ${box.id} optional`];
  if (box.inside === null || box.inside === 'shown') {
    const [open, close] = SHAPES[box.kind];
    return [`${indent}${box.id}${open}"${labelOf(box)}"${close}`, ...style];
  }
  return [
    `${indent}subgraph ${box.id}["${labelOf(box)}"]`,
    ...linesOf(box.inside, `${indent}  `, box.id),
    `${indent}end`,
    ...style,
  ];
}

function labelOf({ kind, name, what, when, repeats, always, inside }: Box): string {
  const lines = [
    kindWord(kind) === name ? name : `${kindWord(kind)} ${name}`,
    what === name ? '' : what,
    when === null ? '' : `if ${when}`,
    repeats ?? '',
    always ? 'always' : '',
    inside === 'shown' ? 'steps as above' : '',
  ];
  return lines
    .filter((line) => line !== '')
    .map(escape)
    .join('<br/>');
}

/**
 * Mermaid reads entities in quoted labels, and Markdown and HTML beside them: whatever a definition holds stays a
 * label.
 */
function escape(label: string): string {
  const line = clip(safeLine(label), LONGEST_LINE);
  return line.replace(/[^\p{L}\p{N}\p{Mark} .,:;?!'/=+()…-]|;/gu, (character) => `#${character.codePointAt(0) ?? 0};`);
}
