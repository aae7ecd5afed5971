import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECRET_SAMPLES } from '../../../test/support/secret-samples.ts'
import { redacted, redactedField, redactedScreen } from './redaction.ts'

const of =
  (chars: string) =>
  (least: number, most = least) =>
    fc.string({ unit: fc.constantFrom(...chars), minLength: least, maxLength: most })
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const alnum = of(`${LOWER}${LOWER.toUpperCase()}0123456789`)
const upper = of(`${LOWER.toUpperCase()}0123456789`)
const hex = of('0123456789abcdef')
const base64url = of(`${LOWER}${LOWER.toUpperCase()}0123456789-_`)
const base64 = of(`${LOWER}${LOWER.toUpperCase()}0123456789+/`)
const shaped = (prefix: string, rest: fc.Arbitrary<string>) => rest.map((text) => prefix + text)

const SHAPES: Record<string, fc.Arbitrary<string>> = {
  Anthropic: shaped('sk-ant-api03-', base64url(80, 95)),
  'OpenAI, of a project': shaped('sk-proj-', base64url(60, 150)),
  'OpenAI, old': shaped('sk-', alnum(47)).map((key) => `${key}7`),
  OpenRouter: shaped('sk-or-v1-', hex(64)),
  Google: shaped('AIza', base64url(35)),
  'Google, OAuth': shaped('ya29.', base64url(60, 120)),
  'AWS key id': shaped('AKIA', upper(16)),
  'AWS key id, for a session': shaped('ASIA', upper(16)),
  GitHub: fc
    .tuple(fc.constantFrom('ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'), alnum(36))
    .map((parts) => parts.join('')),
  'GitHub, fine-grained': fc.tuple(alnum(22), alnum(59)).map(([a, b]) => `github_pat_${a}_${b}`),
  GitLab: shaped('glpat-', base64url(20)),
  npm: shaped('npm_', alnum(36)),
  Slack: fc
    .tuple(fc.constantFrom('xoxb', 'xoxp', 'xoxa', 'xoxs'), alnum(10, 12), alnum(24))
    .map((parts) => parts.join('-')),
  'Slack, of an app': fc.tuple(upper(11), hex(64)).map(([a, b]) => `xapp-1-${a}-${b}`),
  'Slack webhook': fc
    .tuple(upper(9), upper(11), alnum(24))
    .map(([a, b, c]) => `hooks.slack.com/services/T${a}/B${b}/${c}`),
  Stripe: shaped('sk_live_', alnum(24, 90)),
  'Hugging Face': shaped('hf_', alnum(33)).map((key) => `${key}4`),
  JWT: fc
    .tuple(base64url(20, 60), base64url(40, 200), base64url(43))
    .map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  'a token of ours': shaped('tbr_', base64url(43)),
}

/** Letters, digits and a symbol, like the passwords that people choose. */
const password = fc
  .tuple(alnum(3, 12), of('0123456789')(1, 3), of('!_+~^.')(0, 1), alnum(0, 6))
  .map((parts) => `p${parts.join('')}`)
const random = alnum(14, 40).map((text) => `a${text}9`)

const PLACES: Record<string, (secret: string) => string> = {
  'a line of its own': (secret) => secret,
  'within a sentence': (secret) => `It says ${secret} there.`,
  'an assignment': (secret) => `const client = new Client({ key: "${secret}" })`,
  'a frame': (secret) => `│ ${secret} │\n│ and more │`,
  JSON: (secret) => `{"value":"${secret}","n":1}`,
  'a command': (secret) => `$ curl -H 'X-Thing: ${secret}' https://example.com/a`,
  'a diff': (secret) => `+  ${secret}\n-  nothing`,
}

