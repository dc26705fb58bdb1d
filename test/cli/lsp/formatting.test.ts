import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TextEdit } from 'vscode-languageserver/node';
import { newFolder } from '../helpers/command-line.js';
import { startClient } from './client.js';

describe('formatting in an editor', () => {
  it.each([
    [
      'a workflow',
      'a.yml',
      "steps:\n    - prompt: 'Look.'   # why\n      agent: Explore\n",
      'steps:\n  - agent: Explore\n    prompt: "Look." # why\n',
    ],
    ['a flow', 'a.flow', 'Explore:"Look":a->Plan:"Plan {a}"', 'Explore:"Look":a ->\nPlan:"Plan {a}"\n'],
  ])('is what `fmt` does with %s', async (_, name, text, expected) => {
    const folder = newFolder();
    const client = await startClient(folder);
    const path = join(folder, name);
    client.open(path, text);
    const edits = await client.connection.sendRequest<TextEdit[]>('textDocument/formatting', {
      textDocument: { uri: pathToFileURL(path).href },
      options: { tabSize: 2, insertSpaces: true },
    });
    expect(edits).toMatchObject([{ range: { start: { line: 0, character: 0 } }, newText: expected }]);
  });

  it('leaves a text with problems, and one in canonical form, as it is', async () => {
    const folder = newFolder();
    const client = await startClient(folder);
    for (const [name, text] of [
      ['broken.yml', 'steps: ['],
      ['sound.yml', 'steps:\n  - wait: 1s\n'],
    ] as const) {
      const path = join(folder, name);
      client.open(path, text);
      expect(
        await client.connection.sendRequest('textDocument/formatting', {
          textDocument: { uri: pathToFileURL(path).href },
          options: {},
        }),
      ).toEqual([]);
    }
  });
});
