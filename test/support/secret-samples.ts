/** A text as in a command, a file or a message, and the part of it that nobody may read later. */
export type SecretSample = {
  kind: string
  text: string
  secret: string
  /** Only because it has its line to itself. */
  isLine?: true
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALNUM = LOWER + UPPER + DIGITS
const HEX = '0123456789abcdef'
const BASE64 = `${ALNUM}+/`
const BASE64URL = `${ALNUM}-_`

let seed = 20_240_229
/** Always the same: letters and digits from the alphabet, with a letter first and a digit last. */
function chars(alphabet: string, length: number): string {
  const middle = Array.from({ length: length - 2 }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return alphabet[seed % alphabet.length]
  })
  const first = alphabet.startsWith(UPPER) ? 'Q' : 'e'
  return [first, ...middle, '7'].join('')
}

/** A word that is in no dictionary, of letters alone. */
const word = () => chars(LOWER, 14).slice(0, -1)
const uuid = () => [8, 4, 4, 4, 12].map((length) => chars(HEX, length)).join('-')

const sample = (kind: string, secret: string, around = (text: string) => text): SecretSample => ({
  kind,
  secret,
  text: around(secret),
})

/** Recognised by their shape, wherever they stand. */
const SHAPED: SecretSample[] = [
  sample('Anthropic', `sk-ant-api03-${chars(BASE64URL, 90)}`),
  sample('OpenAI, of a project', `sk-proj-${chars(BASE64URL, 120)}`),
  sample('OpenAI, old', `sk-${chars(ALNUM, 48)}`),
  sample('OpenRouter', `sk-or-v1-${chars(HEX, 64)}`),
  sample('Google', `AIza${chars(BASE64URL, 35)}`),
  sample('Google, OAuth', `ya29.${chars(BASE64URL, 80)}`),
  sample('Google, client', `GOCSPX-${chars(BASE64URL, 28)}`),
  sample('Hugging Face', `hf_${chars(ALNUM, 34)}`),
  sample('Groq', `gsk_${chars(ALNUM, 52)}`),
  sample('xAI', `xai-${chars(ALNUM, 80)}`),
  sample('Replicate', `r8_${chars(ALNUM, 37)}`),
  sample('Perplexity', `pplx-${chars(ALNUM, 48)}`),
  sample('AWS key id', `AKIA${chars(UPPER + DIGITS, 16)}`),
  sample('DigitalOcean', `dop_v1_${chars(HEX, 64)}`),
  sample('Vault', `hvs.${chars(BASE64URL, 90)}`),
  sample('Databricks', `dapi${chars(HEX, 32)}`),
  sample('GitHub', `ghp_${chars(ALNUM, 36)}`),
  sample('GitHub, fine-grained', `github_pat_${chars(ALNUM, 22)}_${chars(ALNUM, 59)}`),
  sample('GitLab', `glpat-${chars(BASE64URL, 20)}`),
  sample('npm', `npm_${chars(ALNUM, 36)}`),
  sample('PyPI', `pypi-AgEIcHlwaS5vcmc${chars(BASE64URL, 120)}`),
  sample('Docker', `dckr_pat_${chars(BASE64URL, 27)}`),
  sample('Slack', `xoxb-${chars(DIGITS, 12)}-${chars(ALNUM, 24)}`),
  sample('Slack, of an app', `xapp-1-A${chars(UPPER + DIGITS, 10)}-${chars(HEX, 64)}`),
  sample(
    'Slack webhook',
    `hooks.slack.com/services/T${chars(UPPER + DIGITS, 9)}/B${chars(UPPER + DIGITS, 9)}/${chars(ALNUM, 24)}`,
  ),
  sample('Stripe', `sk_live_${chars(ALNUM, 40)}`),
  sample('Stripe webhook', `whsec_${chars(ALNUM, 32)}`),
  sample('SendGrid', `SG.${chars(BASE64URL, 22)}.${chars(BASE64URL, 43)}`),
  sample('Telegram', `712345678:AA${chars(BASE64URL, 33)}`),
  sample('Discord bot', `MTA4${chars(ALNUM, 22)}.G${chars(ALNUM, 5)}.${chars(BASE64URL, 38)}`),
  sample('Linear', `lin_api_${chars(ALNUM, 40)}`),
  sample('Sentry', `sntrys_${chars(BASE64URL, 60)}`),
  sample('JWT', `eyJ${chars(BASE64URL, 30)}.eyJ${chars(BASE64URL, 80)}.${chars(BASE64URL, 43)}`),
  ...['gho', 'ghu', 'ghs', 'ghr'].map((kind) =>
    sample(`GitHub, ${kind}`, `${kind}_${chars(ALNUM, 36)}`),
  ),
  sample('AWS key id, for a session', `ASIA${chars(UPPER + DIGITS, 16)}`),
  sample('Google, refresh', `1//0${chars(BASE64URL, 60)}`),
  sample('Azure application', `${chars(ALNUM, 3)}8Q~${chars(ALNUM, 34)}`),
  sample('Slack, of a user', `xoxp-${chars(DIGITS, 12)}-${chars(DIGITS, 12)}-${chars(HEX, 32)}`),
  sample('Stripe, restricted', `rk_live_${chars(ALNUM, 40)}`),
  sample('Twilio', `SK${chars(HEX, 32)}`),
  sample('Mailgun', `key-${chars(HEX, 32)}`),
  sample('Mailchimp', `${chars(HEX, 32)}-us12`),
  sample('Heroku', `HRKU-${chars(BASE64URL, 60)}`),
  sample('Discord webhook', `discord.com/api/webhooks/123456789/${chars(BASE64URL, 68)}`),
  sample('Shopify', `shpat_${chars(HEX, 32)}`),
  sample('Square', `sq0atp-${chars(BASE64URL, 22)}`),
  sample('Square, access', `EAAA${chars(ALNUM, 60)}`),
  sample('Notion', `ntn_${chars(ALNUM, 46)}`),
  sample('Notion, old', `secret_${chars(ALNUM, 43)}`),
  sample('Cloudflare', `cfut_${chars(ALNUM, 48)}`),
  sample('Cloudflare, origin', `v1.0-${chars(HEX, 24)}-${chars(HEX, 146)}`),
  sample('Supabase', `sbp_${chars(HEX, 40)}`),
  sample('Supabase, secret', `sb_secret_${chars(BASE64URL, 31)}`),
  sample('Terraform', `${chars(ALNUM, 14)}.atlasv1.${chars(BASE64URL, 67)}`),
  sample('New Relic', `NRAK-${chars(UPPER + DIGITS, 27)}`),
  sample('New Relic, licence', `${chars(HEX, 36)}NRAL`),
  sample('Datadog application', `ddapp_${chars(ALNUM, 34)}`),
  sample('Sentry, of a user', `sntryu_${chars(HEX, 64)}`),
  sample('Airtable', `pat${chars(ALNUM, 14)}.${chars(HEX, 64)}`),
  sample('Atlassian', `ATATT3${chars(BASE64URL, 180)}`),
  sample('HubSpot', `pat-na1-${uuid()}`),
  sample('Mapbox', `sk.eyJ${chars(ALNUM, 60)}.${chars(ALNUM, 22)}`),
  sample('Netlify', `nfp_${chars(ALNUM, 36)}`),
  sample('Vercel', `vcp_${chars(ALNUM, 56)}`),
  sample('Pulumi', `pul-${chars(HEX, 40)}`),
  sample('Tailscale', `tskey-auth-${chars(ALNUM, 12)}-${chars(ALNUM, 32)}`),
  sample('CircleCI', `CCIPAT_${chars(ALNUM, 22)}_${chars(HEX, 40)}`),
  sample('Buildkite', `bkua_${chars(HEX, 40)}`),
  sample('SonarQube', `squ_${chars(HEX, 40)}`),
  sample('crates.io', `cio${chars(ALNUM, 32)}`),
  sample('RubyGems', `rubygems_${chars(HEX, 48)}`),
  sample('Doppler', `dp.pt.${chars(ALNUM, 43)}`),
  sample('Grafana', `glsa_${chars(ALNUM, 32)}_${chars(HEX, 8)}`),
  sample('Postman', `PMAK-${chars(HEX, 24)}-${chars(HEX, 34)}`),
  sample('bcrypt', `$2b$12$${chars(`${ALNUM}./`, 53)}`),
  sample('a runtime token of ours', `tbr_${chars(BASE64URL, 43)}`),
  sample('age', `AGE-SECRET-KEY-1${chars(UPPER + DIGITS, 58)}`),
]