const NAMED: Record<string, [fc.Arbitrary<string>, (secret: string) => string]> = {
  'password=': [password, (s) => `login with password=${s} please`],
  'an environment variable': [password, (s) => `DB_PASSWORD=${s}\nDB_HOST=db.internal`],
  'an exported token': [random, (s) => `export SERVICE_TOKEN=${s}`],
  'only letters, in an environment': [of(LOWER)(6, 20), (s) => `MYSQL_PASSWORD=${s}`],
  'a secret of letters, in an environment': [of(LOWER)(6, 20), (s) => `SIGNING_SECRET=${s}`],
  'a quoted password': [password, (s) => `  password: '${s}',`],
  'JSON password': [password, (s) => `{"user":"ana","password":"${s}"}`],
  YAML: [password, (s) => `db:\n  user: ana\n  password: ${s}\n  port: 5432`],
  'a flag': [password, (s) => `$ tool --user ana --password ${s} --verbose`],
  'a flag with a sign': [password, (s) => `$ tool --db-password=${s} --verbose`],
  'a connection string': [password, (s) => `Server=db;User Id=sa;Password=${s};Timeout=5`],
  'AWS secret': [
    base64(39).map((text) => `a${text.replace(/^\//, 'x')}7`),
    (s) => `aws_secret_access_key = ${s}`,
  ],
  'an API key': [random, (s) => `const apiKey = "${s}"`],
  'x-api-key': [random, (s) => `x-api-key: ${s}`],
  'client secret': [random, (s) => `"client_secret": "${s}"`],
  bearer: [base64url(20, 60).map((s) => `a1${s}`), (s) => `Authorization: Bearer ${s}`],
  'bearer in a command': [random, (s) => `curl -H "authorization: bearer ${s}" localhost`],
  basic: [alnum(12, 40).map((s) => `${s}9`), (s) => `Authorization: Basic ${s}==`],
  'a URL': [password, (s) => `postgres://ana:${s}@db.internal:5432/shop`],
  'a URL without a name': [password, (s) => `redis://:${s}@localhost:6379`],
  'a clone URL': [random, (s) => `git clone https://${s}abcdefgh@example.com/a.git`],
  'a query': [random, (s) => `GET /file?expires=1&signature=${s}&x=1`],
  'a PIN': [of('0123456789')(4, 6), (s) => `unlock --pin ${s} now`],
  'a tag': [password, (s) => `<smtp:password type="plain">${s}</smtp:password>`],
  'docker login': [password, (s) => `docker login -u ana -p ${s} shop.example`],
  'sudo -S': [password, (s) => `echo '${s}' | sudo -S ls`],
  'a cookie': [random, (s) => `Cookie: session=${s}; theme=dark`],
}

describe('a secret is redacted', () => {
  test.each(Object.entries(SHAPES))('by its shape: %s', (_, secrets) => {
    fc.assert(
      fc.property(secrets, fc.constantFrom(...Object.values(PLACES)), (secret, place) => {
        const clean = redacted(place(secret))
        expect(clean).not.toContain(secret.slice(-12))
        expect(clean).toContain('[redacted]')
        const without = place('\0').split('\0')
        for (const around of without) expect(clean).toContain(around)
      }),
    )
  })

  test.each(Object.entries(NAMED))('by its name or place: %s', (_, [secrets, place]) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const clean = redacted(place(secret))
        expect(clean).toContain('[redacted]')
        expect(clean).not.toContain(secret)
        expect(clean).not.toContain(secret.slice(-5))
      }),
    )
  })

  test('and leaves the words around it', () => {
    expect(redacted('postgres://ana:hunter2@db/shop and PGPASSWORD=hunter2 psql')).toBe(
      'postgres://ana:[redacted]@db/shop and PGPASSWORD=[redacted] psql',
    )
    expect(redacted("{ user: 'ana', password: 'hunter2', port: 1 }")).toBe(
      "{ user: 'ana', password: '[redacted]', port: 1 }",
    )
  })

  test('even if a program wrapped it', () => {
    const [head, tail] = ['sk-ant-api03-Q7wErTyUiOpAsDfGhJkL', 'ZxCvBnM1234567890qWeRt']
    expect(redacted(`│ ${head} │\n│ ${tail} │\n│ Is this your key? │`)).toBe(
      '│ [redacted] │\n│ [redacted] │\n│ Is this your key? │',
    )
  })
})

describe.each(SECRET_SAMPLES)('$kind', ({ text, secret, isLine }) => {
  const json = JSON.stringify({ command: text })
  const after = JSON.stringify({ text: `Run it:\n\n${text}\n\nGo on?` })
  const shown = {
    text,
    json,
    after,
    twice: JSON.stringify(json),
    ...(!isLine && { call: `Bash(${text})` }),
  }

  test.each(Object.entries(shown))('is redacted in %s', (_, place) => {
    const clean = redacted(place)
    expect(clean).toContain('[redacted]')
    expect(clean).not.toContain(secret.slice(-8))
    expect(redacted(clean)).toBe(clean)
  })

  test.each([60, 80])('is redacted on a screen of %i columns', (columns) => {
    const lines = `${'─'.repeat(columns)}\n$ ${text}\nGo on? [y/N]`.split('\n')
    const wrap = (line: string) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']
    const clean = redactedScreen(lines.flatMap(wrap).join('\n'))
    const unwrapped = clean.replaceAll('\n', '')
    expect(clean).toContain('[redacted]')
    for (const part of [secret.slice(0, 12), secret.slice(-8)]) {
      if (!/^[a-z0-9-]{0,8}[_.-]?$/.test(part)) expect(unwrapped).not.toContain(part)
    }
    expect(clean).toMatch(/^─+\n[\s\S]*\nGo on\? \[y\/N\]$/)
    expect(redactedScreen(clean)).toBe(clean)
  })
})

