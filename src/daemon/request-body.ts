import * as v from 'valibot'
import { issueText } from '../config/issue-text.ts'
import { messageOf, TrailBossError } from '../core/errors.ts'

/** The body of a request as a schema wants it. Throws `BAD_REQUEST`, and names the field. */
export async function bodyOf<Schema extends v.GenericSchema>(
  schema: Schema,
  request: Request,
): Promise<v.InferOutput<Schema>> {
  return checkedBody(schema, await jsonOf(request))
}

export function checkedBody<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  if (Array.isArray(body)) throw new TrailBossError('BAD_REQUEST', 'The body must be an object.')
  const parsed = v.safeParse(schema, body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new TrailBossError('BAD_REQUEST', issueText(issue, 'the body'))
}

export async function jsonOf(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TrailBossError('BAD_REQUEST', `The body is not valid JSON: ${messageOf(error)}`)
  }
}
