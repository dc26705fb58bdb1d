import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProject } from '../../src/compiler/project/project.js';
import type { Connection } from '../../src/mcp/connection.js';
import { createMade } from '../../src/mcp/made.js';
import { findWorkflow } from '../../src/mcp/tools/find-workflow.js';

const outside = mkdtempSync(join(tmpdir(), 'perdure-mcp-'));
const root = join(outside, 'project');
const STEP = 'steps:\n  - command: [touch, gone]\n';
mkdirSync(join(root, 'definitions/workflows'), { recursive: true });
writeFileSync(join(root, 'perdure.yml'), '');
writeFileSync(join(root, 'definitions/workflows/hello.yml'), `name: hello\n${STEP}`);
writeFileSync(join(root, 'notes.yml'), STEP);
writeFileSync(join(outside, 'evil.yml'), STEP);
afterAll(() => rmSync(outside, { recursive: true, force: true }));

describe('a workflow that an MCP client names', () => {
  // All of a connection that is looked at.
  const connection = { made: createMade() } as unknown as Connection;
  const find = (name: string): string => findWorkflow(name, { project: findProject(root) }, connection).file;

  it('is one of the project', () => {
    expect(find('hello')).toBe(join(root, 'definitions/workflows/hello.yml'));
    expect(() => find('helo')).toThrow('There is no workflow `helo`. did you mean `hello`?');
  });

  it.each(['twin', 'a twin'])('is none of several of one name: `%s`', (name) => {
    const files = ['yaml', 'yml'].map((ending) => `definitions/workflows/${name}.${ending}`);
    for (const file of files) writeFileSync(join(root, file), STEP);
    expect(() => find(name)).toThrow(`More than one file has the name \`${name}\`: \`${files[0]}\`, \`${files[1]}\`.`);
  });

  it.each(['../evil.yml', './notes.yml', 'notes.yml', 'definitions/workflows/hello.yml', '/etc/passwd', '../evi.yml'])(
    'is no file at a path, such as %s',
    (path) => {
      expect(() => find(path)).toThrow(`Expected the name of a workflow, not a path, got \`${path}\`.`);
    },
  );
});
