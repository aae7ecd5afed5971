import { parkedTests } from './support/tests/background.ts'
import { realTest } from './support/tests/real-test.ts'

parkedTests(realTest({ hooks: false }))
