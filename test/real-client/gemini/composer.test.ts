import { shell } from '../support/model/gemini-replies.ts'
import { describeComposer } from '../support/tests/composer.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'

const test = geminiTest({ hooks: false })

describeComposer(test, { title: 'Gemini CLI', harness: 'gemini', running: shell })
