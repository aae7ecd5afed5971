import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { terminalSvg } from '../../scripts/terminal-svg.ts'

const COLUMN = 8.4
const picture = readFileSync(new URL('../../docs/images/popup.svg', import.meta.url), 'utf8')
const textsOf = (svg: string): { x: number; text: string }[] =>
  [...svg.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)</g)].map(([, x, text = '']) => ({
    x: Number(x),
    text,
  }))

describe('a screen that is drawn', () => {
  test('has each word at its column, whatever its spaces and colours', () => {
    const svg = terminalSvg('\u001b[1;36mTrail  Boss\u001b[0m 3\n  日本 │x│  a<b', 20, 'A & B')
    expect(textsOf(svg)).toEqual(
      [
        { x: 14, text: 'Trail' },
        { x: 14 + 7 * COLUMN, text: 'Boss' },
        { x: 14 + 12 * COLUMN, text: '3' },
        { x: 14 + 2 * COLUMN, text: '日本' },
        { x: 14 + 8 * COLUMN, text: 'x' },
        { x: 14 + 12 * COLUMN, text: 'a&lt;b' },
      ].map(({ x, text }) => ({ x: Math.round(x * 10) / 10, text })),
    )
    expect(svg).toContain('aria-label="A &amp; B"')
  })

  test('keeps a colour that tmux named lines before, until it names another', () => {
    const svg = terminalSvg('\u001b[33ma\nb\u001b[39m c\u001b[7md', 10, '')
    const colours = [...svg.matchAll(/<text [^>]*fill="(#\w+)"/g)].map(([, colour]) => colour)
    expect(colours).toEqual(['#e0b04c', '#e0b04c', '#d4d6d4', '#1b1d20'])
    expect(svg).toMatch(/<rect x="39.2" [^>]*fill="#d4d6d4"/)
  })
})

describe('the picture in the README', () => {
  test('has no text with a space in it: renderers differ in which spaces they keep', () => {
    expect(textsOf(picture).length).toBeGreaterThan(20)
    expect(textsOf(picture).filter(({ text }) => /\s/.test(text))).toEqual([])
  })

  test.skipIf(!hasChromium())('has every letter in its column, in Chromium', () => {
    const letters = lettersIn(picture)
    expect(letters.length).toBeGreaterThan(200)
    expect(letters.filter(({ off }) => off > COLUMN / 4)).toEqual([])
  })
})

type Letter = { text: string; index: number; off: number }

/** How far each letter is from where it belongs; a letter that is not drawn is infinitely far. */
function lettersIn(svg: string): Letter[] {
  const measure = `
    const letters = [...document.querySelectorAll('text')].flatMap((node) => {
      const text = node.textContent
      const start = Number(node.getAttribute('x'))
      const column = Number(node.getAttribute('textLength')) / text.length
      return [...text].map((_, index) => {
        if (index >= node.getNumberOfChars()) return { text, index, off: 1e9 }
        const { x, width } = node.getExtentOfChar(index)
        const due = start + index * column
        return { text, index, off: Math.max(Math.abs(x - due), Math.abs(x + width - due - column)) }
      })
    })
    document.documentElement.setAttribute('data-letters', JSON.stringify(letters))`
  const dir = mkdtempSync(join(tmpdir(), 'tb-picture-'))
  try {
    const file = join(dir, 'picture.svg')
    writeFileSync(file, svg.replace('</svg>', `<script><![CDATA[${measure}]]></script></svg>`))
    const dom = execFileSync(
      'chromium',
      [...CHROMIUM_FLAGS, `--user-data-dir=${dir}/profile`, pathToFileURL(file).href],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const [, letters = '[]'] = /data-letters="([^"]*)"/.exec(dom) ?? []
    return JSON.parse(
      letters
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    )
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--dump-dom',
]

function hasChromium(): boolean {
  const isThere = spawnSync('chromium', ['--version']).status === 0
  if (!isThere) console.warn('There is no chromium here: the picture is not looked at.')
  return isThere
}
