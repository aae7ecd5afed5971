import { askUser, shell, writeFile } from '../support/gemini-replies.ts'
import { geminiTest } from '../support/gemini-test.ts'
import { describeScreenAlone } from '../support/screen-alone.ts'

describeScreenAlone(geminiTest({ hooks: false }), {
  title: 'Gemini CLI',
  harness: 'gemini',
  running: shell,
  writing: writeFile,
  asking: askUser,
  interrupt: (agent) => agent.interrupt(),
})
