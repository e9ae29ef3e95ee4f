#!/usr/bin/env python3
"""Times the picker in a pty: python3 benches/picker.py MEM VAULT [ROUNDS] [COLSxROWS]; HOME and XDG_* are taken as they are."""
import fcntl, os, pty, re, select, statistics, struct, sys, termios, time

mem, vault = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
cols, rows = map(int, (sys.argv[4] if len(sys.argv) > 4 else '80x24').split('x'))
COUNT = re.compile(rb'[0-9]+(?: of [0-9]+)?\x1b')

class Picker:
    def __init__(self):
        self.ready_r, ready_w = os.pipe()
        self.start = time.perf_counter()
        pid, fd = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))
            os.chdir(vault); os.environ['TERM'] = 'xterm-256color'; os.environ['EDITOR'] = 'true'
            os.execv(mem, [mem])
        self.pid, self.fd, self.out = pid, fd, b''
    def read(self, most):
        if select.select([self.fd], [], [], most)[0]:
            try: got = os.read(self.fd, 1 << 16)
            except OSError: return False
            self.out += got
            return bool(got)
        return None
    def until(self, what, most=30):
        """Milliseconds until what(bytes since) holds."""
        begin, at, end = len(self.out), time.perf_counter(), time.perf_counter() + most
        while not what(self.out[begin:]):
            if time.perf_counter() > end or self.read(.5) is False: return None
        return (time.perf_counter() - at) * 1000
    def key(self, k):
        while self.read(.03): pass  # what was still on its way
        os.write(self.fd, k)
        return self.until(lambda b: b'\x1b[?25h' in b)
    def settle(self, quiet=.4):
        """Reads until nothing came for so long; returns ms of the last bytes."""
        at = last = time.perf_counter()
        while time.perf_counter() - last < quiet:
            if self.read(quiet / 4): last = time.perf_counter()
        return (last - at) * 1000
    def memory(self):
        s = open(f'/proc/{self.pid}/status').read()
        return {k: int(re.search(k + r':\s+(\d+)', s)[1]) / 1024 for k in ('VmHWM', 'RssAnon')}
    def end(self, k=b'\x03'):
        at = time.perf_counter()
        os.write(self.fd, k)
        while self.read(30): pass
        _, status = os.waitpid(self.pid, 0); os.close(self.fd)
        return (time.perf_counter() - at) * 1000, os.waitstatus_to_exitcode(status)

data = {}
def note(name, ms): data.setdefault(name, []).append(ms)
for _ in range(rounds):
    p = Picker()
    note('first paint', p.until(lambda b: b'\x1b[?25h' in b and b'Esc leave' in b))
    p.until(lambda b: re.search(rb'\b\d{2,}\b(?! of)', re.sub(rb'\x1b\[[0-9;?]*[A-Za-z]', b' ', b.split(b'\x1b[?25h')[-2] if b.count(b'\x1b[?25h') else b'')) is not None)
    note('list filled', (time.perf_counter() - p.start) * 1000)
    p.settle()
    for i, c in enumerate('transaction'): note(f'letter {min(i + 1, 4)}{"+" if i >= 3 else ""} (typed on)', p.key(c.encode()))
    note('texts behind a pause', p.settle(.8))
    for _ in range(5): note('down', p.key(b'\x1b[B'))
    for _ in range(4): note('backspace', p.key(b'\x7f'))
    p.settle(.8)
    note('new word', p.key(b' ')); note('new word', p.key(b'e'))
    p.settle(.8)
    m = p.memory(); note('peak resident MB', m['VmHWM']); note('of it anonymous MB', m['RssAnon'])
    note('leave', p.end()[0])
for name, values in data.items():
    v = sorted(x for x in values if x is not None)
    if v: print(f'{name:28} median {statistics.median(v):8.1f}  best {v[0]:8.1f}  worst {v[-1]:8.1f}  ({len(v)} of {len(values)})')
    else: print(name, 'never')
