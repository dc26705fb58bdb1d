import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundExample } from './examples.js';
import { copyExample } from './examples.js';
import { writeWhole } from '../write-whole.js';
import { requireNoLinks } from './no-links.js';

const CONFIG = `# Settings of this project; everything is optional. \`perdure schema config\` has them all.
# models:
#   default: sonnet
# workflows:
#   budgets: {max_cost_usd: 5}
`;

const EXAMPLE = `name: hello
description: Greets somebody, and asks before it writes the greeting down.
inputs:
  name: {type: string, required: true, description: Who is greeted.}
steps:
  - id: greeting
    command: [printf, "Hello, %s!", "\${name}"]
  - id: approve
    approval: "Write this greeting to greeting.txt?"
    content: "\${steps.greeting.output}"
  - id: write
    command: [tee, greeting.txt]
    stdin: "\${steps.approve.output}"
`;

const FILES: Record<string, string> = { 'perdure.yml': CONFIG, 'definitions/workflows/hello.yml': EXAMPLE };
const IGNORED = '.perdure/';
/** Folders of other tools whose agents Perdure reads. */
const NEIGHBOURS = ['.claude/agents', '.gemini/agents', '.codex/agents', '.glee'];

/** What \`init\` did, as paths below the folder. */
export interface Initiated {
  made: string[];
  kept: string[];
  /** Folders of other tools that were there. */
  found: string[];
}

/**
 * Makes what a project needs in a folder, with an example or a first definition. Nothing that is there is changed, but
 * for a line in `.gitignore`. Throws a refusal where that would be written elsewhere, through a link.
 */
export function initProject(folder: string, example: FoundExample | null): Initiated {
  requireNoLinks(folder, ['.gitignore', ...Object.keys(FILES)]);
  const { made, kept } = example === null ? { made: [], kept: [] } : copyExample(example, folder);
  for (const [name, content] of Object.entries(example === null ? FILES : { 'perdure.yml': CONFIG }))
    if (!made.includes(name) && !kept.includes(name)) (writeNew(join(folder, name), content) ? made : kept).push(name);
  (ignore(join(folder, '.gitignore')) ? made : kept).push('.gitignore');
  return { made, kept, found: NEIGHBOURS.filter((name) => existsSync(join(folder, name))) };
}

function writeNew(file: string, content: string): boolean {
  try {
    writeWhole(file, content);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Adds the state folder to an ignore file, made when it is not there; false when it is in it already. */
function ignore(file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  const bytes = there === undefined ? Buffer.alloc(0) : readFileSync(file);
  const content = bytes.toString('latin1');
  if (content.split('\n').some((line) => /^\/?\.perdure\/?$/.test(line.trim()))) return false;
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  writeWhole(file, Buffer.concat([bytes, Buffer.from(`${end}${IGNORED}\n`)]), {
    replace: true,
    ...(there === undefined ? {} : { mode: there.mode }),
  });
  return true;
}
