import type { Below } from './shard.js';

/** Steps as people write them, in all ways in which YAML lets them. */
const STEPS = [
  (id: string, last: string) => `- id: ${id}\n  agent: helper\n  prompt: "Look at \${steps.${last}.output}"\n`,
  (id: string, last: string) => `- id: ${id}\n  command: [echo, "\${steps.${last}.status}"]\n  needs: [${last}]\n`,
  (id: string) =>
    `- id: ${id}\n  agent: helper\n  prompt: |\n    First line of ${id}.\n      Indented: \${target}\n\n    Last.\n`,
  (id: string) =>
    `- id: ${id}\n  command:\n    - echo\n    - >-\n      folded\n      text\n  timeout: 5m   # long\n\n# a comment\n`,
  (id: string, last: string) =>
    `- {id: ${id}, set: {a: "\${steps.${last}.output}"}, when: "\${steps.${last}.status == 'success'}"}\n`,
  (id: string) =>
    `- id: ${id}\n  foreach: [a]\n  steps:\n    - id: i_${id}\n      agent: helper\n      prompt: 'It''s \${item}'\n`,
  (id: string) => `- agent: helper\n  id: ${id}\n  output: out_${id}\n  prompt: plain text that\n    goes on here\n`,
  (id: string, last: string) =>
    `-\n  id: ${id}\n  approval: "Go on?"\n  content: "\${steps.${last}.output}"\n  rework: ${last}\n`,
  (id: string) => `- id: ${id}\n  workflow: nested\n`,
  (id: string, last: string) =>
    `- id: ${id}\n  workflow: ./nested.yml\n  inputs: {target: "\${steps.${last}.error}", x: 1}\n  parallel_group: a\n`,
  (id: string) => `- id: ${id}\n  tool: read_file\n  inputs: {path: "\${missing_${id}}"}\n  output: target\n`,
  (id: string) => `- id: ${id}\n  wait: 1s\n  retries: 3\n`,
  (id: string) =>
    `- id: ${id}\n  loop: {until: "\${steps.${id}.output == 1}", max: 3}\n  command: [echo, "\${steps[-1].output}"]\n`,
];

const HEADS = [
  'name: written\nsteps:\n',
  'name: written\ninputs:\n  target: {type: string}\n  unused: {type: string}\nexecution: dag\n\nsteps: # x\n# y\n',
  '# yaml-language-server: $schema=x\ndescription: >\n  About\n  this.\nexecution: parallel\nsteps:\n\n',
];
const TAILS = [
  '',
  'output: "${steps[-1].output}"\n',
  'finally:\n  - id: last\n    command: [echo, done]\noutput: x\n',
  '# end\n',
];

/** A workflow of some steps. */
export function writtenWorkflow(random: Below, steps: number): string {
  const indent = '  '.repeat(random(3));
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T; // the list is not empty
  const body = Array.from({ length: steps }, (_, index) =>
    pick(STEPS)(`s${index}`, `s${Math.max(0, index - 1 - random(3))}`)
      .split('\n')
      .map((line) => (line === '' || line.startsWith('#') ? line : indent + line))
      .join('\n'),
  );
  return pick(HEADS) + body.join('') + pick(TAILS);
}

const TYPED = [
  'x',
  ' ',
  '\n',
  '"',
  "'",
  ':',
  ': ',
  '- ',
  '\n  - ',
  '#',
  ' # ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '$',
  '${',
  '|',
  '>',
  '&a ',
  '*a',
  ' &a 5m\n',
  ' *a\n',
  '\t',
  '---\n',
  '!',
  '%',
  '\r\n',
  '0',
  's1',
  'id: s2',
  'steps:',
  '\\',
  '  ',
];
const LINES = [
  '  - id: fresh\n    wait: 1s\n',
  '    needs: [s1]\n',
  '- wait: 2s\n',
  '# note\n',
  '\n',
  '    prompt: "${steps.s3.output}"\n',
  'output: y\n',
  '  - id: s1\n    agent: nobody\n',
];

/** What somebody does to a text at one moment. */
export function edited(text: string, random: Below): string {
  const at = random(text.length + 1);
  const lines = text.split('\n');
  const line = random(lines.length);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T; // the list is not empty
  switch (random(7)) {
    case 0:
    case 1:
      return text.slice(0, at) + pick(TYPED) + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random(3));
    case 3:
      return [...lines.slice(0, line), ...lines.slice(line + 1 + random(2))].join('\n');
    case 4:
      return [...lines.slice(0, line), lines[line], ...lines.slice(line)].join('\n');
    case 5:
      return [...lines.slice(0, line), pick(LINES).replace(/\n$/, ''), ...lines.slice(line)].join('\n');
    default:
      return text.replace(`s${random(12)}`, `s${random(14)}`);
  }
}
