import { askUser, slowly, writeFile } from '../support/model/qwen-replies.ts'
import { qwenTest } from '../support/tests/qwen-test.ts'
import { describeScreenAlone } from '../support/tests/screen-alone.ts'

describeScreenAlone(qwenTest({ hooks: false }), {
  title: 'Qwen Code',
  harness: 'qwen',
  running: slowly,
  writing: writeFile,
  asking: askUser,
  interrupt: (agent) => agent.press('Escape'),
})
