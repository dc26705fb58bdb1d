import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { installationOf } from '../../../src/store/git/enclosure.js';

const home = homedir();

// What a folder of programs is shown with: test/store/processes/program-places.test.ts.
describe('What a program outside the system’s folders is shown of the machine', () => {
  it.each([
    ['a program of the system', '/usr/bin/python3', []],
    ['one beside a person’s keys', `${home}/.cargo/bin/tool`, [`${home}/.cargo/bin`, `${home}/.cargo/lib`]],
    ['one that lies alone', '/srv/avr-gcc', ['/srv']],
    // Not with `~/lib`: nobody knows what a person keeps there.
    ['one in the home’s own bin', `${home}/bin/tool`, [`${home}/bin`]],
    ['one in ~/.local/bin', `${home}/.local/bin/tool`, [`${home}/.local/bin`, `${home}/.local/lib`]],
    ['one that lies in the home itself', `${home}/tool`, [`${home}/tool`]],
  ])('%s', (_title, program, folders) => {
    expect(installationOf(program)).toEqual(folders);
  });
});
