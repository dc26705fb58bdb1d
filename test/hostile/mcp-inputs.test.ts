// @seconds 30
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/plan/values/json.js';
import { openProject } from '../faults/project.js';
import type { Project } from '../faults/project.js';
import type { McpClient } from '../mcp/helpers/mcp-client.js';
import { openMcp } from '../mcp/helpers/mcp-client.js';

let project: Project;
let mcp: McpClient;
beforeAll(async () => {
  project = await openProject({ 'definitions/workflows/hello.yml': 'name: hello\nsteps:\n  - command: [echo, hi]\n' });
  await project.run('server', 'start');
  mcp = await openMcp(project.folder);
});
afterAll(async () => {
  await mcp.close();
  await project.close();
});

/** Lists in lists, as a parser of JSON gives them. */
function deep(depth: number): Json {
  return parsed('['.repeat(depth) + ']'.repeat(depth));
}

function parsed(text: string): Json {
  return JSON.parse(text) as Json; // JSON.parse yields nothing else
}

const HOSTILE: readonly [string, Json][] = [
  ['a path that leads out', '../../../../etc/passwd'],
  ['an absolute path', '/etc/passwd'],
  ['an option', '--help'],
  ['a NUL', 'a\0b'],
  ['an escape sequence', '\u001b]0;owned\u0007\u001b[2J'],
  ['a half of a pair', '\ud800'],
  ['text that runs backwards', '\u202Eabc'],
  ['a template', '${steps.x.output} ${env.HOME}'],
  ['lines of YAML', 'x\nsteps:\n  - command: [touch, owned]\n'],
  ['a name of every object', '__proto__'],
  ['a word of every object', 'constructor'],
  ['a long text', 'x'.repeat(1_000_000)],
  ['nothing', null],
  ['an empty text', ''],
  ['a number', 1e308],
  ['a list', ['x']],
  ['a map with a prototype', parsed('{"__proto__": {"polluted": true}, "constructor": 1}')],
  ['a deep list', deep(3_000)],
  ['a map with names of all kinds', { '': 1, '${x}': 2, 'a\nb': 3, '\u001b[31m': 4, ' ': 5 }],
  ['a map around a deep list', { steps: deep(500) }],
];

/** What stands for a key that is needed beside the hostile one. */
const USUAL: Readonly<Record<string, Record<string, string>>> = {
  workflow: { name: 'hello' },
  tool: { name: 'read_file' },
};

/** What is said of a fault of the program itself, and not of what was given. */
const INTERNAL =
  /(?:Type|Range)Error|is not a function|Cannot read|undefined|\[object|\bat \S+ \(|node:internal|ZodError/;
/** What a terminal or a log takes as more than text. */
const UNSAFE = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]|\p{Cs}/u;
/** More than this is the input, sent back. */
const MOST_SAID = 20_000;

/** What is wrong with the answer to one call; null for nothing. */
async function faultOf(name: string, input: JsonObject): Promise<string | null> {
  try {
    const { content } = await mcp.client.callTool({ name, arguments: input }, { timeout: 120_000 });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    const isSound = text !== '' && text.length <= MOST_SAID && !INTERNAL.test(text) && !UNSAFE.test(text);
    return isSound ? null : text.slice(0, 500);
  } catch (error) {
    return String(error);
  }
}

it('answers any input of any tool, or refuses it in a sentence, and does nothing else', async () => {
  const { tools } = await mcp.client.listTools();
  const before = readdirSync(project.folder).sort();
  const faults: string[] = [];
  for (const { name, inputSchema } of tools) {
    const keys = Object.keys(inputSchema.properties ?? {});
    const needed = Object.fromEntries((inputSchema.required ?? []).map((key) => [key, USUAL[name]?.[key] ?? 'x']));
    const quick = keys.includes('background') ? { background: true } : {};
    for (const key of keys)
      for (const [what, value] of HOSTILE) {
        const fault = await faultOf(name, { ...needed, ...quick, [key]: value });
        if (fault !== null) faults.push(`${name}: ${what} as \`${key}\`: ${fault}`);
      }
  }
  expect(faults).toEqual([]);
  expect(readdirSync(project.folder).sort()).toEqual(before);
});
