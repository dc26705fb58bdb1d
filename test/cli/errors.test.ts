import { mkdir } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { tellError } from '../../src/cli/errors.js';
import { usageError } from '../../src/cli/exit-codes.js';
import { createPalette } from '../../src/cli/text/colors.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { writeWhole } from '../../src/cli/write-whole.js';

const ERROR = usageError(
  'The definition `hello` needs the input `name`, which `greeting` needs.',
  'Give it with `-i name=…`, or in a file.',
);

async function told(stream: { isTTY: boolean; columns?: number }, error: unknown = ERROR, exit = 2): Promise<string[]> {
  const stderr = Object.assign(new PassThrough(), stream);
  const palette = createPalette(false);
  // The parts of a terminal that an error uses.
  expect(
    await tellError({ stderr, palette, resultPalette: palette, env: {} } as unknown as Terminal, error, false),
  ).toBe(exit);
  return String(stderr.read()).trimEnd().split('\n');
}

describe('an error', () => {
  it('breaks between words where the terminal is narrow', async () => {
    expect(await told({ isTTY: true, columns: 40 })).toEqual([
      'Error: The definition `hello` needs the',
      'input `name`, which `greeting` needs.',
      '  Give it with `-i name=…`, or in a',
      '  file.',
    ]);
  });

  it('says in words why the system refuses a file', async () => {
    const error: unknown = await mkdir('/dev/null/x').catch((reason: unknown) => reason);
    expect(await told({ isTTY: false }, error, 3)).toEqual([
      'Error: Cannot mkdir `/dev/null/x`: a part of the path is no folder (ENOTDIR).',
    ]);
  });

  it.each([
    ['/proc/x.yml', 'no file can be made there (ENOENT)'],
    ['/dev/null/x.yml', 'something is in the way (EEXIST)'],
  ])('says of a file that cannot be written which, why and what to do: %s', async (file, why) => {
    let thrown: unknown = null;
    try {
      writeWhole(file, 'text');
    } catch (error) {
      thrown = error;
    }
    expect(await told({ isTTY: false }, thrown, 3)).toEqual([
      `Error: Cannot write \`${file}\`: ${why}.`,
      '  Change that, or name another place.',
    ]);
  });

  it('says that a disk is full, also where the system names no file', async () => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(await told({ isTTY: false }, error, 3)).toEqual([
      'Error: Cannot write: the disk is full (ENOSPC).',
      '  Make room, and do it again.',
    ]);
  });

  it('is one line for other programs', async () => {
    expect(await told({ isTTY: false })).toEqual([
      'Error: The definition `hello` needs the input `name`, which `greeting` needs.',
      '  Give it with `-i name=…`, or in a file.',
    ]);
  });
});
