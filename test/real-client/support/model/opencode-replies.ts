import { type Reply, tool, uses } from './reply.ts'

export function bash(command: string): Reply {
  return uses(tool('bash', { command, description: 'As asked' }))
}

export function writeFile(filePath: string, content: string): Reply {
  return uses(tool('write', { filePath, content }))
}

export function askUser(question: string, labels: string[]): Reply {
  const options = labels.map((label) => ({ label, description: `Choose ${label}` }))
  return uses(tool('question', { questions: [{ question, header: 'Choice', options }] }))
}

/** Its own requests carry `prompt`: `model.plan(prompt, …)` says what the subagent does. */
export function startSubagent(prompt: string): Reply {
  return uses(tool('task', { description: 'Look into it', prompt, subagent_type: 'general' }))
}
