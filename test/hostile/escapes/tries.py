"""Tries to get out of the sandbox. Each prints its name and what came of it: `GOT ...` where it got through, else why not."""
import ctypes, errno, glob, json, os, platform, resource, signal, socket, subprocess, sys, time

host = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == 'aarch64'
# x86-64 and arm64
CALLS = dict(ptrace=(101, 117), mount=(165, 40), umount2=(166, 39), pivot_root=(155, 41), unshare=(272, 97), setns=(308, 268), open_by_handle_at=(304, 265), add_key=(248, 217), keyctl=(250, 219), bpf=(321, 280),
    perf_event_open=(298, 241), userfaultfd=(323, 282), io_uring_setup=(425, 425), kexec_load=(246, 104), init_module=(175, 105), reboot=(169, 142), swapon=(167, 224), acct=(163, 89), syslog=(103, 116),
    fanotify_init=(300, 262), settimeofday=(164, 170), clock_settime=(227, 112), adjtimex=(159, 171), process_vm_readv=(310, 270), pidfd_open=(434, 434), open_tree=(428, 428), fsopen=(430, 430), shmget=(29, 194),
    request_key=(249, 218), quotactl=(179, 60), sethostname=(170, 161), chroot=(161, 51))
tries = []

def attempt(act):
    tries.append((act.__name__.replace('_', ' '), act))
    return act

def each(name, items, act):
    for item in items:
        tries.append((f'{name} {item}', lambda item=item: act(item)))

def call(name, *args):
    result = libc.syscall(CALLS[name][1 if ARM else 0], *args)
    if result == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f'GOT {result}'

def read(path):
    with open(path, 'rb') as f: return 'GOT ' + f.read(4096).decode('utf8', 'replace')

def write(path, text='x'):
    with open(path, 'a') as f: f.write(text)
    return 'GOT wrote'

def secret_in(*patterns):
    found = []
    for path in sorted(p for pattern in patterns for p in glob.glob(pattern)):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                if host['secret'].encode() in os.read(fd, 1 << 16).replace(b'"secret": "', b''): found.append(path)
            finally: os.close(fd)
        except OSError: pass
    return f'GOT {found}' if found else 'nothing there'

S = host['file']
each('file', [S, '../outside/secret.txt', '/proc/self/root' + S, '/proc/1/root' + S, '/proc/self/cwd/../outside/secret.txt', '/proc/thread-self/root' + S, 'link', 'folder/secret.txt', '/etc/shadow', '/etc/sudoers', '/etc/ssl/private', '/etc/machine-id', '.perdure/secret.txt', host['home'] + '/.bashrc', host['home'] + '/.ssh/id_rsa', '/var/log/dpkg.log', '/run/utmp', '/proc/kcore', '/proc/kmsg', '/proc/1/mem'], read)
each('process', ['root', 'cwd', 'fd', 'environ', 'exe', 'map_files'], lambda what: secret_in(f'/proc/[0-9]*/{what}', f'/proc/[0-9]*/{what}/*', f'/proc/[0-9]*/{what}' + S, f'/proc/[0-9]*/{what}/../outside/*'))
each('write', ['/usr/bin/perdure-x', '/etc/passwd', '/perdure-x', '/dev/perdure-x', '/opt/perdure-x', '/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/proc/sys/kernel/modprobe', '/proc/sys/kernel/hostname', '/proc/sys/vm/drop_caches', '/proc/sys/kernel/unprivileged_bpf_disabled', '/proc/irq/default_smp_affinity', '/sys/kernel/uevent_helper', '/sys/power/state', '/proc/sys/fs/binfmt_misc/register', '/proc/sys/user/max_user_namespaces', S], write)
each('device', ['/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/kvm', '/dev/fuse', '/dev/net/tun', '/dev/tty', '/dev/console', '/dev/vsock', '/dev/disk'], read)

