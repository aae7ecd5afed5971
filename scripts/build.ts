import { readFileSync, renameSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const root = new URL('..', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string }
const fresh = `${root}dist.${process.pid}`
const old = `${root}dist.old.${process.pid}`

await build({
  absWorkingDir: root,
  entryPoints: {
    trailboss: 'src/cli/main.ts',
    daemon: 'src/daemon/main.ts',
    'demo-agent': 'src/demo/main.ts',
  },
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // jsonc-parser's "main" cannot be bundled: it hides its require().
  mainFields: ['module', 'main'],
  minifySyntax: true,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  define: { TRAILBOSS_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
})

// Swaps the whole directory, so that nobody ever runs half a build.
try {
  renameSync(`${root}dist`, old)
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
renameSync(fresh, `${root}dist`)
rmSync(old, { recursive: true, force: true })
