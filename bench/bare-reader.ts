import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'

/** The minimum for reading many transcripts: reads and parses the end of each file named in `list`. */
const [, , list, bytes] = process.argv
if (!list || !bytes) throw new Error('usage: bare-reader.ts <list> <bytes>')

const end = Buffer.alloc(Number(bytes))
for (const path of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  const fd = openSync(path, 'r')
  const read = readSync(fd, end, 0, end.length, Math.max(0, fstatSync(fd).size - end.length))
  closeSync(fd)
  const [, ...lines] = end.toString('utf8', 0, read).split('\n')
  for (const line of lines) if (line) JSON.parse(line)
}
