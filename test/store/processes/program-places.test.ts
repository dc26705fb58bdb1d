import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { programPlaces } from '../../../src/store/processes/program-places.js';
import { installationOf } from '../../../src/store/git/enclosure.js';
import { temporaryFolder } from '../../activities/helpers/harness.js';

let machine: string;
const at = (path: string): string => join(machine, path);
const put = (...paths: string[]): void => {
  for (const path of paths) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), '');
  }
};

beforeEach(async () => {
  machine = realpathSync(await temporaryFolder());
  put('home/me/.ssh/id', 'home/me/bin/x', 'home/me/lib/own', 'home/me/.cargo/bin/x', 'home/me/.cargo/credentials.toml');
  put('home/me/.local/bin/x', 'home/me/work/venv/bin/x', 'home/me/work/venv/pyvenv.cfg', 'home/me/.venv/bin/x');
  put('home/me/.venv/pyvenv.cfg', 'home/me/.nvm/versions/node/v20/bin/x', 'home/me/conda/bin/x', 'home/me/conda/lib/x');
  put(
    'home/me/work/app/bin/x',
    'home/me/work/app/.env',
    'srv/avr/bin/x',
    'srv/avr/lib/x',
    'srv/own/bin/x',
    'srv/own/key',
  );
  symlinkSync('home', at('house'));
});
afterEach(() => void vi.unstubAllEnvs());

describe.each([
  ['home/me', 'home/me'],
  ['house/me', 'home/me'],
  ['home/me', 'house/me'],
  ['house/me', 'house/me'],
])('of a person whose HOME is %s, by paths below %s,', (home, by) => {
  beforeEach(() => vi.stubEnv('HOME', at(home)));

  it.each<[string, string, string[]]>([
    ['nothing, but what a folder below is known for: the home', '', []],
    ['what holds the home', '..', []],
    ['the programs alone', 'bin', ['bin']],
    ['the programs of a project', 'work/app/bin', ['work/app/bin']],
    ['programs beside keys', '.cargo/bin', ['.cargo/bin', '.cargo/lib']],
    ['their programs and libraries', '.local/bin', ['.local/bin', '.local/lib']],
    ['none of what many programs share', '.local', []],
    ['an environment of Python', 'work/venv/bin', ['work/venv']],
    ['a hidden one', '.venv/bin', ['.venv']],
    ['an installation', 'conda/bin', ['conda']],
    ['versions of a language', '.nvm/versions/node/v20/bin', ['.nvm']],
    ['a folder that is named itself', 'work', ['work']],
  ])('a sandbox shows %s (`%s`)', (_title, folder, shown) => {
    expect(programPlaces(at(join(by, folder)))).toEqual(shown.map((path) => at(join(by, path))));
  });

  it('a program in the home itself is shown alone', () => {
    expect(installationOf(at(join(by, 'tool')))).toEqual([at(join(by, 'tool'))]);
  });
});

it.each<[string, string[]]>([
  ['srv/avr/bin', ['srv/avr']],
  ['srv/own/bin', ['srv/own/bin']],
  ['srv/own', ['srv/own']],
])('outside of a home a sandbox shows an installation whole, and no other folder above (%s)', (folder, shown) => {
  expect(programPlaces(at(folder))).toEqual(shown.map(at));
});

it.each(['/home', '/home/alice', '/root', '/Users/alice', '/var/home/alice', '/', '/var'])(
  'nothing is shown of %s, which is the home of another user, or holds it',
  (folder) => {
    vi.stubEnv('HOME', at('home/me'));
    expect(programPlaces(folder)).toEqual([]);
    if (folder.endsWith('alice')) expect(programPlaces(`${folder}/bin`)).toEqual([`${folder}/bin`]);
  },
);

it.each(['/usr/bin', '/opt/x/bin', '/nix/store/x/bin'])('nothing more is shown for the system’s %s', (folder) => {
  expect(programPlaces(folder)).toEqual([]);
});
