import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { CancellationTokenSource, LSPErrorCodes } from 'vscode-languageserver/node';
import { newFolder } from '../helpers/command-line.js';
import { startClient } from './client.js';

const TEXT = 'steps:\n  - id: scan\n    agent: helper\n    prompt: Look.\n  - tool: echo\n    needs: [scan]\n';
const FILES = {
  'definitions/agents/helper.yml': 'name: helper\nprompt: Help.\n',
  'definitions/tools/echo/tool.yml': 'description: Says it again.\ncommand: [./run.sh]\nparameters: {type: object}\n',
  'definitions/tools/echo/run.sh': '#!/bin/sh\ntouch "$HOME/ran"\n',
  'definitions/workflows/a.yml': TEXT,
};

/** Node has renamed its flag. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/** Everything below a folder: what it holds, and when it was changed. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      return `${name} ${stat.mode} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(path, 'utf8') : ''}`;
    });
}

it('a server that may write nothing and start nothing does all its work', async () => {
  const folder = newFolder(FILES);
  const before = snapshot(folder);
  // Node itself refuses to write, and to start a program or a thread; no program is on the path.
  const client = await startClient(folder, {
    node: [PERMISSION, '--allow-fs-read=*', '--no-warnings'],
    env: { PATH: '' },
  });
  const path = join(folder, 'definitions/workflows/a.yml');
  client.open(path, TEXT);
  expect(await client.diagnosticsOf(path, 1)).toEqual([]);
  client.replace(path, TEXT.replace('[scan]', '[scna]'), 2);
  expect(await client.diagnosticsOf(path, 2)).toMatchObject([{ code: 'unknown-step' }]);
  const textDocument = { uri: pathToFileURL(path).href };
  const range = { start: { line: 5, character: 13 }, end: { line: 5, character: 13 } };
  const ask = (what: string, more: object = {}): Promise<unknown> =>
    client.connection.sendRequest(`textDocument/${what}`, {
      textDocument,
      range,
      position: { line: 2, character: 13 },
      context: { diagnostics: [], includeDeclaration: true },
      options: { tabSize: 2, insertSpaces: true },
      newName: 'look',
      ...more,
    });
  expect(await ask('codeAction')).toHaveLength(1);
  expect(await ask('definition')).toHaveLength(1);
  expect(await ask('completion')).toEqual(expect.arrayContaining([expect.objectContaining({ label: 'helper' })]));
  expect(await ask('documentSymbol')).toHaveLength(2);
  expect(await ask('rename', { position: { line: 1, character: 9 } })).toMatchObject({ changes: {} });
  await ask('hover');
  await ask('references');
  await ask('formatting');
  client.close(path);
  await client.silence();
  expect(await client.end()).toBe(0);
  expect(client.stderr()).toBe('');
  expect(snapshot(folder)).toEqual(before);
});

it('a question that is taken back is not answered, and the next one is answered right', async () => {
  const folder = newFolder(FILES);
  const client = await startClient(folder);
  const path = join(folder, 'definitions/workflows/a.yml');
  client.open(path, TEXT);
  const params = { textDocument: { uri: pathToFileURL(path).href }, position: { line: 2, character: 13 } };
  for (let turn = 0; turn < 20; turn++) {
    const source = new CancellationTokenSource();
    let asked = Promise.resolve<unknown>(null);
    await client.together(() => {
      asked = client.connection
        .sendRequest('textDocument/completion', params, source.token)
        .catch((error: unknown) => error);
      source.cancel();
    });
    expect(await asked).toMatchObject({ code: LSPErrorCodes.RequestCancelled });
    expect(await client.connection.sendRequest('textDocument/completion', params)).toEqual(
      expect.arrayContaining([expect.objectContaining({ label: 'helper' })]),
    );
  }
});

it('a question about a text that is typed on is not answered from the old one', async () => {
  const folder = newFolder(FILES);
  const client = await startClient(folder);
  const path = join(folder, 'definitions/workflows/a.yml');
  const textDocument = { uri: pathToFileURL(path).href };
  client.open(path, TEXT);
  let asked = Promise.resolve<unknown>(null);
  await client.together(() => {
    asked = client.connection
      .sendRequest('textDocument/documentSymbol', { textDocument })
      .catch((error: unknown) => error);
    client.type(path, TEXT, TEXT.replace('id: scan', 'id: look'), 2);
  });
  expect(await asked).toMatchObject({ code: LSPErrorCodes.ContentModified });
  expect(await client.connection.sendRequest('textDocument/documentSymbol', { textDocument })).toMatchObject([
    { name: 'look' },
    { name: 'step 1' },
  ]);
});
