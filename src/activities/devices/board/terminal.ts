import { spawn } from 'node:child_process';

/**
 * Node has no pseudo terminals, and tools for these boards bring Python. Each time somebody opens the terminal, its
 * board's port is opened; a board that hangs up takes the terminal away, and comes back with another under the same
 * link. It ends with its standard input.
 */
const BRIDGE = `
import errno, os, pty, select, socket, sys, time, tty
port, link = int(sys.argv[1]), sys.argv[2]

def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass

def terminal():
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    draft = link + '.new'
    remove(draft)
    os.symlink(os.ttyname(slave), draft)
    os.replace(draft, link)
    os.close(slave)
    return master

def is_open(master):
    poll = select.poll()
    poll.register(master, select.POLLIN)
    return not any(event & select.POLLHUP and not event & select.POLLIN for _, event in poll.poll(0))

def is_over():
    return bool(select.select([0], [], [], 0)[0])

def carry(master):
    board = socket.create_connection(('127.0.0.1', port))
    board.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    pending = b''
    try:
        while True:
            poll = select.poll()
            poll.register(0, select.POLLIN)
            poll.register(master, select.POLLIN | (select.POLLOUT if pending else 0))
            if not pending:
                poll.register(board, select.POLLIN)
            ready = dict(poll.poll())
            if 0 in ready:
                return True
            events = ready.get(master, 0)
            if events & select.POLLIN:
                board.sendall(os.read(master, 65536))
            elif events & select.POLLHUP:
                return True
            if pending and events & select.POLLOUT:
                pending = pending[os.write(master, pending):]
            if board.fileno() in ready:
                pending = board.recv(2048)
                if not pending:
                    return False
    except OSError as error:
        return error.errno == errno.EIO
    finally:
        board.close()

master = terminal()
print('ready', flush=True)
while not is_over():
    if not is_open(master):
        time.sleep(0.01)
    elif not carry(master):
        os.close(master)
        time.sleep(0.2)
        master = terminal()
remove(link)
`;

/** A pseudo terminal in front of a board. */
export interface Terminal {
  /** The link by which tools open it. */
  path: string;
  /** Takes it away, as the end of this process does. */
  stop: () => void;
}

/** Puts a pseudo terminal in front of a port of this machine. Throws where there is no `python3`. */
export async function openTerminalTo(port: number, link: string): Promise<Terminal> {
  const bridge = spawn('python3', ['-c', BRIDGE, String(port), link], { stdio: ['pipe', 'pipe', 'inherit'] });
  bridge.stdin.on('error', () => undefined); // It has ended; its exit tells.
  await new Promise<void>((resolve, reject) => {
    bridge.once('error', reject);
    bridge.once('exit', (code) =>
      reject(new Error(`python3, which holds the terminal, ended with ${code ?? 'a signal'}`)),
    );
    bridge.stdout.once('data', () => resolve());
  });
  return { path: link, stop: () => void bridge.stdin.end() };
}
