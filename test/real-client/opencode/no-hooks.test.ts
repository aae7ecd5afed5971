import { askUser, bash, writeFile } from '../support/opencode-replies.ts'
import { opencodeTest } from '../support/opencode-test.ts'
import { describeScreenAlone } from '../support/screen-alone.ts'

describeScreenAlone(opencodeTest({ hooks: false }), {
  title: 'opencode',
  harness: 'opencode',
  running: bash,
  writing: writeFile,
  asking: askUser,
  interrupt: (agent) => agent.interrupt(),
})
