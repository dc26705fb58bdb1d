import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../src/workers/errors.js';
import { packageRoot } from '../../../src/store/folders/package-root.js';
import { isRunning } from '../../../src/workers/processes/processes.js';
import type { ProcessIdentity } from '../../../src/workers/processes/processes.js';
import { findTemporal, temporalFolder } from '../../../src/workers/temporal-binary/find.js';
import { buildTemporal } from '../../../src/workers/temporal-binary/build.js';
import { endWithEachTest, newFolder, readText, spawnNode, waitFor } from '../helpers/setting.js';

endWithEachTest();

const VERSION = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)';

function script(path: string, lines: string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

const temporal = (path: string, version = VERSION): string => script(path, [`echo '${version}'`]);

/** A Go that speaks the same command line: it writes what it is asked for to GOBIN, or fails as told. */
function fakeGo(folder: string, build: string[]): string {
  script(join(folder, 'bin', 'go'), [
    // It is to start for users without an entry in passwd too.
    '[ "$*" = "install -v -tags osusergo github.com/temporalio/cli/cmd/temporal@v1.5.1" ] || exit 64',
    `echo started >> ${folder}/builds`,
    'echo "go: downloading go.temporal.io/server v1.29.1" >&2',
    'echo go.temporal.io/server/service/history >&2',
    ...build,
  ]);
  return join(folder, 'bin');
}
const INSTALLS = [`printf '#!/bin/sh\\necho "${VERSION}"\\n' > $GOBIN/temporal`, 'chmod +x $GOBIN/temporal'];

const environment = (folder: string, ...path: string[]): Record<string, string> => ({
  XDG_CACHE_HOME: join(folder, 'cache'),
  PATH: [...path, '/usr/bin', '/bin'].join(':'),
});

describe('finding the Temporal program', () => {
  it('takes PERDURE_TEMPORAL_BIN before everything else', async () => {
    const folder = newFolder();
    const path = temporal(join(folder, 'mine'));
    temporal(join(folder, 'bin', 'temporal'));
    expect(
      await findTemporal({ env: { ...environment(folder, join(folder, 'bin')), PERDURE_TEMPORAL_BIN: path } }),
    ).toEqual({ path, server: '1.29.1' });
  });

  it('takes the one on the PATH before the one in the cache', async () => {
    const folder = newFolder();
    const env = environment(folder, join(folder, 'bin'));
    const cached = temporal(join(temporalFolder(env), 'temporal'));
    expect((await findTemporal({ env })).path).toBe(cached);
    const path = temporal(join(folder, 'bin', 'temporal'));
    expect((await findTemporal({ env })).path).toBe(path);
  });

  it('passes over an old server on the PATH and says so', async () => {
    const folder = newFolder();
    const env = environment(folder, join(folder, 'bin'));
    temporal(join(folder, 'bin', 'temporal'), 'temporal version 1.1.0 (Server 1.25.2, UI 2.30.0)');
    const cached = temporal(join(temporalFolder(env), 'temporal'));
    const lines: string[] = [];
    expect((await findTemporal({ env, onProgress: (line) => lines.push(line) })).path).toBe(cached);
    expect(lines.join()).toContain('1.29 or later, got 1.25.2');
  });

  it.each([
    ['a missing file', () => '/nowhere/temporal', 'to name an executable file, got `/nowhere/temporal`'],
    ['a folder', (folder: string) => folder, 'to name an executable file'],
    [
      'an old server',
      (folder: string) => temporal(join(folder, 'old'), 'temporal version 1.0.0 (Server 1.28.9, UI 2.0.0)'),
      'Expected a server of 1.29 or later, got 1.28.9',
    ],
    [
      'another program',
      (folder: string) => temporal(join(folder, 'other'), 'hello'),
      'to name its server, got `hello`',
    ],
    ['a program that fails', (folder: string) => script(join(folder, 'bad'), ['exit 3']), 'failed'],
  ])('refuses %s in PERDURE_TEMPORAL_BIN', async (_, make, expected) => {
    const folder = newFolder();
    const found = findTemporal({ env: { ...environment(folder), PERDURE_TEMPORAL_BIN: make(folder) } });
    await expect(found).rejects.toThrow(expected);
    await expect(found).rejects.toBeInstanceOf(UnavailableError);
  });

  it('lists all ways when none leads anywhere', async () => {
    const folder = newFolder();
    const found = findTemporal({ env: { ...environment(folder), PATH: join(folder, 'empty') }, ways: [buildTemporal] });
    await expect(found).rejects.toThrow('There is no `go` on the PATH');
    await expect(found).rejects.toMatchObject({
      hint: expect.stringMatching(
        /PERDURE_TEMPORAL_BIN[^]*`temporal` on the PATH[^]*install Go[^]*TEMPORAL_ADDRESS/,
      ) as string,
    });
  });
});

describe('building the Temporal program', () => {
  it('says what Go does, leaves the program in the cache, and does not build again', async () => {
    const folder = newFolder();
    const env = environment(folder, fakeGo(folder, INSTALLS));
    const lines: string[] = [];
    const found = await findTemporal({ env, ways: [buildTemporal], onProgress: (line) => lines.push(line) });
    expect(found.path).toBe(join(temporalFolder(env), 'temporal'));
    expect(lines[0]).toContain('building Temporal 1.5.1 with Go');
    expect(lines.at(-1)).toContain('built Temporal 1.5.1 in ');
    expect(await findTemporal({ env, ways: [buildTemporal] })).toEqual(found);
    expect(readText(folder, 'builds')).toBe('started\n');
    expect(readdirSync(temporalFolder(env))).toEqual(['temporal']);
  });

  it('shows the tail of what Go said when it fails, and leaves nothing half-made', async () => {
    const folder = newFolder();
    const env = environment(
      folder,
      fakeGo(folder, ['echo "no space left on device" >&2', 'echo half > $GOBIN/temporal', 'exit 1']),
    );
    await expect(findTemporal({ env, ways: [buildTemporal] })).rejects.toThrow('no space left on device');
    expect(readdirSync(temporalFolder(env))).toEqual([]);
  });

  it('builds once when two want it at once; the other one says that it waits', async () => {
    const folder = newFolder();
    const env = environment(folder, fakeGo(folder, [`while [ ! -e ${folder}/go ]; do sleep 0.02; done`, ...INSTALLS]));
    const lines: string[] = [];
    const both = [1, 2].map(() => findTemporal({ env, ways: [buildTemporal], onProgress: (line) => lines.push(line) }));
    await waitFor('one to wait', () => lines.some((line) => line.includes('another process is getting Temporal')));
    writeFileSync(join(folder, 'go'), '');
    const [one, other] = await Promise.all(both);
    expect(one).toEqual(other);
    expect(readText(folder, 'builds')).toBe('started\n');
  });

  it('takes over from a builder that was killed, and ends the Go that it left', async () => {
    const folder = newFolder();
    const env = environment(folder, fakeGo(folder, [`[ -e ${folder}/go ] || exec sleep 600`, ...INSTALLS]));
    const modules = join(packageRoot(), 'dist', 'workers');
    const killed = spawnNode(
      [
        '--input-type=module',
        '-e',
        `
      import { findTemporal } from '${modules}/temporal-binary/find.js';
      import { buildTemporal } from '${modules}/temporal-binary/build.js';
      await findTemporal({ ways: [buildTemporal] });`,
      ],
      { ...env, PERDURE_TEMPORAL_BIN: '' },
    );
    const owner = await waitFor(
      'the build',
      () =>
        readdirSync(folder).includes('cache') &&
        existsSync(temporalFolder(env)) &&
        readdirSync(temporalFolder(env))
          .map((name) => join(temporalFolder(env), name, 'go.json'))
          .find(existsSync),
    );
    const go = JSON.parse(await waitFor('the record', () => readText(owner))) as ProcessIdentity;
    killed.kill('SIGKILL');
    writeFileSync(join(folder, 'go'), '');
    await findTemporal({ env, ways: [buildTemporal] });
    expect(await isRunning(go)).toBe(false);
    expect(readdirSync(temporalFolder(env))).toEqual(['temporal']);
  });

  it('ends Go when it is told to stop', async () => {
    const folder = newFolder();
    const env = environment(folder, fakeGo(folder, ['exec sleep 600']));
    const stop = new AbortController();
    const found = findTemporal({ env, ways: [buildTemporal], signal: stop.signal });
    await waitFor('the build', () => existsSync(join(folder, 'builds')));
    stop.abort(new Error('enough'));
    await expect(found).rejects.toThrow('enough');
    expect(readdirSync(temporalFolder(env))).toEqual([]);
  });
});
