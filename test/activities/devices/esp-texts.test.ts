import { describe, expect, it } from 'vitest';
import { imageTexts } from '../../../src/activities/devices/board/esp/image-texts.js';
import { createBoardFiles } from '../../../src/activities/devices/board/esp/board-files.js';
import { runSnippet } from '../../../src/activities/devices/board/esp/python-snippet.js';
import { pythonTexts } from '../../../src/activities/devices/board/esp/python-texts.js';
import { createSlipReader, slipFrame } from '../../../src/activities/devices/board/esp/slip.js';
import { openMemory } from '../../../src/activities/devices/board/memory.js';
import { temporaryFolder } from '../helpers/harness.js';
import { join } from 'node:path';

/** Flash memory with an image of one segment that holds this, and what another image has left behind it. */
function flashed(text: string): Uint8Array {
  const flash = new Uint8Array(64 * 1024).fill(0xff);
  flash.fill(0, 4096, 8192);
  flash[4096] = 0xe9;
  flash[4097] = 1;
  new DataView(flash.buffer).setUint32(4096 + 28, 2000, true);
  flash.set(Buffer.from(text), 4096 + 100);
  flash.set(Buffer.from('an older image'), 8192);
  return flash;
}

describe('the texts of a flashed image', () => {
  it('are those of that image and no others, and what has a number is counted', () => {
    expect(imageTexts(flashed('\0hello\0\x01ab\x02tick %d\0level \0'), 4096)).toMatchObject({
      once: ['hello'],
      counted: ['tick #', 'level #'],
    });
  });

  it('are those up to the first erased sector where a header makes no sense', () => {
    const flash = flashed('\0hello\0');
    flash[4097] = 0;
    expect(imageTexts(flash, 4096).texts).toEqual(['hello', 'an older image']);
  });
});

it.each([
  ['print("ready")', { once: ['ready'], counted: [] }],
  ['for i in range(3):\n    print("tick", i)', { once: [], counted: ['tick #'] }],
  ["print(f'tick {n}')\nprint('%d degrees' % t)", { once: [], counted: ['tick #', '# degrees'] }],
  ['x = "no text that is printed"', { once: [], counted: [] }],
])('of a program in Python those that it prints are said: %s', (code, texts) => {
  expect(pythonTexts(code)).toEqual(texts);
});

describe('a simulated MicroPython', () => {
  const files = (): ReturnType<typeof createBoardFiles> => {
    const flash = new Uint8Array(0x210000).fill(0xff);
    return createBoardFiles(flash, (address, data) => {
      flash.set(data, address);
      return true;
    });
  };

  it('keeps files, and compares them', () => {
    const board = files();
    const write = String.raw`f = open('main.py', 'wb')
f.write(b'print(\'a\')\n\x00')
f.close()`;
    expect(runSnippet(write, board)).toEqual({ out: '', error: '', reset: false });
    expect(board.read('main.py')).toEqual(Buffer.from("print('a')\n\0"));
    const compare = (data: string): string =>
      runSnippet(
        `f = open('main.py', 'rb')\nd = f.read()\nf.close()\nassert d == b'${data}', 'verification mismatch'`,
        board,
      ).error;
    expect(compare(String.raw`print(\'a\')\n\x00`)).toBe('');
    expect(compare('else')).toContain('AssertionError: verification mismatch');
    expect(runSnippet("f = open('gone.py', 'rb')", board).error).toContain('ENOENT');
  });

  it('runs no code but what puts files there', () => {
    expect(runSnippet("import os\nos.system('id')", files()).error).toContain('NotImplementedError');
    expect(runSnippet("print(open('/etc/passwd').read())", files()).error).toContain('NotImplementedError');
  });
});

describe('frames of SLIP', () => {
  it('are read as they were written, however they arrive', () => {
    const data = Uint8Array.from({ length: 300 }, (_, index) => [0xc0, 0xdb, 0xdc, 0xdd, index & 255][index % 5] ?? 0);
    const bytes = Buffer.concat([Buffer.from('noise'), slipFrame(data), slipFrame(Buffer.from('two'))]);
    const read = createSlipReader();
    const frames = [...bytes].flatMap((byte) => read(Uint8Array.of(byte)));
    expect(frames).toEqual([Buffer.from(data), Buffer.from('two')]);
    expect(createSlipReader()(bytes)).toEqual(frames);
  });
});

it('keeps flash memory in a file, as far as it was written', async () => {
  const file = join(await temporaryFolder(), 'memory');
  const memory = openMemory(file, 4096);
  memory.bytes.set([1, 2], 100);
  memory.save(100, 2);
  memory.bytes.set([3], 50);
  memory.save(50, 1);
  const again = openMemory(file, 4096);
  expect(again.bytes).toEqual(memory.bytes);
  expect(again.bytes[4095]).toBe(0xff);
});
