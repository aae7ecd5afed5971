import { enableCompileCache } from 'node:module'

enableCompileCache()

const [command, ...args] = process.argv.slice(2)

// The popup must open at once, so it loads only what it shows.
if (command === 'popup' && !args.includes('--help') && !args.includes('-h')) {
  const { popup, popupOptions } = await import('./commands/queue/popup.ts')
  const { runCommand } = await import('./context/run-command.ts')
  await runCommand(() => popup(popupOptions(args)))
} else {
  const { runProgram } = await import('./program.ts')
  await runProgram(process.argv)
}