test.each([
  ['password', 'correct horse', 'correct horse'],
  ['password', 'hunter', '[redacted]'],
  ['--password', 'hunter2', '[redacted]'],
  ['Authorization', 'Basic dXNlcjpodW50ZXIy', 'Basic [redacted]'],
  ['Cookie', 'session=abcdef123456; theme=dark', '[redacted]'],
  ['apiKey', 'a1b2c3d4e5f6', '[redacted]'],
  ['token', 'src/core/token.ts', 'src/core/token.ts'],
  ['max_tokens', '2048', '2048'],
  ['file_path', '/home/op/a1b2c3d4e5f6', '/home/op/a1b2c3d4e5f6'],
])('the field %s with "%s" is kept as "%s"', (name, value, kept) => {
  expect(redactedField(name, value)).toBe(kept)
})

describe('a private key is redacted', () => {
  const body = (lines: number) =>
    fc.sample(base64(64), { numRuns: lines, seed: 7 }).map((line) => line.replace(/^\W/, 'M'))
  const key = (kind = '') => [
    `-----BEGIN ${kind}PRIVATE KEY-----`,
    ...body(12),
    'c2hvcnQ=',
    `-----END ${kind}PRIVATE KEY-----`,
  ]

  test.each(['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])('%j', (kind) => {
    expect(redacted(['$ cat key', ...key(kind), '$ ls'].join('\n'))).toBe(
      '$ cat key\n[redacted]\n$ ls',
    )
  })

  test('with headers', () => {
    const [first = '', ...rest] = key('RSA ')
    const headers = ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00', '']
    expect(redacted([first, ...headers, ...rest, 'after'].join('\n'))).toBe('[redacted]\nafter')
  })

  test('when the screen shows only its beginning', () => {
    expect(redacted(['a', ...key().slice(0, 6), '', '❯ Try again'].join('\n'))).toBe(
      'a\n[redacted]\n❯ Try again',
    )
  })

  test('when the screen shows only its end', () => {
    const lines = [
      'Some words before it',
      ...key()
        .slice(6)
        .filter((line) => line !== 'c2hvcnQ='),
    ]
    expect(redacted([...lines, 'b'].join('\n'))).toBe('Some words before it\n[redacted]\nb')
  })

  test('in a frame, with line numbers, and in a diff', () => {
    for (const dressed of [
      key().map((line) => `  │ ${line} │`),
      key().map((line, n) => `  ${n + 10}  ${line}`),
      key().map((line) => `+ ${line}`),
    ]) {
      const clean = redacted(dressed.join('\n'))
      for (const line of body(12)) expect(clean).not.toContain(line.slice(20, 40))
    }
  })

  test('in one line of JSON', () => {
    expect(redacted(`{"private_key":"${key().join('\\n')}\\n","id":1}`)).toBe(
      '{"private_key":"[redacted]\\n","id":1}',
    )
  })

  test('but code that only mentions one stays', () => {
    const code =
      "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return\n  text.endsWith('-----END PRIVATE KEY-----')"
    expect(redacted(code)).toBe(code)
  })
})

test('redacted text does not change again', () => {
  const secret = fc
    .oneof(...Object.values(SHAPES))
    .chain((text) => fc.constantFrom(...Object.values(PLACES)).map((place) => place(text)))
  const named = fc.oneof(...Object.values(NAMED).map(([secrets, place]) => secrets.map(place)))
  const line = fc.oneof(secret, named, fc.string({ unit: 'binary', maxLength: 60 }))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const once = redacted(lines.join('\n'))
      expect(redacted(once)).toBe(once)
    }),
    { numRuns: 400 },
  )
})

