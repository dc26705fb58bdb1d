// @module-tag sandbox
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { callTool, toolContext } from '../helpers/tool-context.js';

/** What the tool makes of a project with these files. */
async function build(
  files: Record<string, string>,
  args: JsonObject = {},
  link?: [string, string],
): ReturnType<typeof callTool> {
  const context = await toolContext();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(context.workspace, path)), { recursive: true });
    await writeFile(join(context.workspace, path), text);
  }
  if (link !== undefined) await symlink(link[0], join(context.workspace, link[1]));
  return callTool({ kind: 'builtin', name: 'build_project' }, args, context);
}

const SCRIPT = JSON.stringify({ scripts: { build: 'mkdir -p dist && cp page.html dist/index.html && echo made it' } });

describe('the tool that builds a project', () => {
  it('runs `npm run build` where there is such a script, and finds the folder to serve', async () => {
    expect(
      await build({ 'package.json': SCRIPT, 'page.html': 'hello', 'index.html': 'old' }, { page: true }),
    ).toMatchObject({
      is_error: false,
      content: { built: true, folder: 'dist', output: expect.stringContaining('made it') as string },
    });
  });

  it.each([
    [['src/index.html', 'index.html'], 'src'],
    [['public/index.html', 'src/index.html'], 'public'],
    [['index.html', 'other/index.html'], '.'],
  ])('serves of %j the folder %s', async (files, folder) => {
    const texts = Object.fromEntries(files.map((file) => [file, 'page']));
    expect(await build(texts, { page: true })).toMatchObject({ content: { built: false, folder } });
  });

  it('fails with what the build said, and where there is no page', async () => {
    const broken = { 'package.json': '{"scripts": {"build": "echo main.c:3: error >&2; exit 2"}}' };
    expect(await build(broken)).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/^`npm run build` ended with exit code 2:[^]*main\.c:3: error/) as string,
    });
    expect(await build({ 'package.json': '{' }, { page: true })).toMatchObject({
      is_error: true,
      content: expect.stringContaining('There is no page to serve') as string,
    });
    expect(await build({}, { page: true }, ['/etc', 'dist'])).toMatchObject({ is_error: true });
  });

  it('runs the command of its call in place of a script', async () => {
    expect(await build({ 'make.mjs': 'console.log("image")' }, { argv: ['node', 'make.mjs'] })).toMatchObject({
      content: { built: true, folder: null, output: 'image' },
    });
  });
});
