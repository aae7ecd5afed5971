import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import { command, type Result } from '../command.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** The launcher and the emitter of the built product. */
export const TRAILBOSS = join(ROOT, 'bin', 'trailboss')
export const EMITTER = join(ROOT, 'bin', 'trailboss-emit')

export type ClaudeSettings = {
  hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]>
}

/** A user's home with a stand-in for Claude Code, for the installer to work on. */
export type HooksHome = Disposable & {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  settings: string
  trailboss(...args: string[]): Promise<Result>
  install(...args: string[]): Promise<Result>
  uninstall(...args: string[]): Promise<Result>
  /** Puts a claude of this version in PATH; its `doctor` refuses these events, as the real one does. */
  claude(version: string, refused?: string[]): void
}

function createHooksHome(): HooksHome {
  const dir = mkdtempSync(join('/tmp', 'tb-hooks-'))
  const home = join(dir, 'home')
  mkdirSync(home)
  const env: NodeJS.ProcessEnv = {
    PATH: `${join(dir, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: dir,
    TRAILBOSS_PORT: '0',
    TRAILBOSS_TMUX_SOCKET: join(dir, 'server'),
  }
  const trailboss = (...args: string[]) => command(TRAILBOSS, args, { env, cwd: home })
  const claude = (version: string, refused: string[] = []) => {
    const refusals = ['TrailBossAsks', ...refused].map(
      (event) =>
        `echo '- settings.json › hooks.${event}: Unknown hook event "${event}" was ignored.'`,
    )
    const script = [
      '#!/bin/sh',
      `[ "$1" != --version ] || echo '${version} (Claude Code)'`,
      `[ "$1" != doctor ] || { ${refusals.join('; ')}; }`,
      '',
    ]
    writeText(join(dir, 'bin', 'claude'), script.join('\n'), 0o755)
  }
  claude('2.1.325')
  return {
    dir,
    home,
    env,
    settings: join(home, '.claude', 'settings.json'),
    trailboss,
    install: (...args) => trailboss('install', 'claude-code', '--yes', ...args),
    uninstall: (...args) => trailboss('uninstall', 'claude-code', '--yes', ...args),
    claude,
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** A fresh one for each test of the file, under one name. */
export function hooksHomePerTest(): HooksHome {
  const it = {} as HooksHome
  beforeEach(() => {
    Object.assign(it, createHooksHome())
  })
  afterEach(() => it[Symbol.dispose]())
  return it
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

export function writeText(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** The events for which this file runs our emitter. */
export function ourEvents(path: string): string[] {
  const { hooks } = JSON.parse(readText(path).replace(/^\ufeff/, '')) as ClaudeSettings
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.some((group) => group.hooks.some((hook) => hook.command === `${EMITTER} claude-code`))
      ? [event]
      : [],
  )
}

/** Every file below, with everything that is visible from outside. */
export function snapshot(root: string): Record<string, unknown> {
  const seen: Record<string, unknown> = {}
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(root, name)
    const stat = lstatSync(path)
    seen[name] = {
      mode: stat.mode,
      owner: `${stat.uid}:${stat.gid}`,
      ...(stat.isSymbolicLink() && { link: readlinkSync(path) }),
      ...(stat.isFile() && { bytes: readFileSync(path).toString('hex') }),
    }
  }
  return seen
}

/** Other tools' hooks for the events that we use, one of them without any. */
export const OTHER_HOOKS = `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "jq -r '\\"\\\\(.tool_input.command)\\"' >> ~/.claude/bash-log.txt"
          }
        ]
      }
    ],
    "Stop": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "afplay /System/Library/Sounds/Glass.aiff",
            "timeout": 10
          }
        ]
      }
    ],
    "PreCompact": []
  },
  "model": "sonnet"
}
`
