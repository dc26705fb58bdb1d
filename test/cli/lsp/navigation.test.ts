import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type {
  CodeAction,
  CompletionItem,
  DocumentSymbol,
  Hover,
  Location,
  WorkspaceEdit,
} from 'vscode-languageserver/node';
import { newFolder } from '../helpers/command-line.js';
import { startClient } from './client.js';

const TEXT = [
  'inputs:',
  '  target: {type: string}',
  'steps:',
  '  - id: scan',
  '    agent: helper',
  '    prompt: "Look at ${target}"',
  '    model: sonnet',
  '  - id: report',
  '    agent: helpr',
  '    prompt: "Tell of ${steps.scan.output}"',
  '    needs: [scan]',
  '',
].join('\n');

it('an editor is told what may be written, what it means, where it is, and how to mend and rename it', async () => {
  const folder = newFolder({ 'definitions/agents/helper.yml': 'name: helper\nprompt: Help.\n' });
  const client = await startClient(folder);
  const path = join(folder, 'a.yml');
  client.open(path, TEXT);
  await client.diagnosticsOf(path, 1);
  const textDocument = { uri: pathToFileURL(path).href };
  const ask = <T>(what: string, line: number, character: number, more: object = {}): Promise<T> =>
    client.connection.sendRequest<T>(`textDocument/${what}`, { textDocument, position: { line, character }, ...more });

  expect(await ask<Location[]>('definition', 4, 13)).toMatchObject([
    { uri: pathToFileURL(join(folder, 'definitions/agents/helper.yml')).href },
  ]);
  expect(await ask<Location[]>('definition', 9, 32)).toMatchObject([{ range: { start: { line: 3, character: 8 } } }]);
  expect(await ask<Location[]>('references', 3, 9, { context: { includeDeclaration: true } })).toHaveLength(3);
  expect((await ask<Hover>('hover', 6, 13)).contents).toMatchObject({ value: /^`claude-sonnet.*\$/s });
  const { changes } = await ask<WorkspaceEdit>('rename', 3, 9, { newName: 'look' });
  expect(changes?.[textDocument.uri]?.map(({ range: { start }, newText }) => [start, newText])).toEqual([
    [{ line: 3, character: 8 }, 'look'],
    [{ line: 9, character: 29 }, 'look'],
    [{ line: 10, character: 12 }, 'look'],
  ]);
  await expect(ask('rename', 3, 9, { newName: 'report' })).rejects.toThrow('Another step has the id `report` already.');
  const symbols = await client.connection.sendRequest<DocumentSymbol[]>('textDocument/documentSymbol', {
    textDocument,
  });
  expect(symbols.map(({ name }) => name)).toEqual(['scan', 'report']);
  const range = { start: { line: 8, character: 12 }, end: { line: 8, character: 12 } };
  const actions = await client.connection.sendRequest<CodeAction[]>('textDocument/codeAction', {
    textDocument,
    range,
    context: { diagnostics: [] },
  });
  expect(actions.map(({ edit }) => edit?.changes?.[textDocument.uri])).toEqual([
    [{ range: { start: { line: 8, character: 11 }, end: { line: 8, character: 16 } }, newText: 'helper' }],
  ]);

  const labels = async (text: string): Promise<string[]> => {
    client.replace(path, text, (version += 1));
    const lines = text.split('\n');
    const found = await ask<CompletionItem[]>('completion', lines.length - 1, lines.at(-1)?.length ?? 0);
    return found.map(({ label }) => label);
  };
  let version = 1;
  expect(await labels(`${TEXT}  - agent: `)).toContain('helper');
  expect(await labels(`${TEXT}  - prompt: "\${steps.`)).toEqual(['scan', 'report']);
  expect(await labels(`${TEXT}  - prompt: "\${steps.scan.`)).toContain('output');
  expect(await labels(`${TEXT}  - prompt: "\${`)).toContain('target');
  expect(await labels(`${TEXT}  - needs: [`)).toEqual(['scan', 'report']);
  expect(await labels(`${TEXT}  - on_error: `)).toEqual(['continue', 'stop', 'skip_dependents']);
  expect(await labels(`${TEXT}  - `)).toContain('parallel_group');
  expect(await labels(`${TEXT}exec`)).toContain('execution');
  expect(client.stderr()).toBe('');
});
