import { enableCompileCache } from 'node:module'

enableCompileCache()

const [command, ...args] = process.argv.slice(2)

// The popup must open at once, so it loads only what it shows.
if (command === 'popup' && !args.includes('--help') && !args.includes('-h')) {
  const { popup, popupOptions } = await import('./commands/queue/popup.ts')
  const { runCommand } = await import('./context/run-command.ts')
  await runCommand(() => popup(popupOptions(args)))
  // tmux keeps the popup open as long as the program runs, which could wait for a daemon that does not answer.
  process.exit()
} else {
  const { runProgram } = await import('./program.ts')
  await runProgram(process.argv)
}
