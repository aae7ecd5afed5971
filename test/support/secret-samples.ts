/** A text as it may stand in a command, a file or a message, and the part of it that nobody may read later. */
export type SecretSample = { kind: string; text: string; secret: string }

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

const sample = (kind: string, secret: string, around = (text: string) => text): SecretSample => ({
  kind,
  secret,
  text: around(secret),
})

/** Known by what they look like, wherever they stand. */
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
  sample('age', `AGE-SECRET-KEY-1${chars(UPPER + DIGITS, 58)}`),
]

/** Known by their name or by where they stand. */
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
  sample('query', chars(ALNUM, 24), (s) => `GET https://shop.example/f?expires=1&sig=${s}`),
]

/** As people make them: letters and digits in turns, with a sign. */
const password = () => `Hu${chars(ALNUM, 4)}x${chars(ALNUM, 4)}!q`

/** Known by the words, the tags or the command around them. */
const TOLD: SecretSample[] = [
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
  sample('net use', password(), (s) => `net use x: \\\\shop\\files ${s} /user:ana`),
  sample('expect', password(), (s) => `expect "assword:"; send "${s}\\r"`),
  sample('expect, in a comment', password(), (s) => `send "${s}\\r" # password`),
]

const PEM = ['', 'RSA ', 'OPENSSH '].map((kind): SecretSample => {
  const body = Array.from({ length: 6 }, () => chars(BASE64, 64))
  const frame = (edge: string) => `-----${edge} ${kind}PRIVATE KEY-----`
  const text = [frame('BEGIN'), ...body, frame('END')].join('\n')
  return { kind: `${kind}private key`, text, secret: body[2] ?? '' }
})

export const SECRET_SAMPLES: readonly SecretSample[] = [...SHAPED, ...PLACED, ...TOLD, ...PEM]

/** Those whose secret is somewhere in these bytes, as it is or as JSON escapes it. */
export function secretsIn(bytes: string, samples = SECRET_SAMPLES): string[] {
  return samples.filter(({ secret }) => bytes.includes(secret)).map(({ kind }) => kind)
}
