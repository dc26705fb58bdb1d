// @module-tag sandbox
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { held } from '../../src/activities/programs/hold.js';
import type { ToolContext } from '../../src/activities/tools/handler/handler.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

let context: ToolContext;
beforeEach(async () => {
  context = await toolContext();
  mkdirSync(join(context.workspace, 'workflows'));
  for (const path of ['workflows/own.yml', 'workflows/other.yml', 'tell.sh'])
    writeFileSync(join(context.workspace, path), 'as it was');
  await context.store.noteSubmitted({
    run: context.run,
    definition: 'own',
    rehearsal: false,
    submitted_by: 'ana',
    submitted_at: '2026-01-01T00:00:00Z',
    kept: ['workflows/own.yml', 'agents', 'tell.sh', 'bin/missing.sh'],
  });
});

const KEPT = ['workflows/own.yml', 'agents/helper.yml', 'tell.sh', 'bin/missing.sh'];
const textOf = (path: string): string | null => {
  const file = join(context.workspace, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};
const python = async (script: string): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context));
const writing = (path: string): string =>
  `import os, pathlib\np = pathlib.Path('${path}')\np.parent.mkdir(exist_ok=True)\np.write_text('x')`;

describe('what a run was started from, and what settings start', () => {
  it.each(KEPT)('is written by no tool for files: %s', async (path) => {
    const before = textOf(path);
    for (const [name, more] of [
      ['write_file', { content: 'x' }],
      ['edit_file', { old_text: 'was', new_text: 'is' }],
      ['keep_context', { task: 'one', summary: 'x' }],
    ] as const)
      expect(JSON.stringify(await callTool({ kind: 'builtin', name }, { path, ...more }, context))).toMatch(
        /is protected: this run was started from it/,
      );
    expect(textOf(path)).toBe(before);
  });

  it.each(KEPT)('is written by no command: %s', async (path) => {
    const before = textOf(path);
    expect(await python(writing(path))).toMatch(/Read-only file system|which is protected; it was put back/);
    expect(textOf(path)).toBe(before);
  });

  it('stays where it is with the folder that holds it', async () => {
    expect(await python("import os; os.rename('workflows', 'moved')")).toContain('Device or resource busy');
    expect(await python("import os; os.rename('tell.sh', 'moved')")).toContain('Device or resource busy');
  });

  it('is read-only to a program that plays an agent', async () => {
    const { args, release } = await held('/bin/true', [], context);
    await release();
    expect(args.join(' ')).toContain(`--ro-bind-try ${context.workspace}/tell.sh ${context.workspace}/tell.sh`);
  });

  it('is of that run alone: others, and files beside it, are written', async () => {
    expect(await python(writing('workflows/other.yml'))).toContain('"exit_code":0');
    context = { ...context, run: 'another' };
    expect(await python(writing('workflows/own.yml'))).toContain('"exit_code":0');
    expect(textOf('workflows/own.yml')).toBe('x');
  });
});
