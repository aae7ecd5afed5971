import { open } from 'node:fs/promises'
import { BODY_BYTES } from '../../../contract/limits.ts'
import { messageOf, TrailBossError } from '../../../core/errors.ts'

/** No route accepts more, and a pipe or a device does not say how large it is. */
const MOST_BYTES = BODY_BYTES / 2

export async function boundedFile(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r')
    return await bounded(file.createReadStream({ end: MOST_BYTES }), path)
  } catch (error) {
    if (error instanceof TrailBossError) throw error
    throw new TrailBossError('BAD_USAGE', `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

export function boundedStdin(): Promise<string> {
  return bounded(process.stdin, 'The text on stdin')
}

async function bounded(stream: AsyncIterable<Buffer | string>, what: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    bytes += chunks.at(-1)?.length ?? 0
    if (bytes <= MOST_BYTES) continue
    throw new TrailBossError('TOO_LARGE', `${what} has more than ${MOST_BYTES} bytes.`, {
      hint: 'Put it where the agent can read it, and send the path.',
    })
  }
  return Buffer.concat(chunks).toString('utf8')
}
