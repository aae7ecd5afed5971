import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { isTerminalOf } from './terminal.ts'

test.runIf(process.platform === 'linux')(
  'a terminal belongs to whoever reads from it',
  async () => {
    const script = `import os, pty, sys, time
pid, master = pty.fork()
if pid == 0: time.sleep(60)
other = pty.openpty()[1]
own = lambda: os.readlink(f"/proc/{pid}/fd/0")
while not own().startswith("/dev/pts/"): time.sleep(0.01)
print(pid, own(), os.ttyname(other), flush=True)
sys.stdin.read()
os.kill(pid, 9)`
    const holder = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = await once(createInterface(holder.stdout), 'line')
    const [pid, own = '', other = ''] = String(line).split(' ')
    expect(isTerminalOf(Number(pid), own)).toBe(true)
    expect(isTerminalOf(Number(pid), other)).toBe(false)
    expect(isTerminalOf(Number(pid), '/dev/pts/99999')).toBe(false)
    // A process that cannot be looked at proves nothing.
    expect(isTerminalOf(2 ** 30, own)).toBe(true)
    const exited = once(holder, 'exit')
    holder.stdin.end()
    await exited
  },
)