/** Recognised by their name or their place. */
const PLACED: SecretSample[] = [
  sample('AWS secret', chars(BASE64, 40), (s) => `aws_secret_access_key = ${s}`),
  sample('Azure storage', chars(BASE64, 86), (s) => `AccountName=shop;AccountKey=${s}==;`),
  sample('bearer', chars(BASE64URL, 40), (s) => `curl -H "Authorization: Bearer ${s}" localhost`),
  sample('basic', chars(ALNUM, 24), (s) => `Authorization: Basic ${s}==`),
  sample('x-api-key', chars(ALNUM, 32), (s) => `curl -H 'x-api-key: ${s}' localhost`),
  sample('cookie', chars(ALNUM, 32), (s) => `Cookie: session=${s}; theme=dark`),
  sample('curl -u', chars(ALNUM, 14), (s) => `curl -u ana:${s} https://shop.example/admin`),
  sample('basic-auth URL', chars(ALNUM, 12), (s) => `https://ana:${s}@shop.example/a.git`),
  sample('postgres URL', chars(ALNUM, 12), (s) => `psql postgres://ana:${s}@db:5432/shop`),
  sample('redis URL', chars(ALNUM, 12), (s) => `redis://:${s}@localhost:6379/0`),
  sample('mongo URL', chars(ALNUM, 12), (s) => `mongodb+srv://ana:${s}@c0.example.net/?w=1`),
  sample('ADO.NET', chars(ALNUM, 12), (s) => `Server=db;User Id=sa;Password=${s};Timeout=5`),
  sample('password=', chars(ALNUM, 10), (s) => `login password=${s}`),
  sample('--password', chars(ALNUM, 10), (s) => `tool --user ana --password ${s} --verbose`),
  sample('mysql -p', chars(ALNUM, 12), (s) => `mysql -uroot -p${s} shop`),
  sample('sshpass -p', chars(ALNUM, 12), (s) => `sshpass -p '${s}' ssh ana@shop.example`),
  sample('PGPASSWORD', chars(ALNUM, 10), (s) => `PGPASSWORD=${s} psql -h db`),
  sample('.env', chars(ALNUM, 24), (s) => `APP_ENV=dev\nAPP_SECRET=${s}\nPORT=3000`),
  sample('.env, quoted', chars(ALNUM, 24), (s) => `export SERVICE_TOKEN="${s}"`),
  sample('.npmrc', chars(HEX, 32), (s) => `//registry.example/:_authToken=${s}`),
  sample('.netrc', chars(ALNUM, 14), (s) => `machine shop.example login ana password ${s}`),
  sample('JSON', chars(ALNUM, 12), (s) => `{"user":"ana","password":"${s}"}`),
  sample('JSON in JSON', chars(ALNUM, 24), (s) => `{"env":"{\\"API_TOKEN\\":\\"${s}\\"}"}`),
  sample('YAML', chars(ALNUM, 12), (s) => `db:\n  user: ana\n  password: ${s}`),
  sample('AWS session', chars(BASE64, 120), (s) => `aws_session_token = ${s}`),
  sample('Azure bus', chars(BASE64, 43), (s) => `Endpoint=sb://a/;SharedAccessKey=${s}=;Path=a`),
  sample(
    'Azure signature',
    chars(ALNUM, 40),
    (s) => `https://a.blob.example/c?sv=2022&sig=${s}%3D`,
  ),
  sample('Heroku, by name', uuid(), (s) => `HEROKU_API_KEY=${s}`),
  sample('Twilio, by name', chars(HEX, 32), (s) => `TWILIO_AUTH_TOKEN=${s}`),
  sample('Cloudflare, by name', chars(BASE64URL, 40), (s) => `CLOUDFLARE_API_TOKEN=${s}`),
  sample('Datadog', chars(HEX, 32), (s) => `DD_API_KEY=${s} DD_SITE=datadoghq.eu`),
  sample('Datadog, in a header', chars(HEX, 40), (s) => `curl -H 'DD-APPLICATION-KEY: ${s}' a`),
  sample('Sentry DSN', chars(HEX, 32), (s) => `https://${s}@o123456.ingest.sentry.example/4504`),
  sample('a session header', chars(ALNUM, 32), (s) => `X-Session-Token: ${s}`),
  sample('a set cookie', chars(ALNUM, 32), (s) => `Set-Cookie: sid=${s}; HttpOnly`),
  sample('a PHP session', chars(LOWER + DIGITS, 26), (s) => `curl -b PHPSESSID=${s} shop.example`),
  sample('a session of Express', chars(ALNUM, 43), (s) => `connect.sid=s%3A${s}`),
  sample('Docker settings', chars(ALNUM, 24), (s) => `{"auths":{"a":{"auth":"${s}"}}}`),
  sample('an API key', chars(HEX, 32), (s) => `API key: ${s}`),
  sample('WLAN', chars(ALNUM, 14), (s) => `network={ssid="shop" psk="${s}"}`),
  sample('query', chars(ALNUM, 24), (s) => `GET https://shop.example/f?expires=1&sig=${s}`),
]