@attempt
def users_of_the_machine(): return 'GOT ' + subprocess.check_output(['cut', '-d:', '-f1', '/etc/passwd'], text=True).replace('\n', ' ') if 'daemon' in open('/etc/passwd').read() else 'ours alone'
@attempt
def own_environment(): return 'GOT it' if host['secret'] in str(os.environ) else 'not there'
@attempt
def memory_of_posix(): return read(f"/dev/shm/{host['shm']}")
@attempt
def memory_of_system_v(): return call('shmget', host['key'], 0, 0o600)
@attempt
def temporary_files(): return 'GOT ' + str(os.listdir('/tmp')) if len(set(os.listdir('/tmp')) - {'home', *host['below_tmp']}) else 'nothing there'
@attempt
def hard_link_out():
    for n in range(1000):
        try: os.link(S if n % 2 else '/usr/bin/env', f'hard{n}')
        except OSError: continue
        return 'GOT a hard link'
    return 'none of 1000'
@attempt
def race_of_links():
    got = 0
    for n in range(1000):
        try: os.unlink('swap')
        except OSError: pass
        os.symlink(['..', os.path.dirname(S)][n % 2], 'swap')
        try: got += host['secret'] in open('swap/outside/secret.txt' if n % 2 == 0 else 'swap/secret.txt').read()
        except OSError: pass
    os.unlink('swap')
    return f'GOT {got}' if got else 'none of 1000'
@attempt
def move_out(): os.rename('a.txt', os.path.dirname(S) + '/a.txt'); return 'GOT moved'
@attempt
def handle_of_a_file(): return call('open_by_handle_at', -100, ctypes.create_string_buffer(16), 0)
@attempt
def watch_outside():
    if libc.inotify_add_watch(libc.inotify_init(), S.encode(), 0xfff) == -1: raise OSError(ctypes.get_errno(), 'no watch')
    return 'GOT a watch'
def lease_on(path):
    import fcntl
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fd = os.open(path, os.O_RDONLY)
    # Who opens it meanwhile waits for 45 seconds: a person's git, or any program.
    for kind in (fcntl.F_WRLCK, fcntl.F_RDLCK):
        try: fcntl.fcntl(fd, fcntl.F_SETLEASE, kind)
        except OSError: continue
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return 'GOT a lease'
    return 'none'
each('lease on', ['a.txt', '.git/config', '/usr/bin/env'], lease_on)
def delegation_of(path):
    import fcntl, struct
    F_SETDELEG = 1040
    try: fcntl.fcntl(os.open(path, os.O_RDONLY), F_SETDELEG, struct.pack('IHH', 0, fcntl.F_RDLCK, 0))
    except OSError as error:
        # What an older kernel says that knows none: nobody refused it.
        if error.errno == errno.EINVAL: return 'GOT past the filter'
        raise
    return 'GOT a delegation'
each('delegation of', ['.', '.git/config', '/usr/bin'], delegation_of)
@attempt
def memory_of_what_is_kept():
    import mmap
    with open('.git/config', 'rb') as f, mmap.mmap(f.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ):
        place = next(line for line in open('/proc/self/maps') if line.endswith('.git/config\n')).split('-')[0]
        os.pwrite(os.open('/proc/self/mem', os.O_RDWR), b'x', int(place, 16))
    return 'GOT it'
@attempt
def watch_everything(): return call('fanotify_init', 0, 0)

def stream(family, address):
    with socket.socket(family) as s:
        s.settimeout(3); s.connect(address)
        return 'GOT ' + repr(s.recv(99))
each('socket', [host['socket'], '\0' + host['abstract'], '/var/run/docker.sock', '/run/containerd/containerd.sock', '/run/dbus/system_bus_socket', '/tmp/.X11-unix/X0', '\0/tmp/.X11-unix/X0', '/run/systemd/private'], lambda path: stream(socket.AF_UNIX, path))
each('launcher', ['/tmp/perdure-launcher-*/output'], lambda pattern: f'GOT {glob.glob(pattern)}' if glob.glob(pattern) else 'nothing there')
each('port', host['addresses'], lambda address: stream(socket.AF_INET6 if ':' in address else socket.AF_INET, (address, host['port'])))
each('machine below', [1, 2, 3], lambda cid: stream(40, (cid, host['port'])))
each('family', [16, 17, 21, 38, 40, 41, 44], lambda family: 'its own' if family == 16 else f"GOT {socket.socket(family, socket.SOCK_SEQPACKET if family in (38, 21) else socket.SOCK_DGRAM)}")
@attempt
def agent_of_ssh(): return 'GOT ' + os.environ['SSH_AUTH_SOCK'] if 'SSH_AUTH_SOCK' in os.environ else 'not there'
@attempt
def group_of_hosts():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for option in [b'lo', b'tap0', b'eth0']:
            try: s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, option)
            except OSError: continue
            for address in ['224.0.0.251', '239.1.2.3', '255.255.255.255']:
                try: s.sendto(b'perdure-canary', (address, host['port']))
                except OSError: pass
    return 'sent; see who heard'

