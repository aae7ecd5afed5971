import { askUser, bash, writeFile } from '../support/model/opencode-replies.ts'
import { opencodeTest } from '../support/tests/opencode-test.ts'
import { describeScreenAlone } from '../support/tests/screen-alone.ts'

describeScreenAlone(opencodeTest({ hooks: false }), {
  title: 'opencode',
  harness: 'opencode',
  running: bash,
  writing: writeFile,
  asking: askUser,
  interrupt: (agent) => agent.interrupt(),
})
