/**
 * Loaded before a program (`node --import`): while the file that `PERDURE_TEST_DISK` names says so, writes to what it
 * names fail as on a full disk. It is JSON: `{match, skip}`, a regular expression for paths and how many writes still
 * succeed. Each write that fails is told in `<file>.hits`, each file that is opened to be written in `<file>.seen`.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const fs = createRequire(import.meta.url)('node:fs');
const file = process.env.PERDURE_TEST_DISK;
const { appendFileSync, openSync, readFileSync, statSync, readlinkSync } = fs;

let at = '';
let setting = null;
let seen = 0;

/** What the file says now; null where nothing is full. */
function current() {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const stamp = `${stat.mtimeMs} ${stat.ino}`;
  if (stamp !== at) {
    at = stamp;
    seen = 0;
    try {
      setting = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      setting = null;
    }
  }
  return setting;
}

function note(kind, path) {
  const fd = openSync(`${file}.${kind}`, 'a');
  appendFileSync.call(fs, fd, `${path}\n`);
  fs.closeSync(fd);
}

let inside = false;
function check(path) {
  if (inside || typeof path !== 'string' || path.startsWith(file)) return;
  inside = true;
  try {
    const now = current();
    if (now === null || !new RegExp(now.match).test(path)) return;
    seen += 1;
    if (seen <= (now.skip ?? 0)) return;
    note('hits', path);
    throw Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), {
      code: 'ENOSPC',
      errno: -28,
      syscall: 'write',
      path,
    });
  } finally {
    inside = false;
  }
}

function tell(path) {
  if (inside || typeof path !== 'string' || path.startsWith(file)) return;
  inside = true;
  try {
    note('seen', path);
  } finally {
    inside = false;
  }
}

const pathOf = (target) => {
  if (typeof target !== 'number') return String(target);
  try {
    return readlinkSync(`/proc/self/fd/${target}`);
  } catch {
    return null;
  }
};
const writes = (flags) =>
  typeof flags === 'number' ? (flags & 3) !== 0 : typeof flags === 'string' && /[wa+]/.test(flags);

const { open, writeFileSync, mkdirSync, copyFile } = fs;
const { open: openPromise, writeFile, mkdir, copyFile: copyPromise } = fs.promises;

fs.openSync = (path, flags, ...rest) => {
  if (writes(flags)) {
    tell(String(path));
    if (!statSync(path, { throwIfNoEntry: false })) check(String(path));
  }
  return openSync(path, flags, ...rest);
};
fs.open = (path, ...rest) => {
  const done = rest.at(-1);
  if (writes(rest[0])) {
    tell(String(path));
    try {
      if (!statSync(path, { throwIfNoEntry: false })) check(String(path));
    } catch (error) {
      return void process.nextTick(done, error);
    }
  }
  return open(path, ...rest);
};
fs.appendFileSync = (target, ...rest) => {
  check(pathOf(target));
  return appendFileSync(target, ...rest);
};
fs.writeFileSync = (target, ...rest) => {
  tell(pathOf(target));
  check(pathOf(target));
  return writeFileSync(target, ...rest);
};
fs.mkdirSync = (path, ...rest) => {
  if (!statSync(path, { throwIfNoEntry: false })) check(String(path));
  return mkdirSync(path, ...rest);
};
fs.copyFile = (from, to, ...rest) => {
  try {
    check(String(to));
  } catch (error) {
    return void process.nextTick(rest.at(-1), error);
  }
  return copyFile(from, to, ...rest);
};
fs.promises.open = async (path, flags, ...rest) => {
  if (writes(flags)) {
    tell(String(path));
    if (!statSync(path, { throwIfNoEntry: false })) check(String(path));
  }
  return openPromise(path, flags, ...rest);
};
fs.promises.writeFile = async (target, ...rest) => {
  if (typeof target === 'string') {
    tell(target);
    check(target);
  }
  return writeFile(target, ...rest);
};
fs.promises.mkdir = async (path, ...rest) => {
  if (!statSync(path, { throwIfNoEntry: false })) check(String(path));
  return mkdir(path, ...rest);
};
fs.promises.copyFile = async (from, to, ...rest) => {
  tell(String(to));
  check(String(to));
  return copyPromise(from, to, ...rest);
};
syncBuiltinESMExports();
