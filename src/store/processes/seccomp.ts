/*
 * What a program in the sandbox may not ask the kernel for, as a filter of seccomp: what namespaces do not keep apart
 * (keys of the session, sockets to the machine below), what is a way to more rights, and what leaves rights behind. A
 * filter looks at numbers only, so it is a list of what is refused.
 */

/** Numbers of calls on each processor; null where it has none of that name. */
type Numbers = [x64: number | null, arm64: number];

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const NO_SUCH_CALL: Numbers[] = [
  [425, 425],
  [426, 426],
  [427, 427],
  [435, 435],
  [437, 437],
]; // io_uring_*, clone3, openat2: programs go on with what they can do instead
const REFUSED: Numbers[] = [
  [248, 217],
  [249, 218],
  [250, 219],
  [321, 280],
  [298, 241],
  [323, 282],
  [304, 265],
]; // add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, open_by_handle_at
/** `CLONE_NEWUSER` in the first argument: clone, unshare. */
const NEW_USERS: Numbers[] = [
  [56, 220],
  [272, 97],
];
const CLONE_NEWUSER = 0x10000000;
/** Calls with a mode, and in which argument: chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat. */
const MODES: [Numbers, number][] = [
  [[90, -1], 1],
  [[91, 52], 1],
  [[268, 53], 2],
  [[452, 452], 2],
  [[85, -1], 1],
  [[133, -1], 1],
  [[259, 33], 2],
];
/** System calls whose mode counts only when they make a file (open, openat), and its argument's index. */
const OPENS: [Numbers, number][] = [
  [[2, -1], 1],
  [[257, 56], 2],
];
/**
 * By these everybody else who opens a file, or changes a folder, waits for up to 45 seconds, also where one may read.
 */
const FCNTL: Numbers = [72, 25];
const F_SETLEASE = 1024;
const F_SETDELEG = 1040;
const MAKES = 0o100 | 0o20000000;
const SET_ID = 0o6000;
const SOCKET: Numbers = [41, 198];
/** unix, inet, inet6, netlink: those that a network namespace keeps apart. */
const FAMILIES = [1, 2, 10, 16];

const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Calls of another way to be called on x86-64 have numbers from here on. */
const X32 = 0x40000000;

type Instruction = [code: number, whenTrue: number, whenFalse: number, value: number];

const load = (at: number): Instruction => [0x20, 0, 0, at];
const loadArgument = (index: number): Instruction => load(16 + 8 * index);
const ifEqual = (value: number, whenTrue: number, whenFalse: number): Instruction => [0x15, whenTrue, whenFalse, value];
const ifAny = (bits: number, whenTrue: number, whenFalse: number): Instruction => [0x45, whenTrue, whenFalse, bits];
const ifAtLeast = (value: number, whenTrue: number, whenFalse: number): Instruction => [
  0x35,
  whenTrue,
  whenFalse,
  value,
];
const ALLOW: Instruction = [0x06, 0, 0, 0x7fff0000];
const refuse = (error: number): Instruction => [0x06, 0, 0, 0x00050000 | error];

/** The filter for this processor as `bwrap --seccomp` reads it; null for processors that it is not known for. */
export function seccompFilter(arch: string = process.arch): Buffer | null {
  if (arch !== 'x64' && arch !== 'arm64') return null;
  const numberOf = ([x64, arm64]: Numbers): number => (arch === 'x64' ? (x64 ?? -1) : arm64);
  /** What is done for one call; every way through it ends. */
  const on = (call: Numbers, ...then: Instruction[]): Instruction[] =>
    numberOf(call) < 0 ? [] : [ifEqual(numberOf(call), 0, then.length), ...then];
  const program: Instruction[] = [
    load(4),
    ifEqual(ARCHITECTURES[arch], 1, 0),
    refuse(EPERM),
    load(0),
    ...(arch === 'x64' ? [ifAtLeast(X32, 0, 1), refuse(ENOSYS)] : []),
    ...NO_SUCH_CALL.flatMap((call) => on(call, refuse(ENOSYS))),
    ...REFUSED.flatMap((call) => on(call, refuse(EPERM))),
    ...NEW_USERS.flatMap((call) => on(call, loadArgument(0), ifAny(CLONE_NEWUSER, 0, 1), refuse(EPERM), ALLOW)),
    ...MODES.flatMap(([call, index]) => on(call, loadArgument(index), ifAny(SET_ID, 0, 1), refuse(EPERM), ALLOW)),
    ...OPENS.flatMap(([call, index]) =>
      on(
        call,
        loadArgument(index),
        ifAny(MAKES, 0, 3),
        loadArgument(index + 1),
        ifAny(SET_ID, 0, 1),
        refuse(EPERM),
        ALLOW,
      ),
    ),
    ...on(FCNTL, loadArgument(1), ifEqual(F_SETLEASE, 1, 0), ifEqual(F_SETDELEG, 0, 1), refuse(EPERM), ALLOW),
    ...on(
      SOCKET,
      loadArgument(0),
      ...FAMILIES.map((family, index) => ifEqual(family, FAMILIES.length - index, 0)),
      refuse(EAFNOSUPPORT),
      ALLOW,
    ),
    ALLOW,
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, whenTrue, whenFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
