import { bash } from '../support/model/opencode-replies.ts'
import { describeComposer } from '../support/tests/composer.ts'
import { opencodeTest } from '../support/tests/opencode-test.ts'

const test = opencodeTest({ hooks: false })

describeComposer(test, { title: 'opencode', harness: 'opencode', running: bash })
