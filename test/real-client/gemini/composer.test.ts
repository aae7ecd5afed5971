import { describeComposer } from '../support/composer.ts'
import { shell } from '../support/gemini-replies.ts'
import { geminiTest } from '../support/gemini-test.ts'

const test = geminiTest({ hooks: false })

describeComposer(test, { title: 'Gemini CLI', harness: 'gemini', running: shell })