each('mount', ['tmpfs', 'proc', 'sysfs', 'overlay'], lambda kind: call('mount', b'none', b'/tmp', kind.encode(), 0, None))
@attempt
def mount_bind(): return call('mount', b'/', b'/tmp', None, 4096, None)
@attempt
def mount_again_to_write(): return call('mount', b'none', b'/usr', None, 32 | 4096, None)
each('unmount', ['/etc/passwd', '/proc', '/usr', '.perdure'], lambda path: call('umount2', path.encode(), 2))
@attempt
def turn_the_root(): return call('pivot_root', b'/tmp', b'/tmp')
@attempt
def change_the_root(): return call('chroot', b'/tmp')
@attempt
def tree_of_mounts(): return call('open_tree', -100, b'/', 1)
@attempt
def new_file_system(): return call('fsopen', b'tmpfs', 0)
each('namespace', [0x10000000, 0x10000000 | 0x20000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x02000000], lambda flags: call('unshare', flags))
each('enter', sorted(set(glob.glob('/proc/1/ns/*'))), lambda path: call('setns', os.open(path, os.O_RDONLY), 0))
each('program', ['unshare -Urm id', 'unshare -n id', 'bwrap --unshare-all --ro-bind / / id', 'su -c id', 'sudo -n id', 'nsenter -t 1 -m id', 'mount', 'chroot / id', 'dmesg', 'insmod x', 'nft list ruleset', 'reboot'], lambda line: 'GOT it' if subprocess.run(line.split(), capture_output=True, timeout=10).returncode == 0 and line != 'mount' else 'refused')
@attempt
def new_rights(): return 'refused' if 'NoNewPrivs:\t1' in open('/proc/self/status').read() else 'GOT a way to more rights'
@attempt
def rights(): return 'none' if 'CapEff:\t0000000000000000' in open('/proc/self/status').read() and 'CapBnd:\t0000000000000000' in open('/proc/self/status').read() else 'GOT some'
each('user', [0, 1, 65534], lambda uid: os.setuid(uid) or 'GOT it')
@attempt
def groups(): os.setgroups([0]); return 'GOT it'
each('node', [0o060600, 0o020600], lambda mode: os.mknod('node', mode, os.makedev(1, 1)) or 'GOT a device')
def left_with(mode):
    open('left', 'w').close(); os.chmod('left', mode)
    return 'GOT it' if os.stat('left').st_mode & 0o6000 else 'taken away'
each('rights left', [0o4755, 0o2755], left_with)
@attempt
def rights_left_when_made():
    os.close(os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755))
    return 'GOT it' if os.stat('made').st_mode & 0o6000 else 'taken away'
def node_of_the_machine(name):
    node = os.stat('/dev/' + name)
    got = []
    for what in (lambda: os.chmod('/dev/' + name, node.st_mode & 0o777), lambda: os.utime('/dev/' + name), lambda: os.chown('/dev/' + name, node.st_uid, node.st_gid)):
        try: got.append(what())
        except OSError: pass
    with open('/dev/' + name, 'r+b' if name in ('null', 'zero') else 'rb', 0) as f: f.read(1)
    return f'GOT {len(got)} of 3' if got else 'refused'
each('node of the machine', ['null', 'zero', 'full', 'random', 'urandom'], node_of_the_machine)
@attempt
def type_for_others():
    import fcntl, termios
    fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), termios.TIOCSTI, b'x'); return 'GOT it'

