// @seconds 30
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { validatePaths } from '../../../src/compiler/validate.js';
import { newFolder } from '../helpers/command-line.js';
import { startClient } from './client.js';
import { saidOf, toldBy } from './said.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const DEFINITIONS = join(ROOT, 'definitions');
const TEXTS = /\.(?:ya?ml|json|flow|agent|md|toml)$/;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => TEXTS.test(path) && statSync(path).isFile())
    .sort();
}

describe('the problems that an editor is told', () => {
  it('are those of `validate`, for every file in definitions/', async () => {
    const client = await startClient(ROOT);
    const files = filesBelow(DEFINITIONS);
    expect(files.length).toBeGreaterThan(100);
    for (const path of files) {
      client.open(path, readFileSync(path, 'utf8'));
      await client.diagnosticsOf(path, 1);
      expect(new Set(toldBy(client)), path).toEqual(new Set(saidOf(validatePaths([path], ROOT).problems, ROOT)));
      client.close(path);
      await client.silence();
    }
    expect(await client.end()).toBe(0);
    expect(client.stderr()).toBe('');
  });

  it('are told of a text that nobody has saved, of its newest version, and are gone when they are mended', async () => {
    const folder = newFolder();
    const client = await startClient(folder);
    const path = join(folder, 'new.yml');
    client.open(path, 'steps:\n  - wait: 1s\n    nedes: []\n');
    expect(await client.diagnosticsOf(path, 1)).toMatchObject([
      {
        code: 'unknown-key',
        severity: 1,
        source: 'perdure',
        range: { start: { line: 2, character: 4 }, end: { line: 2, character: 9 } },
        data: { suggestion: 'did you mean `needs`?' },
      },
    ]);
    client.replace(path, 'steps:\n  - wait: 1s\n', 2);
    expect(await client.diagnosticsOf(path, 2)).toEqual([]);
  });

  it('count the text of an agent that is open for the workflows that use it', async () => {
    const folder = newFolder({
      'definitions/agents/helper.yml': 'name: helper\nprompt: Help.\n',
      'flow.yml': 'steps:\n  - agent: helper\n',
    });
    const client = await startClient(folder);
    const [flow, helper] = [join(folder, 'flow.yml'), join(folder, 'definitions/agents/helper.yml')];
    client.open(flow, readFileSync(flow, 'utf8'));
    expect(await client.diagnosticsOf(flow, 1)).toEqual([]);
    client.open(helper, 'name: helper\ninputs: {file: {required: true}}\nprompt: Help with ${file}.\n');
    await expect.poll(() => client.told.get(flow)?.diagnostics).toMatchObject([{ code: 'missing-input' }]);
  });

  it('are none for a file of another tool that lies outside of definitions', async () => {
    const folder = newFolder();
    const client = await startClient(folder);
    const path = join(folder, 'docker-compose.yml');
    client.open(path, 'services:\n  web:\n    image: nginx\n');
    expect(await client.diagnosticsOf(path, 1)).toEqual([]);
    client.open(join(folder, 'package.json'), '{"name": "x"}');
    expect(await client.diagnosticsOf(join(folder, 'package.json'), 1)).toEqual([]);
  });
});
