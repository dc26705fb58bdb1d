import { describe, expect, it } from 'vitest';
import { HELLO, newFolder, perdureHere } from '../helpers/command-line.js';

describe('fmt', () => {
  it('passes by what in a folder has no canonical form: permissions, devices, texts for people', async () => {
    const folder = newFolder({
      'definitions/permissions/small.yml': 'commands:\n  - [git]\n',
      'definitions/devices/board.yml': 'name: board\n',
      'definitions/README.md': '# Ours\n',
      'definitions/workflows/hello.yml': HELLO.replace('  - ', '- ').replace(/^ {4}/m, '  '),
    });
    const { code, stdout, stderr } = await perdureHere(folder, ['fmt', '--check', 'definitions', '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ ok: false, problems: [], changed: ['definitions/workflows/hello.yml'] });
  });
});
