import { describeComposer } from '../support/composer.ts'
import { bash } from '../support/opencode-replies.ts'
import { opencodeTest } from '../support/opencode-test.ts'

const test = opencodeTest({ hooks: false })

describeComposer(test, { title: 'opencode', harness: 'opencode', running: bash })
