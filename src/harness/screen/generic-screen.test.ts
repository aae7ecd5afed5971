import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Screen, screenOf } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { genericScreenRules } from './generic-screen.ts'

/** The cursor is one cell behind the last line, where a program that asks leaves it. */
function asking(text: string, gap = 1): Screen {
  const screen = screenOf(text)
  const { lines } = screen
  const cursor = { x: (lines.at(-1) ?? '').length + gap, y: lines.length - 1, visible: true }
  return { ...screen, cursor }
}

/** The cursor is at the beginning of the next line, where output leaves it. */
function printing(text: string): Screen {
  const screen = screenOf(text)
  return { ...screen, cursor: { x: 0, y: screen.lines.length, visible: true } }
}

function hidden(text: string): Screen {
  return { ...screenOf(text), cursor: { x: 0, y: 0, visible: false } }
}

function sightOf(screen: Screen) {
  return matchScreen(genericScreenRules, screen)
}

describe('a program that asks', () => {
  test.each<[rule: string, last: string]>([
    ['a question to be answered with yes or no', 'Proceed? [y/N]'],
    ['a question to be answered with yes or no', 'Do you want to continue? [Y/n]'],
    ['a question to be answered with yes or no', 'Overwrite (yes/no)?'],
    ['a question to be answered with yes or no', 'Is this OK? (y|n):'],
    [
      'a question to be answered with yes or no',
      'Are you sure you want to continue connecting (yes/no/[fingerprint])?',
    ],
    ['a question to be answered with yes or no', '(1/1) Stage this hunk [y,n,q,a,d,e,?]?'],
    ['a question to be answered with yes or no', 'Remove it? y/n'],
    ['a question', "rm: remove regular empty file '/home/op/victim'?"],
    ['a question', 'Proceed?'],
    ['a question', '1) a\n2) b\n3) c\n#?'],
    ['a prompt for a password', 'Password:'],
    ['a prompt for a password', '[sudo] password for ana:'],
    ['a prompt for a password', "Enter passphrase for key '/home/op/.ssh/id_ed25519':"],
    ['a prompt for a password', 'Enter passphrase (empty for no passphrase):'],
    ['a wait for a key', 'Press any key to continue...'],
    ['a pager', 'x\n--More--(16%)'],
    ['a pager', 'x\n(END)'],
    ['a pager', ' Manual page ls(1) line 1 (press h for help or q to quit)'],
    ['a pager', 'lines 1-23/80 (END)'],
    ['a prompt for a value', 'package name: (proj)'],
    ['a prompt for a value', "Username for 'https://example.org':"],
    ['a prompt for a value', 'Name:'],
    ['a prompt for a value', 'Choose a number [1-3]:'],
  ])('%s: %s', (rule, last) => {
    const sight = sightOf(asking(`op@box:~$ run\nsomething said\n${last}`))
    expect(sight).toMatchObject({ rule, shows: 'dialog' })
    expect(sight?.ask).toContain(last.split('\n').at(-1)?.trim())
    expect(sightOf(printing(`op@box:~$ run\n${last}\nsomething said`))).toBeUndefined()
  })

  test('a wait for a key may have ended its line', () => {
    expect(sightOf(printing('Press ENTER to continue'))?.rule).toBe('a wait for a key')
    expect(sightOf(printing('press h + enter to show help'))).toBeUndefined()
    expect(sightOf(printing('press h to show help, press q to quit'))).toBeUndefined()
  })

  test.each([
    '? Select a framework: › - Use arrow-keys. Return to submit.\n❯   Vanilla\n    Vue\n    React',
    '◆  Select a framework:\n│  ● Vanilla\n│  ○ Vue\n└',
  ])('a menu hides the cursor: %j', (menu) => {
    expect(sightOf(hidden(menu))).toMatchObject({
      rule: 'a menu',
      shows: 'dialog',
      ask: menu.replaceAll(/^[│└] ?/gm, (side) => ' '.repeat(side.length)).trimEnd(),
    })
    expect(sightOf(printing(menu))).toBeUndefined()
    expect(sightOf(hidden(`${menu}\n? Project name: x\nDone`))).toBeUndefined()
  })

  test('a numbered menu has one choice marked, and nothing but choices and keys below it', () => {
    const menu =
      'Apply the patch?\n  1. Yes\n❯ 2. No\n  3. Always\n\nEnter to select · Esc to cancel'
    expect(sightOf(hidden(menu))).toMatchObject({ rule: 'a numbered menu', ask: menu })
    expect(sightOf(hidden(`${menu}\napplied`))).toBeUndefined()
    expect(sightOf(hidden('1. Yes\n2. No'))).toBeUndefined()
    expect(sightOf(hidden('> 1. Yes\n> 2. No'))).toBeUndefined()
  })

  test('the ask is the question, then the output since the command, a dozen lines at most', () => {
    const said = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')
    const long = sightOf(asking(`$ apt install x\n${said}\nGo on? [Y/n]`))?.ask
    expect(long?.split('\n').filter(Boolean)).toHaveLength(12)
    expect(sightOf(asking('old\n$ apt install x\nGo on? [Y/n]'))?.ask).toBe(
      'Go on? [Y/n]\n\n$ apt install x',
    )
  })
})

