import type { ScreenRule } from '../../core/monitor/screen-rule.ts'

export const screenRules: readonly ScreenRule[] = []
