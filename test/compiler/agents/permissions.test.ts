import { describe, expect, it } from 'vitest';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';

const writing = (path: string): string => judgeAction(permissionsFrom([], true), { kind: 'write', path }).verdict;

describe('agents that nobody permits more', () => {
  // asdf, mise, proto, uv, rustup and dotnet: their shims stand on the PATH of whoever runs Perdure.
  it.each([
    '.tool-versions',
    'mise.toml',
    'mise/config.toml',
    '.miserc.toml',
    '.rtx.toml',
    '.prototools',
    '.python-version',
    'rust-toolchain',
    'rust-toolchain.toml',
    'global.json',
  ])('do not write `%s`, by which a shim runs a program of the workspace', (path) => {
    expect([writing(path), writing(`packages/site/${path}`)]).toEqual(['deny', 'deny']);
  });

  it.each(['.nvmrc', '.node-version', '.ruby-version', 'mise/tasks.md', 'tool-versions'])(
    'write `%s`, by which nothing runs but what is installed',
    (path) => {
      expect(writing(path)).toBe('allow');
    },
  );
});
