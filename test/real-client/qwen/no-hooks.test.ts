import { askUser, slowly, writeFile } from '../support/qwen-replies.ts'
import { qwenTest } from '../support/qwen-test.ts'
import { describeScreenAlone } from '../support/screen-alone.ts'

describeScreenAlone(qwenTest({ hooks: false }), {
  title: 'Qwen Code',
  harness: 'qwen',
  running: slowly,
  writing: writeFile,
  asking: askUser,
  interrupt: (agent) => agent.press('Escape'),
})
