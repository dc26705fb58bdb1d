import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { installationOf } from '../../../src/store/git/enclosure.js';

const home = homedir();

describe('What a program outside the system’s folders is shown of the machine', () => {
  it.each([
    ['a program of the system', '/usr/bin/python3', []],
    ['one of an installation of its own', '/srv/avr/bin/avr-gcc', ['/srv/avr']],
    ['one of a virtual environment in the home', `${home}/work/venv/bin/python3`, [`${home}/work/venv`]],
    ['one beside a person’s keys', `${home}/.cargo/bin/tool`, [`${home}/.cargo/bin`, `${home}/.cargo/lib`]],
    ['one that lies alone', '/srv/avr-gcc', ['/srv']],
    ['one in the home’s own bin', `${home}/bin/tool`, [`${home}/bin`, `${home}/lib`]],
    ['one in ~/.local/bin', `${home}/.local/bin/tool`, [`${home}/.local/bin`, `${home}/.local/lib`]],
    ['one that lies in the home itself', `${home}/tool`, [`${home}/tool`]],
  ])('%s', (_title, program, folders) => {
    expect(installationOf(program)).toEqual(folders);
  });
});
