import { askUser, shell, writeFile } from '../support/model/gemini-replies.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'
import { describeScreenAlone } from '../support/tests/screen-alone.ts'

describeScreenAlone(geminiTest({ hooks: false }), {
  title: 'Gemini CLI',
  harness: 'gemini',
  running: shell,
  writing: writeFile,
  asking: askUser,
  interrupt: (agent) => agent.interrupt(),
})