/** Like the passwords that people choose: alternating letters and digits, with a symbol. */
const password = () => `Hu${chars(ALNUM, 4)}x${chars(ALNUM, 4)}!q`

/** Recognised by the words, the tags or the command around them. */
const TOLD: SecretSample[] = [
  sample('a word as an argument', word(), (s) => `tool --password ${s} --verbose`),
  sample('a word in .netrc', word(), (s) => `machine shop.example\n  login ana\n  password ${s}`),
  sample('XML', password(), (s) => `<db><user>ana</user><password>${s}</password></db>`),
  sample('a typed constant', password(), (s) => `const dbPassword: string = "${s}"`),
  sample('a typed constant in Go', password(), (s) => `var password string = "${s}"`),
  sample('a property', password(), (s) => `props.setProperty("password", "${s}")`),
  sample('German', password(), (s) => `Passwort: ${s}`),
  sample('French', password(), (s) => `Mot de passe : ${s}`),
  sample('Spanish', password(), (s) => `Contraseña: ${s}`),
  sample('Portuguese', password(), (s) => `senha: ${s}`),
  sample('Russian', password(), (s) => `Пароль: ${s}`),
  sample('Chinese', password(), (s) => `密码：${s}，然后登录`),
  sample('a PIN', password(), (s) => `pin=${s}`),
  sample('a password in a sentence', password(), (s) => `the password is ${s}`),
  sample('a password for somebody', password(), (s) => `The password for ana is now ${s}.`),
  sample('a token in a sentence', password(), (s) => `use the token ${s} to log in`),
  sample('docker login', password(), (s) => `docker login -u ana -p ${s} shop.example`),
  sample('podman login', password(), (s) => `podman login -u ana -p '${s}'`),
  sample('az login', password(), (s) => `az login -u ana -p ${s}`),
  sample('redis-cli', password(), (s) => `redis-cli -h db -a ${s} ping`),
  sample('openssl', password(), (s) => `openssl enc -aes-256-cbc -pass pass:${s} -in a`),
  sample('sudo -S', password(), (s) => `echo ${s} | sudo -S ls`),
  sample('sudo -S, quoted', password(), (s) => `echo '${s}' | sudo -kS ls`),
  sample('sudo -S, here', password(), (s) => `sudo -S ls <<< '${s}'`),
  sample('--password-stdin', password(), (s) => `echo ${s} | docker login --password-stdin`),
  sample('chpasswd', password(), (s) => `echo 'ana:${s}' | sudo chpasswd`),
  sample('htpasswd', password(), (s) => `htpasswd -b users ana ${s}`),
  sample('htpasswd, printed', password(), (s) => `htpasswd -nbB -C 10 ana '${s}'`),
  sample('gh secret', password(), (s) => `gh secret set DEPLOY --body ${s}`),
  sample('HTTPie', password(), (s) => `https --auth ana:${s} GET shop.example`),
  sample('mongosh', password(), (s) => `mongosh -u ana -p ${s} shop`),
  sample('7z', password(), (s) => `7z x -p${s} a.7z`),
  sample('unzip', password(), (s) => `unzip -P ${s} a.zip`),
  sample('ssh-keygen', password(), (s) => `ssh-keygen -t ed25519 -N '${s}' -f key`),
  sample('ldapsearch', password(), (s) => `ldapsearch -D cn=ana -w ${s} -b dc=a`),
  sample('smbclient', password(), (s) => `smbclient //shop/a -U ana%${s}`),
  sample('net use', password(), (s) => `net use x: \\\\shop\\files ${s} /user:ana`),
  sample('expect', password(), (s) => `expect "assword:"; send "${s}\\r"`),
  sample('expect, in a comment', password(), (s) => `send "${s}\\r" # password`),
]