describe('a program that reads one expression after the other', () => {
  test.each([
    '>>>',
    '...',
    '>',
    'In [3]:',
    'irb(main):001>',
    'irb(main):001:0>',
    'mysql>',
    'MariaDB [(none)]>',
    'sqlite>',
    'shop=>',
    'shop=#',
    '(gdb)',
    '(Pdb)',
    'iex(1)>',
    '127.0.0.1:6379>',
    'node>',
  ])('%s', (prompt) => {
    const rule = 'a prompt of a REPL'
    expect(sightOf(asking(`some result\n${prompt}`))).toMatchObject({ rule, shows: 'idle' })
    expect(sightOf(asking(`some result\n${prompt} 1 + 1`, 0))).toBeUndefined()
  })

  test('its last output is the ask', () => {
    expect(sightOf(asking('>>> 1\n1\n>>> 1/0\nZeroDivisionError\n>>>'))?.ask).toBe(
      '>>> 1/0\nZeroDivisionError\n>>>',
    )
  })
})

describe('a shell that is back', () => {
  test.each([
    'op@box:~/proj$',
    'bash-5.2$',
    'root@box:/#',
    'box%',
    'op@box proj %',
    '❯',
    '~/proj ❯',
    '➜  proj git:(main) ✗',
    'op@box ~/proj>',
    '$',
  ])('%s', (prompt) => {
    const sight = sightOf(asking(`ls\nx\n${prompt}`))
    expect(sight).toMatchObject({ rule: 'a shell prompt', shows: 'finished' })
    expect(sightOf(asking(`${prompt} make`, 0))).toBeUndefined()
  })
})

describe('a program that continues', () => {
  test.each([
    'Downloading 45%',
    'Downloading 45 %',
    'checking for gcc...',
    'remote: Counting objects:',
    'Resolving deltas:',
    'Building x [====>   ] 12/40: syn, quote',
    'working',
    '',
  ])('%j is no question, wherever the cursor is', (last) => {
    expect(sightOf(asking(last))).toBeUndefined()
    expect(sightOf(printing(last))).toBeUndefined()
  })

  test('questions, prompts and menus in its output do not count', () => {
    const bait = fc.constantFrom(
      ...['Proceed? [y/N]', 'Password:', '>>>', '$', 'op@box:~$', '--More--', '(END)', 'Sure?'],
      ...['? Pick one', '  ❯ Vue', '❯ 1. Yes', '  2. No', 'Press any key to continue', 'name: (x)'],
    )
    const printed = fc.array(fc.oneof(bait, fc.lorem({ mode: 'sentences', maxCount: 1 })))
    fc.assert(
      fc.property(printed, fc.boolean(), (lines, visible) => {
        const screen = printing([...lines, 'Compiled 12 files.'].join('\n'))
        const cursor = { x: 0, y: screen.lines.length, visible }
        expect(sightOf({ ...screen, cursor })).toBeUndefined()
        expect(
          sightOf({ ...screen, cursor: { x: 18, y: screen.lines.length - 1, visible } }),
        ).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  test('a screen without a known cursor shows next to nothing', () => {
    for (const text of ['Proceed? [y/N]', 'Password:', '>>>', '$', '(END)', 'name: (x)']) {
      expect(sightOf(screenOf(text))).toBeUndefined()
    }
  })
})
