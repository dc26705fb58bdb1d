// @seconds 20
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const SERVER = fileURLToPath(new URL('../fakes/mcp-server.mjs', import.meta.url));
const COUNT = `name: count
description: Counts so many times.
kind: command
version: 1
inputs:
  schema:
    type: object
    properties: {text: {type: string}, times: {type: integer}}
    required: [text, times]
    additionalProperties: false
outputs: {format: text}
exec: {command: {entrypoint: /usr/bin/printf, args: ["%s:%s", "\${text}", "\${times}"]}}
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'perdure.yml': `mcp: {lab: {command: [${process.execPath}, ${SERVER}]}}\n`,
    'definitions/tools/count/tool.yml': COUNT,
    'note.txt': 'Hello.\n',
  });
});
afterAll(() => project.close());

const json = async (...args: string[]): Promise<Json> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as Json;

describe('tools list', () => {
  it('has those of Perdure, of the project, and each MCP server by its pattern', async () => {
    const listed = await json('tools', 'list');
    expect(listed).toEqual(
      expect.arrayContaining([
        { name: 'shell', source: 'builtin', description: expect.stringMatching(/./) as string },
        { name: 'agent_create', source: 'builtin', description: expect.stringMatching(/./) as string },
        {
          name: 'count',
          source: 'native',
          description: 'Counts so many times.',
          file: 'definitions/tools/count/tool.yml',
        },
        { name: 'lab__*', source: 'mcp', description: null },
      ]),
    );
    expect((await project.run('tools', 'list')).stdout).toMatch(/^count +native +Counts so many times\.$/m);
  });

  it('names also a tool that two files define, and says so', async () => {
    const folder = join(project.folder, 'definitions/tools/twin');
    mkdirSync(folder);
    for (const name of ['tool.yml', 'tool.yaml']) writeFileSync(join(folder, name), COUNT.replace('count', 'twin'));
    expect(await json('tools', 'list')).toContainEqual({ name: 'twin', source: 'native', description: null });
    const { stdout, stderr } = await project.run('tools', 'list');
    expect(stdout).toMatch(/^twin +native$/m);
    expect(stderr).toContain('More than one file has the name `twin`: `definitions/tools/twin/tool.yaml`, ');
    rmSync(folder, { recursive: true });
  });

  it('asks the servers where that is wanted', async () => {
    const listed = (await json('tools', 'list', '--servers')) as {
      name: string;
      source: string;
      description: string | null;
    }[];
    const served = listed.filter(({ source }) => source === 'mcp');
    expect(served.length).toBeGreaterThan(0);
    expect(served.every(({ name, description }) => /^lab__\w+$/.test(name) && description !== null)).toBe(true);
  });
});

describe('tools call', () => {
  it('is a run of its own: what the tool gave is the result, and what it is given is read by its schema', async () => {
    expect(await project.run('tools', 'call', 'count', '-i', 'text=a=b ${env.HOME}', '-i', 'times=3')).toMatchObject({
      code: 0,
      stdout: 'a=b ${env.HOME}:3\n',
    });
    expect(await json('tools', 'call', 'read_file', '-i', 'path=note.txt')).toMatchObject({
      status: 'success',
      output: expect.stringContaining('Hello.') as string,
    });
    expect(await json('list')).toEqual(
      expect.arrayContaining([expect.objectContaining({ definition: 'call-tool', status: 'success' })]),
    );
  });

  it.each([
    ['lacks what it needs', ['count', '-i', 'text=a'], 'The tool `count` needs the input `times`.'],
    [
      'has what it does not take',
      ['count', '-i', 'text=a', '-i', 'times=1', '-i', 'more=x'],
      'The tool `count` takes no input `more`.',
    ],
    [
      'has a value of another type',
      ['count', '-i', 'text=a', '-i', 'times=many'],
      'Expected the input `times` to be a whole number, got `many`.',
    ],
    ['names no tool', ['cuont'], 'There is no tool `cuont`.'],
    ['names none at all', [], 'Expected the name of one tool.'],
  ])('starts nothing where it %s', async (_what, args, message) => {
    const before = (await json('list')) as Json[];
    expect(await project.run('tools', 'call', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    });
    expect(await json('list')).toHaveLength(before.length);
  });
});

describe('agents create', () => {
  it('writes an agent that can be named at once', async () => {
    const { code, stdout } = await project.run(
      'agents',
      'create',
      'summarizer',
      'You summarize ${texts} in three sentences.',
      '--description',
      'Summarizes.',
      '--tools',
      'read_file, Bash(git log:*)',
      '--model',
      'haiku',
    );
    expect([code, stdout]).toEqual([0, 'definitions/agents/summarizer.yml\n']);
    expect(await json('agents', 'show', 'summarizer')).toMatchObject({
      name: 'summarizer',
      source: 'native',
      description: 'Summarizes.',
      model: 'haiku',
      tools: ['read_file', 'Bash(git log:*)'],
    });
    expect(await json('agents', 'create', 'keeper', 'You keep things.', '--toolsets', 'filesystem_cwd_ro')).toEqual({
      name: 'keeper',
      file: 'definitions/agents/keeper.agent',
    });
    expect((await project.run('validate', 'definitions/agents')).code).toBe(0);
    expect(readFileSync(join(project.folder, 'definitions/agents/keeper.agent'), 'utf8')).toBe(
      '---\nname: keeper\ntoolsets:\n  - filesystem_cwd_ro\n---\n\nYou keep things.\n',
    );
  });

  it.each([
    [
      'a name that is taken, whatever the case',
      ['explore', 'You look.'],
      'There is an agent `Explore` already (builtin).',
    ],
    ['no name', ['../evil', 'You look.'], "Expected the agent's name to be a letter"],
    ['no instructions', ['looker'], 'Expected the instructions of the agent'],
    [
      'a tool that is not there',
      ['looker', 'You look.', '--tools', 'serch_files'],
      'There is no tool and no agent `serch_files`.',
    ],
  ])('writes nothing for %s', async (_what, args, message) => {
    expect(await project.run('agents', 'create', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    });
    expect(await json('agents', 'list')).not.toContainEqual(expect.objectContaining({ name: 'looker' }));
  });
});
