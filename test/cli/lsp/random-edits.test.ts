// @seconds 15
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import { withOverlay } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import type { Below } from '../../compiler/editing/shard.js';
import { SEED, shardOf } from '../../compiler/editing/shard.js';
import { edited, writtenWorkflow } from '../../compiler/editing/texts.js';
import { newFolder } from '../helpers/command-line.js';
import type { Client } from './client.js';
import { startClient } from './client.js';
import { saidOf, toldBy } from './said.js';

const DEFINITIONS = fileURLToPath(new URL('../../../definitions/', import.meta.url));
const EDITS = 25;
const CASES = 10_000 / EDITS;

/** Files of every format, by where they lie in a project. */
const FILES = ['agents', 'builds', 'chains', 'flows', 'workflows', 'projects', 'invalid'].flatMap((folder) =>
  readdirSync(join(DEFINITIONS, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.yml', '.json', '.flow', '.agent', '.md'].includes(extname(entry.name)))
    .map(({ name }) => join(folder, name)),
);

function pickFrom<T>(list: readonly T[], random: Below): T {
  return list[random(list.length)] as T; // the list is not empty
}

/** A text that is open in the editor, and how often it has changed. */
interface Open {
  path: string;
  text: string;
  version: number;
}

/** A text of a file that is not there yet, and where it would be. */
function newText(folder: string, random: Below): { path: string; text: string } {
  if (random(2) === 0)
    return { path: join(folder, 'definitions/workflows/written.yml'), text: writtenWorkflow(random, 4 + random(9)) };
  const name = pickFrom(FILES, random);
  const home = name.startsWith('invalid') ? 'workflows' : dirname(name);
  return {
    path: join(folder, 'definitions', home, basename(name)),
    text: readFileSync(join(DEFINITIONS, name), 'utf8'),
  };
}

/** What an editor does at one moment; the text that is open afterwards. */
function act(client: Client, open: Open, random: Below): Open {
  const { path, text } = open;
  const version = open.version + 1;
  switch (random(10)) {
    case 0: {
      const whole = edited(edited(text, random), random);
      client.replace(path, whole, version);
      return { path, text: whole, version };
    }
    case 1:
      client.close(path);
      client.open(path, text, version);
      return { path, text, version };
    case 2: {
      // It is saved under another name.
      const other = join(dirname(path), `${random(2)}${basename(path)}`.slice(-40));
      client.close(path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      renameSync(path, other);
      client.open(other, text, version);
      const changes = [path, other].map((changed, index) => ({
        uri: pathToFileURL(changed).href,
        type: 3 - 2 * index,
      }));
      void client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
      return { path: other, text, version };
    }
    default: {
      const after = edited(text, random);
      client.type(path, text, after, version);
      return { path, text: after, version };
    }
  }
}

const QUESTIONS = ['completion', 'hover', 'definition', 'references', 'rename', 'documentSymbol', 'formatting'];
const FINE: number[] = [LSPErrorCodes.ContentModified, LSPErrorCodes.RequestCancelled, LSPErrorCodes.RequestFailed];

/** Asks something of somewhere in a text; what is not answered must have a reason that the protocol knows. */
async function ask(client: Client, { path, text }: Open, random: Below): Promise<void> {
  const line = random(text.split('\n').length);
  try {
    await client.connection.sendRequest(`textDocument/${pickFrom(QUESTIONS, random)}`, {
      textDocument: { uri: pathToFileURL(path).href },
      position: { line, character: random(1 + (text.split('\n')[line] ?? '').length) },
      context: { includeDeclaration: true },
      newName: 'other',
      options: { tabSize: 2, insertSpaces: true },
    });
  } catch (error) {
    if (!(error instanceof ResponseError) || !FINE.includes(error.code)) throw error;
  }
}

it(
  `whatever is typed, the server lives and says what validate says of the last text (PERDURE_SEED=${SEED})`,
  { timeout: 3_600_000 },
  async () => {
    const folder = newFolder({
      'perdure.yml': 'models: {aliases: {quick: haiku}}\n',
      'definitions/agents/helper.yml': 'name: helper\ninputs: {topic: {default: x}}\nprompt: Help with ${topic}.\n',
      'definitions/workflows/nested.yml':
        'name: nested\ninputs: {target: {type: string}}\nsteps:\n  - agent: helper\n    prompt: ${target} ${more}\n',
    });
    const client = await startClient(folder);
    let found = 0;
    for (const { number, below: random } of shardOf('edits of an editor', CASES, 12)) {
      let open: Open = { ...newText(folder, random), version: 1 };
      client.open(open.path, open.text);
      const asked: Promise<void>[] = [];
      for (let turn = 0; turn < EDITS; turn++) {
        open = act(client, open, random);
        if (random(3) === 0) asked.push(ask(client, open, random));
        if (random(8) === 0) await client.diagnosticsOf(open.path, open.version);
      }
      await Promise.all(asked);
      await client.diagnosticsOf(open.path, open.version);
      const { path, text } = open;
      const { problems } = withOverlay({ texts: new Map([[path, text]]) }, () => validatePaths([path], folder));
      const expected = new Set(saidOf(problems, folder));
      await expect
        .poll(() => new Set(toldBy(client)), { message: `case ${number}: ${path}\n${text}` })
        .toEqual(expected);
      found += problems.length;
      client.close(path);
      await client.silence();
    }
    expect(found).toBeGreaterThan(12);
    expect(await client.end()).toBe(0);
    expect(client.stderr()).toBe('');
  },
);