/** Known only because they have a line with their label to themselves. */
const LABELLED: SecretSample[] = [
  sample('AWS, in a table', chars(BASE64, 40), (s) => `Secret access key   ${s}`),
  sample('a word', word(), (s) => `Password: ${s}`),
  sample('a word, shouted', word(), (s) => `PASSWORD: ${s}`),
  sample('a word in YAML', word(), (s) => `db:\n  user: ana\n  password: ${s}`),
  sample('a word for somebody', word(), (s) => `[sudo] password for ana: ${s}`),
  sample(
    'a passphrase of SSH',
    password(),
    (s) => `Enter passphrase for key '/home/a/.ssh/k': ${s}`,
  ),
  sample('a phrase of words', [1, 2, 3, 4].map(() => word().slice(0, 9)).join(' '), (s) => {
    return `Recovery phrase: ${s}`
  }),
].map((labelled) => ({ ...labelled, isLine: true }))

const PEM = ['', 'RSA ', 'EC ', 'OPENSSH ', 'PGP '].map((kind): SecretSample => {
  const body = Array.from({ length: 6 }, () => chars(BASE64, 64))
  const block = kind === 'PGP ' ? ' BLOCK' : ''
  const frame = (edge: string) => `-----${edge} ${kind}PRIVATE KEY${block}-----`
  const text = [frame('BEGIN'), ...body, frame('END')].join('\n')
  return { kind: `${kind}private key`, text, secret: body[2] ?? '' }
})

export const SECRET_SAMPLES: readonly SecretSample[] = [
  ...[...SHAPED, ...PLACED, ...TOLD],
  ...[...LABELLED, ...PEM],
]

/** Those whose secret is somewhere in these bytes, raw or JSON-escaped. */
export function secretsIn(bytes: string, samples = SECRET_SAMPLES): string[] {
  return samples.filter(({ secret }) => bytes.includes(secret)).map(({ kind }) => kind)
}
