// What tests need of a machine beyond Node and Go: the programs and files, Debian's packages that bring them, and the
// tiers that use them. A test says what it needs by a tag of the same name (`@module-tag socat`, `{ tags: ['socat']
// }`). It is not run where that is missing (`vitest.config.ts`).
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const AVR = '/usr/share/arduino/hardware/arduino/avr';
const MICROBIT = '/usr/share/firmware-microbit-micropython/firmware.hex';
const APT = ['-o', 'DPkg::Lock::Timeout=300'];

const postgresql = { what: 'PostgreSQL', has: () => postgresFolder() !== null, packages: ['postgresql'] };

/** `full`: only the whole campaigns (`npm run test:full`) use it. */
export const NEEDS = [
  need('git', ['pure', 'server', 'hostile', 'faults', 'tools'], [program('git', 'git')]),
  need('ps', ['faults'], [program('ps', 'procps')]),
  need('python3', ['pure', 'server', 'hostile'], [program('python3', 'python3')]),
  need(
    'sandbox',
    ['pure', 'server', 'hostile', 'faults', 'tools'],
    [program('bwrap', 'bubblewrap'), { what: 'namespaces for `bwrap`', has: makesNamespaces, packages: [] }],
  ),
  need(
    'sandbox-network',
    ['server', 'hostile'],
    [
      program('slirp4netns', 'slirp4netns'),
      file('/usr/sbin/nft', 'nftables'),
      program('ip', 'iproute2'),
      { what: 'network namespaces', has: makesNetworks, packages: [] },
    ],
  ),
  need('root', ['pure', 'server'], [{ what: 'to be root', has: () => process.getuid?.() === 0, packages: [] }]),
  need('postgres', ['faults'], [postgresql]),
  need(
    'networks',
    ['faults'],
    [program('ip', 'iproute2'), { what: 'network namespaces', has: makesNeighbours, packages: [] }],
  ),
  need(
    'tmpfs',
    ['server', 'hostile', 'faults'],
    [{ what: 'the right to mount a file system', has: mounts, packages: [] }],
  ),
  need('avrdude', ['server', 'faults', 'tools'], [program('avrdude', 'avrdude')]),
  need(
    'arduino',
    ['server', 'hostile', 'tools'],
    [program('avr-g++', 'gcc-avr', 'avr-libc', 'binutils-avr'), file(AVR, 'arduino-core-avr')],
  ),
  need('openssl', ['server', 'tools'], [program('openssl', 'openssl')]),
  need('socat', ['tools'], [program('socat', 'socat')]),
  need('shells', ['tools'], [program('zsh', 'zsh'), program('fish', 'fish')]),
  need(
    'micropython',
    ['tools'],
    [program('qemu-system-arm', 'qemu-system-arm'), file(MICROBIT, 'firmware-microbit-micropython')],
  ),
  // The tests install mpremote and esptool into an environment of their own.
  need(
    'python-venv',
    ['tools'],
    [
      {
        what: '`python3` with `venv`',
        has: () => runs('python3', '-c', 'import ensurepip'),
        packages: ['python3-venv'],
      },
    ],
  ),
  // Temporal's server is built by Go, once into the cache: some minutes.
  need('cluster', ['tools'], [program('go'), program('openssl', 'openssl'), postgresql], { full: true }),
  need('collector', ['tools'], [program('go')], { full: true }),
  need('manifests', ['tools'], [program('go')], { full: true }),
  // A gateway of S3, likewise.
  need('bucket', ['faults'], [program('go'), postgresql], { full: true }),
  need('chromium', ['tools'], [file('/usr/bin/chromium', 'chromium')]),
  need(
    'simavr',
    ['tools'],
    [
      program('gcc', 'gcc', 'libc6-dev'),
      file('/usr/include/simavr/sim_avr.h', 'libsimavr-dev'),
      file('/usr/include/libelf.h', 'libelf-dev'),
    ],
    { full: true },
  ),
  need(
    'ollama',
    ['tools'],
    [
      program('go'),
      program('g++', 'g++'),
      { what: '`python3` with `pip`', has: () => runs('python3', '-m', 'pip', '--version'), packages: ['python3-pip'] },
      file('/usr/include/stb/stb_image.h', 'libstb-dev'),
      file('/usr/include/nlohmann/json.hpp', 'nlohmann-json3-dev'),
    ],
    { full: true },
  ),
];

