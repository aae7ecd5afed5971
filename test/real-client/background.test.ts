import { backgroundTests } from './support/tests/background.ts'
import { realTest } from './support/tests/real-test.ts'

backgroundTests(realTest())
