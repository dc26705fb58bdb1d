import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { CompletionItem } from 'vscode-languageserver/node';
import { newFolder } from '../helpers/command-line.js';
import { startClient } from './client.js';

const FILES = {
  'perdure.yml': 'models: {aliases: {quick: haiku}}\nmcp: {github: {url: "http://127.0.0.1:9/"}}\n',
  'definitions/agents/helper.yml': 'name: helper\nprompt: Help.\n',
  'definitions/workflows/nested.yml': 'name: nested\nsteps:\n  - wait: 1s\n',
  'definitions/tools/echo/tool.yml': 'description: Says it again.\ncommand: [echo]\nparameters: {type: object}\n',
};

const STEPS = `inputs:
  target: {type: string}
steps:
  - id: scan
    agent: helper
    prompt: Look at it.
    schema:
      type: object
      properties: {issues: {type: array, items: {type: object, properties: {line: {type: number}}}}, count: {}}
    output: found
  - id: values
    set: {first: 1, second: 2}
  - id: each
    foreach: [1]
    steps:
      - id: inside
        wait: 1s
`;
const FLOW = `---
params:
  target: "What to look at"
---
$LIMIT := "ten"
$checker := {
  base: "helper",
  prompt: "Check."
}
@again ->
helper:"Look at {{target}}":found
(if it passed):fine~> helper:"Good"
`;

