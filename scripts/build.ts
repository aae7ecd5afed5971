import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const root = new URL('..', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string }
const fresh = `${root}dist.${process.pid}`
const old = `${root}dist.old.${process.pid}`

const common = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  format: 'esm',
  platform: 'node',
  minifySyntax: true,
  legalComments: 'none',
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
} satisfies BuildOptions

await build({
  ...common,
  entryPoints: {
    trailboss: 'src/cli/main.ts',
    daemon: 'src/daemon/main.ts',
    'demo-agent': 'src/demo/main.ts',
  },
  splitting: true,
  target: 'node24',
  // jsonc-parser's "main" cannot be bundled: it hides its require().
  mainFields: ['module', 'main'],
  chunkNames: 'chunks/[name]-[hash]',
  define: { TRAILBOSS_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
})

// Other people's programs import this one, with their own Node.
const agentSdk = 'src/agent-sdk/can-use-tool.ts'
await build({ ...common, entryPoints: { 'agent-sdk': agentSdk }, target: 'node20.16' })
declare(agentSdk, 'agent-sdk')

// Swaps the whole directory, so that nobody ever runs half a build.
try {
  renameSync(`${root}dist`, old)
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
renameSync(fresh, `${root}dist`)
rmSync(old, { recursive: true, force: true })

/** Its types as they are written: `npm run check` checks them, and they name no other file. */
function declare(entry: string, name: string): void {
  const tsc = `${root}node_modules/typescript/bin/tsc`
  const only = [
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--isolatedDeclarations',
  ]
  const quick = ['--noCheck', '--noResolve', '--types', '', '--allowImportingTsExtensions']
  const language = ['--target', 'es2024', '--module', 'nodenext', '--strict']
  const args = [tsc, entry, ...only, ...quick, ...language, '--outDir', fresh]
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  renameSync(`${fresh}/${basename(entry, '.ts')}.d.ts`, `${fresh}/${name}.d.mts`)
}