/**
 * What this machine lacks, by the need's name: the sentence for people, and the packages that would bring it. Looks
 * only at what the given tiers use.
 */
export function findMissing({ tiers = null, full = false } = {}) {
  const used = NEEDS.filter(
    (one) => (full || !one.full) && (tiers === null || one.tiers.some((tier) => tiers.includes(tier))),
  );
  return used.flatMap(({ name, parts }) => {
    const gone = parts.filter(({ has }) => !has());
    if (gone.length === 0) return [];
    const packages = [...new Set(gone.flatMap((part) => part.packages))];
    const where =
      packages.length === 0 ? 'no Debian package brings it' : `Debian: apt-get install ${packages.join(' ')}`;
    return [
      {
        name,
        packages,
        sentence: `needs ${gone.map(({ what }) => what).join(' and ')}, which this machine lacks (${where})`,
      },
    ];
  });
}

/**
 * Looks for what the given tiers need, installs what is missing where it may, and gives what is missing then. All that
 * it does it `say`s first, and what it leaves out it says, too.
 */
export function provide({ tiers, full, mayInstall, say }) {
  const before = findMissing({ tiers, full });
  const packages = [...new Set(before.flatMap((one) => one.packages))];
  const tell = (missing, why) => {
    for (const { name, sentence } of missing) say(`tests of \`${name}\` are not run: each ${sentence}`);
    if (why !== undefined) say(why);
    return missing;
  };
  if (packages.length === 0) return tell(before);
  if (!mayInstall) return tell(before, 'nothing is installed, as `--no-install` says');
  const rights = rightsToInstall();
  if (rights === null)
    return tell(before, 'nothing is installed: that takes `apt-get`, and root or a `sudo` without a password');
  say(
    `installing what they use and this machine lacks (\`--no-install\` goes without): apt-get install ` +
      `${packages.join(' ')}`,
  );
  const worked = install(packages, rights);
  return tell(findMissing({ tiers, full }), worked ? undefined : 'apt-get failed');
}

/** The words before `apt-get`, none for root. Null without `apt-get`, or where `sudo` asks for a password. */
function rightsToInstall() {
  if (!onPath('apt-get')) return null;
  if (process.getuid?.() === 0) return [];
  return onPath('sudo') && runs('sudo', '-n', 'true') ? ['sudo', '-n'] : null;
}

/** Installs Debian packages, and tells whether that worked. What apt says goes to stderr. */
function install(packages, rights) {
  const apt = (...args) => {
    const [command, ...rest] = [...rights, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...APT, '-qq', ...args];
    return spawnSync(command, rest, { stdio: ['ignore', 2, 2] }).status === 0;
  };
  // Lists that could not be brought up to date may still do.
  apt('update');
  return apt('install', '-y', '--no-install-recommends', ...packages);
}

/** The folder of PostgreSQL's programs: on the path, or where Debian keeps them. Null where it is not installed. */
export function postgresFolder() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find((folder) => ['postgres', 'initdb'].every((name) => existsSync(join(folder, name)))) ?? null;
}

function need(name, tiers, parts, { full = false } = {}) {
  return { name, tiers, parts, full };
}

function program(name, ...packages) {
  return { what: `\`${name}\``, has: () => onPath(name), packages };
}

function file(path, ...packages) {
  return { what: `\`${path}\``, has: () => existsSync(path), packages };
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

/** Whether we may mount, tried in a namespace of its own. */
function mounts() {
  return process.getuid?.() === 0 && runs('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp');
}

/**
 * As the sandbox starts it: a machine may have `bwrap` and let nobody make namespaces. Without `bwrap` nothing is
 * known.
 */
function makesNamespaces() {
  return !onPath('bwrap') || runs('bwrap', '--ro-bind', '/', '/', '--unshare-all', 'true');
}

/** Neighbours of this machine in networks of their own take root. */
function makesNeighbours() {
  return (
    !onPath('ip') || (process.getuid?.() === 0 && runs('unshare', '--net', 'ip', 'link', 'add', 'pt', 'type', 'veth'))
  );
}

/** Tests of the sandbox's network have some. */
function makesNetworks() {
  return makesNeighbours() && existsSync('/dev/net/tun');
}

function runs(...[command, ...args]) {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}
