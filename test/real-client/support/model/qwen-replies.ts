import { type Reply, tool, uses } from './reply.ts'

export function shell(command: string): Reply {
  return uses(tool('run_shell_command', { command, description: 'As asked', is_background: false }))
}

/** One that it does not refuse: it wants no command to begin by sleeping. */
export function slowly(command: string): Reply {
  return shell(`echo begun; ${command}`)
}

export function writeFile(path: string, content: string): Reply {
  return uses(tool('write_file', { file_path: path, content }))
}

export function askUser(question: string, labels: string[]): Reply {
  const options = labels.map((label) => ({ label, description: `Choose ${label}` }))
  const asked = { question, header: 'Choice', multiSelect: false, options }
  return uses(tool('ask_user_question', { questions: [asked] }))
}
