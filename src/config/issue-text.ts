import * as v from 'valibot'

/** What a schema found wrong, in words: `reason: it is longer than 200 characters`. */
export function issueText(issue: v.BaseIssue<unknown>, where: string): string {
  return `${v.getDotPath(issue) ?? where}: ${wordsOf(issue)}`
}

/** The schema's own message comes first; valibot's messages are for programmers. */
function wordsOf(issue: v.BaseIssue<unknown>): string {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  const { type, expected, received, requirement } = issue
  if (type === 'strict_object' && expected === 'never') return 'there is no such name'
  if (received === 'undefined') return 'it is missing'
  const isText = typeof issue.input === 'string'
  switch (type) {
    case 'max_length':
      return isText
        ? `it is longer than ${requirement} characters`
        : `it has more than ${requirement} entries`
    case 'min_length':
      if (requirement === 1) return 'it is empty'
      return `it has fewer than ${requirement} ${isText ? 'characters' : 'entries'}`
    case 'min_value':
      return `it is less than ${requirement}`
    case 'max_value':
      return `it is more than ${requirement}`
    case 'integer':
      return 'it is not a whole number'
    case 'picklist':
      return `it must be one of ${expected?.replaceAll(' | ', ', ').replace(/^\(|\)$/g, '')}`
    default:
      return type in KINDS ? `it is not ${KINDS[type]}` : issue.message
  }
}

const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  strict_object: 'an object',
  record: 'an object',
}