V = host['victim']
each('signal', [V, os.getppid() if os.getppid() > 2 else V, -V], lambda pid: os.kill(pid, signal.SIGKILL) or 'GOT it')
@attempt
def trace(): return call('ptrace', 16, V, 0, 0)
@attempt
def memory_of_others():
    mine = ctypes.create_string_buffer(16); parts = (ctypes.c_size_t * 2)(ctypes.addressof(mine), 16)
    return call('process_vm_readv', V, parts, 1, parts, 1, 0)
@attempt
def handle_of_others(): return call('pidfd_open', V, 0)
@attempt
def others(): return f"GOT {n}" if (n := len(glob.glob('/proc/[0-9]*'))) > 12 else 'its own'
@attempt
def key_of_the_session(): return call('keyctl', 0, -3, 0)
@attempt
def new_key(): return call('add_key', b'user', b'perdure', b'x', 1, -4)
@attempt
def asked_key(): return call('request_key', b'user', b'perdure', b'x', -4)
each('clock', ['settimeofday', 'clock_settime', 'adjtimex'], lambda name: call(name, *{'settimeofday': ((ctypes.c_long * 2)(1, 0), None), 'clock_settime': (0, (ctypes.c_long * 2)(1, 0)), 'adjtimex': ((ctypes.c_long * 32)(1),)}[name]))
@attempt
def name_of_the_machine(): return call('sethostname', b'x', 1)
@attempt
def priority(): os.nice(-5); return 'GOT it'
@attempt
def real_time(): os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); return 'GOT it'
@attempt
def limits(): resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 24, 1 << 24)); return 'GOT it'
each('call', ['bpf', 'perf_event_open', 'userfaultfd', 'io_uring_setup', 'kexec_load', 'init_module', 'reboot', 'swapon', 'acct', 'syslog', 'quotactl'], lambda name: call(name, *{'userfaultfd': (0,), 'io_uring_setup': (1, ctypes.create_string_buffer(120)), 'perf_event_open': ((ctypes.c_uint32 * 32)(1, 128), 0, -1, -1, 0), 'bpf': (0, (ctypes.c_uint32 * 32)(2, 4, 4, 1), 72), 'syslog': (3, ctypes.create_string_buffer(99), 99)}.get(name, (0, 0, 0, 0, 0))))

def fill(folder):
    done = 0
    try:
        with open(folder + '/fill', 'wb', 0) as f:
            os.posix_fallocate(f.fileno(), 0, host['memory'] * 3 // 8)
            done = host['memory'] * 3 // 8
    finally: os.path.exists(folder + '/fill') and os.unlink(folder + '/fill')
    return f'GOT {done}'
each('fill', ['/tmp', '/dev/shm', '/dev', '/', '/etc'], fill)

each('left', ['.git/config', '.git/hooks/post-checkout', '.git/info/attributes', '.github/workflows/x.yml', '.vscode/tasks.json', '.idea/workspace.xml', '.envrc', '.npmrc', '.yarnrc.yml', '.pnpmfile.cjs', '.pre-commit-config.yaml', '.devcontainer/devcontainer.json', '.cursor/mcp.json', '.mcp.json', '.claude/settings.json', '.codex/config.toml', '.gemini/settings.json', '.husky/pre-commit', '.gitlab-ci.yml', '.bashrc', '.profile', '.zshrc', '.ssh/rc', '.gitconfig', 'perdure.yml', 'definitions/agents/x.yml', '.glee/tools/x/tool.yml', 'temp-agents/x.yml'],
    lambda path: (os.makedirs(os.path.dirname(path) or '.', exist_ok=True), write(path), 'made')[2])
@attempt
def processes_left():
    for n in range(50):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for fd in range(3): os.close(fd)
                while not os.path.exists('ended'): time.sleep(0.05)
                write('late')
            os._exit(0)
    return 'left; see what they do'

for name, act in tries:
    try: print(json.dumps([name, act()]), flush=True)
    except OSError as error: print(json.dumps([name, errno.errorcode.get(error.errno, 'OSError')]), flush=True)
    except Exception as error: print(json.dumps([name, repr(error)]), flush=True)
