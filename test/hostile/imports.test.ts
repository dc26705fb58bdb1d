import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { newFolder, perdure } from '../cli/helpers/command-line.js';

const HISTORY = gunzipSync(readFileSync(join(import.meta.dirname, '../replay/histories/bodies.json.gz'))).toString();
const RECORDING = 'definition: gone.yml\nexpect: {status: success}\n';

describe('a file from elsewhere that says what has happened', () => {
  // A history is replayed by nothing but our own tests: no command takes one as what a run has done.
  it.each([['run'], ['validate'], ['plan'], ['test']])(
    'is nothing to `perdure %s` when it is a history',
    async (command) => {
      const folder = newFolder({ 'history.json': HISTORY });
      const { code, stdout, stderr } = await perdure(folder, [command, 'history.json']);
      expect(code).toBe(2);
      expect(stdout + stderr).toMatch(/history\.json/);
      expect((stdout + stderr).length).toBeLessThan(2_000);
      expect(existsSync(join(folder, '.perdure'))).toBe(false);
    },
  );

  it.each<[string, string, string]>([
    ['an alias', 'definition: &a x\nexpect: {status: success}\ninput: {x: *a}\n', 'hostile.yml:3:12  yaml-alias'],
    ['a key that nothing reads', `${RECORDING}run: rm\n`, 'hostile.yml:3:1  unknown-key  There is no key `run` here.'],
    ['an answer that is no text', `${RECORDING}answers: [{step: a, text: {}}]\n`, 'hostile.yml:3:27  invalid-value'],
    ['a definition that is not there', RECORDING, 'gone.yml'],
    [
      'a device in place of a definition',
      RECORDING.replace('gone.yml', '../../../../dev/zero'),
      'Expected a regular file',
    ],
    ['a step that acts outside', RECORDING.replace('gone.yml', 'sends.yml'), 'whose effect is external'],
  ])('is refused by `perdure test` for %s, before anything is started', async (_what, recording, message) => {
    const folder = newFolder({
      'hostile.yml': recording,
      'sends.yml': 'steps:\n  - {id: send, command: [touch, sent], effect: external}\n',
    });
    const { code, stdout, stderr } = await perdure(folder, ['test', 'hostile.yml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect([existsSync(join(folder, '.perdure')), existsSync(join(folder, 'sent'))]).toEqual([false, false]);
  });
});