/** A file, its text with `|` where somebody writes, some of what is offered, and some of what is not. */
const CASES: [what: string, file: string, text: string, offered: string[], not: string[]][] = [
  ['keys of a workflow', 'a.yml', 'na|', ['name', 'steps', 'finally'], ['agent', 'on_error']],
  ['keys of any step', 'a.yml', 'steps:\n  - |', ['agent', 'command', 'needs', 'foreach'], ['name']],
  [
    'keys of its kind',
    'a.yml',
    `${STEPS}  - agent: helper\n    |`,
    ['prompt', 'model', 'retry'],
    ['agent', 'command', 'cwd'],
  ],
  ['keys of a command', 'a.yml', `${STEPS}  - command: [a]\n    |\n    id: x\n`, ['cwd', 'env'], ['prompt', 'id']],
  [
    'keys of a step in a step',
    'a.yml',
    `${STEPS}      - ask: Go?\n        |`,
    ['choices', 'default'],
    ['prompt', 'cwd'],
  ],
  ['keys below a key', 'a.yml', `${STEPS}  - agent: helper\n    retry:\n      |`, ['attempts', 'backoff'], ['agent']],
  ['keys in braces', 'a.yml', `${STEPS}  - {agent: helper, |`, ['prompt', 'model'], ['agent', 'command']],
  ['keys in braces below a key', 'a.yml', `${STEPS}  - agent: helper\n    retry: {|`, ['attempts'], ['agent']],
  ['values of a key', 'a.yml', 'execution: |', ['parallel', 'dag'], ['true']],
  ['values of a step', 'a.yml', `${STEPS}  - wait: 1s\n    on_error: |`, ['continue', 'stop'], ['dag']],
  ['true and false', 'a.yml', 'narrate: |', ['true', 'false'], []],
  ['agents', 'a.yml', 'steps:\n  - agent: |', ['helper', 'Explore'], ['nested']],
  ['workflows', 'a.yml', 'steps:\n  - workflow: |', ['nested'], ['helper']],
  ['tools', 'a.yml', 'steps:\n  - tool: |', ['echo', 'read_file', 'github__'], ['helper']],
  ['models', 'a.yml', `${STEPS}  - agent: helper\n    model: |`, ['quick', 'sonnet'], []],
  ['ids', 'a.yml', `${STEPS}  - wait: 1s\n    needs:\n      - |`, ['scan', 'each'], ['helper']],
  ['ids in brackets', 'a.yml', `${STEPS}  - wait: 1s\n    needs: [scan, |`, ['scan', 'each'], ['helper']],
  ['names in references', 'a.yml', `${STEPS}  - ask: "\${|`, ['target', 'found', 'steps', 'item'], ['rework']],
  ['steps in references', 'a.yml', `${STEPS}  - ask: "\${steps.|`, ['scan', 'inside'], ['target']],
  ['fields of a step', 'a.yml', `${STEPS}  - ask: "\${steps.scan.|`, ['output', 'status'], ['issues']],
  ['fields of an output', 'a.yml', `${STEPS}  - ask: "\${steps.scan.output.|`, ['issues', 'count'], ['status']],
  ['fields of an item', 'a.yml', `${STEPS}  - ask: "\${steps.scan.output.issues[0].|`, ['line'], ['issues']],
  ['fields of a named output', 'a.yml', `${STEPS}  - ask: "\${found.|`, ['issues', 'count'], ['status']],
  ['fields of set values', 'a.yml', `${STEPS}  - ask: "\${steps.values.output.|`, ['first', 'second'], []],
  ['keys of an agent', 'definitions/agents/b.yml', 'name: b\n|', ['prompt', 'tools'], ['name', 'steps']],
  [
    'tools of an agent',
    'definitions/agents/b.yml',
    'name: b\ntools:\n  - |',
    ['shell', 'echo', 'github__', 'helper'],
    [],
  ],
  ['values of an agent', 'definitions/agents/b.yml', 'name: b\neffort: |', ['high', 'low'], []],
  [
    'front matter',
    '.claude/agents/b.md',
    '---\nname: b\n|\n---\nHelp.\n',
    ['description', 'tools', 'maxTurns'],
    ['name', 'prompt'],
  ],
  ['nothing in a prompt', '.claude/agents/b.md', '---\nname: b\n---\nHelp |', [], ['description']],
  ['an .agent file', 'b.agent', '---\nname: b\n|\n---\nHelp.\n', ['toolsets', 'compatible_models'], ['effort']],
  ['toolsets', 'b.agent', '---\nname: b\ntoolsets:\n  - |\n---\nHelp.\n', ['filesystem_project'], []],
  ['a chain', 'definitions/chains/b.yml', 'steps:\n  - step: 1\n    |', ['systemPrompt'], ['agent', 'step']],
  ['a build', 'definitions/builds/b.yml', 'nugget:\n  goal: x\n|', ['agents'], ['nugget', 'steps']],
  ['a manifest', 'b.json', '{"agent_files": [], "|', ['entry'], ['agent_files', 'steps']],
  ['inside of a manifest', 'b.json', '{"agent_files": [], "entry": {"|', ['agent'], ['entry']],
  ['the configuration', 'perdure.yml', 'models:\n  |', ['aliases', 'default'], ['models']],
  ['models of the configuration', 'perdure.yml', 'models:\n  default: |', ['sonnet'], []],
  ['agents of flows', 'b.flow', `${FLOW}-> |`, ['helper', '$checker'], ['found']],
  ['agents of a flow', 'b.flow', `${FLOW}-> $|`, ['checker'], ['helper', 'LIMIT']],
  ['captures', 'b.flow', `${FLOW}-> helper:"Tell of {|`, ['found', 'fine', 'LIMIT'], ['target']],
  ['parameters', 'b.flow', `${FLOW}-> helper:"Tell of {{|`, ['target'], ['found']],
  ['labels', 'b.flow', `${FLOW}-> @|`, ['again', 'ask-human'], ['helper']],
  ['conditions', 'b.flow', `${FLOW}(if |`, ['it passed', 'found'], ['helper']],
  ['fallbacks', 'b.flow', `${FLOW}-> @ok(fallback=|`, ['auto-approve', 'skip'], []],
  ['models of a definition', 'b.flow', `$x := {\n  model: "|`, ['quick', 'opus'], ['helper']],
  ['keys of a definition', 'b.flow', `$x := {\n  base: "helper",\n  |`, ['prompt', 'model'], ['helper']],
  ['the front matter of a flow', 'b.flow', '---\n|\n---\nhelper:"x"\n', ['params', 'description'], ['steps']],
];

it('an editor is offered what may stand where somebody writes, and nothing else', async () => {
  const folder = newFolder(FILES);
  const client = await startClient(folder);
  for (const [what, file, marked, offered, not] of CASES) {
    const path = join(folder, file);
    const offset = marked.lastIndexOf('|');
    const text = marked.slice(0, offset) + marked.slice(offset + 1);
    const lines = text.slice(0, offset).split('\n');
    client.open(path, text);
    const found = await client.connection.sendRequest<CompletionItem[]>('textDocument/completion', {
      textDocument: { uri: pathToFileURL(path).href },
      position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
    });
    const labels = found.map(({ label }) => label);
    expect(labels, what).toEqual(expect.arrayContaining(offered));
    expect(
      labels.filter((label) => not.includes(label)),
      `${what} in ${dirname(file)}`,
    ).toEqual([]);
    client.close(path);
  }
  expect(client.stderr()).toBe('');
});
