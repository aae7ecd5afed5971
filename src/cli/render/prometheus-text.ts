/** One number of Prometheus text, as JSON. */
export type MetricSample = { name: string; labels: Record<string, string>; value: number }

/** Parses the daemon's own text; skips comments and everything else that is not a sample. */
export function samplesOf(text: string): MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    return [{ name, labels: labelsOf(labels), value: Number(value) }]
  })
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
    name,
    value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
  ])
  return Object.fromEntries(pairs)
}