test('hostile text does not make it hang', () => {
  const named = [
    'the token is ',
    'password for a ',
    '<password ',
    'set("password",',
    'pin=1',
    'MTA1',
  ]
  const commands = [
    'echo -n ',
    'echo ab1 |sudo -u ',
    'htpasswd -b ',
    ' -p a',
    'net use \\\\a ',
    '<<< a:',
  ]
  const labels = ['Password: a', 'password for a ', 'api key  a1', 'seed phrase: abc ', 'code is 1']
  const shapes = ['s.A1b', 'a1b2c3d4-', 'key-a1', '$6$a', 'EAAAa1', 'aA1+'.repeat(16).concat('\n')]
  const expects = ['expect assword send', 'expect ', 'send "abc\\r"', 'docker login -p ']
  const old = ['sk-', 'password=', 'a://b:', 'eyJ', '?token', 'x@', ' |\n|', 'AAAA', '-']
  for (const piece of [...old, ...named, ...commands, ...expects, ...labels, ...shapes]) {
    expect(redacted(piece.repeat(100_000 / piece.length)).length).toBeGreaterThan(9)
  }
  const begins = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n'.repeat(1_000)
  expect(redacted(begins)).not.toContain('MIIE')
})

describe('anything else stays', () => {
  test.each([
    'commit 4973aa0c1d2e3f405162738495a6b7c8d9e0f1a2',
    '67a3a7a feat(qwen): an adapter for Qwen Code',
    'index 9d76600..3b148ec 100644',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '"integrity": "sha512-tlqY9xq5ukxTUZBmoOp+m61cqwQD5pHJtFY3Mn8CA8ps6yghLH/Hw8UPdqg4OLmFW3IFlcXnQNmo/dh8HzXYIQ=="',
    'id 0c5e8f3a-6a7e-4f0e-9d0c-0a4f7f6f8a11',
    'const password = await readPassword(prompt)',
    'const token = tokens[index + 1]',
    'function login(user: string, password: string): Promise<Token> {',
    'if (password !== confirmation) throw new Error("The passwords differ.")',
    'password = getpass.getpass()',
    'login(user=user, password=password)',
    'self.api_key = api_key or os.environ["SERVICE_API_KEY"]',
    `headers: { authorization: \`Bearer \${token}\` }`,
    'curl -H "Authorization: Bearer $TOKEN" https://example.com',
    'Authorization: Bearer <token>',
    'PASSWORD=$(pass show db)',
    `export TOKEN="\${TOKEN:-}"`,
    'password: ********',
    'usage: max_tokens=2048, tokens: 12345, 31k tokens',
    'let token: &str = lexer.next()?;',
    'fn secret(&self) -> Option<SecretKey> { self.secret.clone() }',
    'char *password = argv[1];',
    'enum { NO_PASSWORD = 177, BAD_TOKEN = 0x10100, }',
    'Enter your password: ',
    "label: { password: 'Your password', token: 'auth.token.label' }",
    'PWD=/home/op/shop OLDPWD=/home/op',
    'git@github.com:op/shop.git and https://example.com:8080/a@1.2.3/b',
    'https://registry.example/@scope/name/-/name-1.2.3.tgz',
    `postgres://\${user}:\${password}@\${host}/shop`,
    '.sk-cube-grid .sk-folding-cube-first { }',
    'task-management-service-worker-list-2024-11-16',
    'see risk-assessmentreport2024-final-version.pdf',
    "const [begin, end] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----']",
    'The bearer authentication scheme is basic HTTP/1.1.',
    'cursor: pointer; cookie: none;',
    'docker run -u 1000:1000 --secret id=npmrc',
    'docker run -u app:staff -p8080:80 -p127.0.0.1:5432:5432 shop',
    'curl -u ana: https://example.com && curl -u "$USER:$PASS" https://example.com',
    'mysql -P3306 -u root -p shop < schema.sql; mkdir -psrc/core',
    'ssh -p2222 ana@shop.example',
    'The login page and its password field are slow.',
    'To login ana needs a password reset first.',
    'login(user=user, password=password, token=authToken, secret=secret2)',
    'const { token: oauth2Token, password: hash } = row',
    'trailboss explain %12 --json | jq .verdict',
    'at Object.<anonymous> (/home/op/shop/src/token.ts:12:34)',
    '+  "version": "1.2.3-beta.4+sha.5114f85",',
    'v4.1.12 · 2026-11-17T18:39:44.123Z · 0x7ffe1234abcd',
    'user_2NNEqL2nrIRdJ194ndJqAHwEfxC viewed cus_NffrFeUfNV2Hib',
    'AKIA and ghp_ and sk- are prefixes; sk-learn and hf_hub are packages',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJkc ana@shop',
    '-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n-----END PUBLIC KEY-----',
    'export PATH=/usr/local/bin:$PATH NODE_ENV=production PORT=3000',
    '$ git push origin wip/token-rotation-2024',
    'tokens: 12 345 in, 678 out · 3.2k tokens/s',
    'password (again): ',
    'Set-Cookie: theme=dark; Path=/',
    // Names in other languages, labels and types.
    'Passwort: falsch. Kennwort: vergessen?',
    'Mot de passe : oublié ? Contraseña: incorrecta. Senha: inválida',
    'Пароль: неверный. 密码：请输入8位数字 パスワード：8文字以上 비밀번호: 8자',
    'const dbPassword: string = readPassword(prompt2)',
    'let password: string = userPassword; var token string = os.Getenv(name)',
    'def login(user: str, password: str = "", token: str = None):',
    // Tags and calls.
    '<label for="password">Password</label> <Password>Kennwort</Password>',
    '<password>{state.password2}</password><token>$TOKEN</token><secret>none</secret>',
    'setError("password", "Invalid"); rules.set("password", "required|min:8|max:64")',
    'const fields = ["password", "oauth2Token1"]; t.set("token", "auth.token.label2")',
    'map.put("token", "access_token_field2"); form.append("password", value)',
    // Sentences.
    'The password is 8 characters long, the token is base64url and the PIN is optional.',
    'the password is sha256-hashed, the token is OAuth2.0, the password is argon2id-encoded',
    'The token is valid; the token was 3h20m10s old; the token is 2026-11-17T18:39:44Z.',
    'the token is in src/v1/auth2.ts and the password is in config/db1.yml2',
    'the token is user2.token1 and the password for ana@shop.example is wrong1',
    'reset the password to its default, use the token bucket2 algorithm, the token ring-1-2-3',
    'the password is utf8mb4_unicode_ci and the token is 0x7ffe1234abcd',
    'SyntaxError: Unexpected token a1b2c3d4e5 in JSON at position 0',
    // Pins.
    'pin=13 led_pin = 12 pin: GPIO12 pin=GPIO_NUM_17 pin=STM32F407 pin: 1024px',
    'pin=true, pinned=4821, spin=4821, mapping=482139, pin=^1.2.3',
    // Commands.
    'docker login -u USER -p PASSWORD && docker run -p 8080:80 -p 5432 shop',
    'az login; az vm list -p x1; mkdir -p src/core1; ssh -p 2222 ana@shop',
    'redis-cli -a "$REDIS_PASSWORD" ping; ls -a src2; git commit -a -m fix1',
    'openssl enc -pass env:PW -in a; openssl enc -pass file:pw.txt; git diff pass:a1',
    'echo yes | sudo pacman -S git; echo done1 | tee log; echo hunter2 | sort',
    `echo "$PW" | sudo -S ls; echo "\${USER}:\${PW}" | chpasswd`,
    'htpasswd -c users ana; man htpasswd; htpasswd -b users ana "$PW"',
    'gh pr create --body Fixes12 -b x1y2; gh secret set DEPLOY < key; gh secret list',
    'curl https://shop.example -a app:web1; docker run -a stdin1 shop',
    'net use x: /delete; net use; netstat -an /user:ana',
    'expect "login:"; send "ana\\r"; send "ls -la\\r"; socket.send("hello1\\n")',
    // Three parts and dots, yet no token.
    'MTModuleWithALongishName24.method.anotherVeryLongIdentifierName',
    'com.example.NTServiceRegistryFactoryBean.create.withConfigurationProperties',
  ])('%s', (line) => {
    expect(redacted(line)).toBe(line)
  })

  test('in the code of Trail Boss and in its documents', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url))
    const files = ['src', 'docs', 'scripts', 'bin'].flatMap((dir) =>
      readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/redact|\.test\.ts$|\.(?:png|svg)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    expect(files.length).toBeGreaterThan(200)
    const changed = [...files, join(root, 'package-lock.json')].flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n')
      const clean = redacted(lines.join('\n')).split('\n')
      return lines.filter((line, n) => line !== clean[n]).map((line) => `${file}: ${line}`)
    })
    expect(changed).toEqual([])
  })
})
