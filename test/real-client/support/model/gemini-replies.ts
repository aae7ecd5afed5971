import { type Reply, tool, uses } from './reply.ts'

export function shell(command: string): Reply {
  return uses(tool('run_shell_command', { command, description: 'As asked' }))
}

export function writeFile(path: string, content: string): Reply {
  return uses(tool('write_file', { file_path: path, content }))
}

export function replace(path: string, from: string, to: string): Reply {
  const input = { file_path: path, instruction: 'As asked', old_string: from, new_string: to }
  return uses(tool('replace', input))
}

export function askUser(question: string, labels: string[]): Reply {
  const options = labels.map((label) => ({ label, description: `Choose ${label}` }))
  const asked = { question, header: 'Choice', type: 'choice', options }
  return uses(tool('ask_user', { questions: [asked] }))
}
