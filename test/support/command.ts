import { execFile } from 'node:child_process'

export type Result = { code: number; stdout: string; stderr: string }

export type CommandOptions = {
  env: NodeJS.ProcessEnv
  cwd?: string
  stdin?: string
  timeoutMs?: number
}

/** Runs a program until it exits. A non-zero exit is a result, not an error; being killed is an error. */
export function command(file: string, args: string[], options: CommandOptions): Promise<Result> {
  const { env, cwd, stdin, timeoutMs = 20_000 } = options
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { env, cwd, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') {
          const how = error.killed ? `did not end within ${timeoutMs} ms` : error.message
          reject(new Error(`${file} ${args.join(' ')}: ${how}\n${stdout}${stderr}`))
          return
        }
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdin ?? '')
  })
}
