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
`;
const FLOW = `---
description: x
---
$checker := {
  base: "helper",
  prompt: "Check."
}
@again ->
helper:"Look":found ->
$checker:"Is {found} right?":fine
(if fine)~> helper:"Good: {found}"
(if not fine)~> @again
`;

it('an editor is told types, and where things of workflows and flows are defined', async () => {
  const folder = newFolder({ 'definitions/agents/helper.yml': '# An agent.\nname: helper\nprompt: Help.\n' });
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
  const [work, flow] = [
    ['a.yml', open('a.yml', TEXT)],
    ['b.flow', open('b.flow', FLOW)],
  ];
  const hover = async (...place: [string, number?]): Promise<unknown> =>
    (await ask<Hover | null>('hover', work, place))?.contents;
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
  expect(await goTo(flow, '{found} right', 3)).toEqual([['b.flow', 8, 14]]);
  expect(await goTo(flow, '$checker:"Is', 3)).toEqual([['b.flow', 3, 1]]);
  expect(await goTo(flow, '(if not fine', 9)).toEqual([['b.flow', 9, 29]]);
  expect(await goTo(flow, '~> @again', 5)).toEqual([['b.flow', 7, 1]]);
  expect(await goTo(flow, 'helper:"Look', 3)).toEqual([['helper.yml', 1, 6]]);

  const { changes } = await ask<WorkspaceEdit>('rename', flow, ['":found', 3], { newName: 'seen' });
  expect(Object.values(changes ?? {})[0]?.map(({ range: { start }, newText }) => [start.line, newText])).toEqual([
    [8, 'seen'],
    [9, 'seen'],
    [10, 'seen'],
  ]);
  await expect(ask('rename', flow, ['":found', 3], { newName: 'fine' })).rejects.toThrow('already');
  expect(client.stderr()).toBe('');
});
