import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Hover, Location, WorkspaceEdit } from 'vscode-languageserver/node';
import { newFolder } from '../helpers/command-line.js';
import { startClient } from './client.js';

const TEXT = `inputs:
  target: {type: string, description: What to look at.}
steps:
  - id: scan
    agent: helper
    prompt: Look at \${target}
    schema: {type: object, properties: {issues: {type: array, items: {type: string}}}}
    output: found
  - ask: "\${steps.scan.output.issues} or \${found} or \${steps.scan.duration_ms}"
    on_error: stop
  - tool: count
  - tool: read_file
    inputs: {path: a}
`;
const FLOW = `---
description: x
params:
  command: "What runs the tests (default: npm test)"
---
$checker := {
  base: "helper",
  prompt: "Check."
}
@again ->
helper:"Look with {{command}}":found ->
$checker:"Is {found} right?":fine
(if fine)~> helper:"Good: {found}"
(if not fine)~> @again
`;
const CHAIN = `{"steps": [
  {"step": 1, "inputs": ["userRequest"], "outputs": {"mood": "string"}, "command": ["cat"]},
  {"step": 2, "inputs": ["mood"], "outputs": {"mood": "number"}, "command": ["wc", "{{mood}}", "{{userRequest}}"]}
]}
`;

it('an editor is told types, and where things of workflows and flows are defined', async () => {
  const folder = newFolder({
    'definitions/agents/helper.yml':
      '# An agent.\nname: helper\ndescription: Helps.\nmodel: sonnet\ntools: [read_file]\nprompt: Help.\n',
    'definitions/tools/count/tool.yml': 'name: count\ndescription: Counts words.\ncommand: [wc]\n',
  });
  const client = await startClient(folder);
  const open = (name: string, text: string): string => {
    client.open(join(folder, name), text);
    return text;
  };
  const ask = <T>(
    method: string,
    [name, text]: string[],
    [place, ahead = 1]: [string, number?],
    more = {},
  ): Promise<T> => {
    const lines = text?.slice(0, text.indexOf(place) + ahead).split('\n') ?? [];
    return client.connection.sendRequest<T>(`textDocument/${method}`, {
      textDocument: { uri: pathToFileURL(join(folder, name ?? '')).href },
      position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
      ...more,
    });
  };
  const [work, flow, chain] = [
    ['a.yml', open('a.yml', TEXT)],
    ['b.flow', open('b.flow', FLOW)],
    ['definitions/chains/c.json', open('definitions/chains/c.json', CHAIN)],
  ];
  const hoverIn = async (file: string[], ...place: [string, number?]): Promise<unknown> =>
    (await ask<Hover | null>('hover', file, place))?.contents;
  const hover = (...place: [string, number?]): Promise<unknown> => hoverIn(work, ...place);
  const goTo = async (file: string[], ...place: [string, number?]): Promise<unknown> =>
    (await ask<Location[]>('definition', file, place)).map(({ uri, range: { start } }) => [
      uri.split('/').at(-1),
      start.line,
      start.character,
    ]);

  expect(await hover('${target}', 4)).toMatchObject({ value: '`target`: string\n\nWhat to look at.' });
  expect(await hover('${steps.scan.output', 5)).toMatchObject({
    value: '`steps.scan.output.issues`: list of string',
  });
  expect(await hover('${found}', 4)).toMatchObject({ value: '`found`: {issues: list of string}' });
  expect(await hover('${steps.scan.duration_ms', 5)).toMatchObject({ value: '`steps.scan.duration_ms`: number' });
  expect(await hover('on_error')).toMatchObject({ value: expect.stringContaining('What a failure does') as string });

  expect(await goTo(work, '${target}', 4)).toEqual([['a.yml', 1, 2]]);
  expect(await goTo(work, '${found}', 4)).toEqual([['a.yml', 7, 12]]);
  expect(await goTo(work, 'agent: helper', 9)).toEqual([['helper.yml', 1, 6]]);
  expect(await goTo(flow, '{found} right', 3)).toEqual([['b.flow', 10, 31]]);
  expect(await goTo(flow, '$checker:"Is', 3)).toEqual([['b.flow', 5, 1]]);
  expect(await goTo(flow, '(if not fine', 9)).toEqual([['b.flow', 11, 29]]);
  expect(await goTo(flow, '~> @again', 5)).toEqual([['b.flow', 9, 1]]);
  expect(await goTo(flow, 'helper:"Look', 3)).toEqual([['helper.yml', 1, 6]]);

  expect(await hover('agent: helper', 9)).toMatchObject({
    value: '`helper`: agent\n\nHelps.\n\nModel: `sonnet`\n\nTools: `read_file`',
  });
  expect(await hover('tool: count', 8)).toMatchObject({ value: '`count`: tool\n\nCounts words.' });
  expect(await hover('tool: read_file', 8)).toMatchObject({
    value: '`read_file`: a tool that comes with Perdure, called with {path: string, offset: integer, limit: integer}',
  });
  expect(await hoverIn(flow, 'helper:"Look', 3)).toMatchObject({ value: /^`helper`: agent\n\nHelps\./ });
  expect(await hoverIn(flow, '{found} right', 3)).toEqual({ kind: 'markdown', value: '`{found}`: what `helper` says' });
  expect(await hoverIn(flow, '$checker:"Is', 3)).toMatchObject({ value: /base: "helper"/ });
  expect(await hoverIn(flow, '{{command', 4)).toMatchObject({
    value: '`{{command}}`: What runs the tests; `npm test` where a run says nothing',
  });
  expect(await goTo(flow, '{{command', 4)).toEqual([['b.flow', 3, 2]]);
  expect(await goTo(chain, '{{mood', 4)).toEqual([['c.json', 1, 53]]);
  expect(await hoverIn(chain, '{{mood', 4)).toMatchObject({ value: '`{{mood}}`: string, written by step 1' });
  expect(await goTo(chain, '{{userRequest', 4)).toEqual([]);

  const { changes } = await ask<WorkspaceEdit>('rename', flow, ['":found', 3], { newName: 'seen' });
  expect(Object.values(changes ?? {})[0]?.map(({ range: { start }, newText }) => [start.line, newText])).toEqual([
    [10, 'seen'],
    [11, 'seen'],
    [12, 'seen'],
  ]);
  await expect(ask('rename', flow, ['":found', 3], { newName: 'fine' })).rejects.toThrow('already');
  expect(client.stderr()).toBe('');
});
