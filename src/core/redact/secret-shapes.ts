/**
 * Secrets recognisable by their shape, wherever they stand. All patterns are bounded, so that even hostile text
 * takes only a few looks at each of its characters.
 */
const SHAPES: readonly RegExp[] = [
  // Models: the prefix alone is enough; a bare `sk-` also begins the names of style classes.
  /sk-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{12,}/,
  /sk-(?=[\w-]{0,200}[A-Za-z0-9]{12})(?=[\w-]{0,200}\d)[\w-]{20,}/,
  /AIza[\w-]{30,}/,
  /(?:gsk|hf|r8|pplx|fw)[_-](?=\w{0,80}\d)[A-Za-z0-9]{24,}/,
  /xai-[A-Za-z0-9]{40,}/,
  // Clouds.
  /(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  /LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])/,
  /AKID(?=\w{0,40}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])/,
  /ya29\.[\w-]{20,}/,
  /GOCSPX-[\w-]{20,}/,
  /1\/\/0[\w-]{30,}/,
  /[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/,
  /do[opr]_v1_[a-f0-9]{40,}/,
  /hv[sbr]\.[\w-]{20,}/,
  /s\.(?=[A-Za-z]{0,23}\d[A-Za-z]{0,22}\d)(?=[a-z0-9]{0,23}[A-Z])(?=[A-Z0-9]{0,23}[a-z])[A-Za-z0-9]{24}(?![\w.(])/,
  /dapi[a-f0-9]{32}/,
  /dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,}/,
  /sbp_[a-f0-9]{40}/,
  /sb_secret_[\w-]{20,}/,
  /cf(?:ut|at|k)_[A-Za-z0-9]{40,}/,
  /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,200}/,
  /HRKU-[\w-]{30,}/,
  /pscale_(?:tkn|pw|oauth)_[\w-]{20,}/,
  /fm[12]_[A-Za-z0-9+/=_-]{60,}/,
  /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/,
  /pul-[a-f0-9]{40}(?![A-Za-z0-9])/,
  /nfp_[A-Za-z0-9]{36,}/,
  /vc[pkiar]_(?=\w{0,80}\d)[A-Za-z0-9]{24,}/,
  /tskey-[a-z]{2,12}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}/,
  // Forges and registries.
  /gh[pousr]_[A-Za-z0-9_]{20,}/,
  /github_pat_\w{20,}/,
  /gl(?:pat|dt|rt|rtr|ptt|cbt|soat|ft|imt|agent|oas|ffct)-[\w-]{20,}/,
  /GR1348941[\w-]{20,}/,
  /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/,
  /pypi-[\w-]{50,}/,
  /rubygems_[a-f0-9]{48}/,
  /cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])/,
  /dckr_[po]at_[\w-]{20,}/,
  /AT(?:ATT|CTT)3[\w=-]{20,}/,
  /ATBB[A-Za-z0-9]{28,32}(?![A-Za-z0-9])/,
  /AKCp[A-Za-z0-9]{50,}/,
  /CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[a-f0-9]{40}/,
  /bk(?:ua|ct|at)_[a-f0-9]{40}/,
  /sq[uap]_[a-f0-9]{40}/,
  // Messengers, mail and payment.
  /xox[a-z](?:\.xox[a-z])?-[\w-]{10,}/,
  /xapp-\d-[\w-]{10,}/,
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/]{20,}/,
  /discord(?:app)?\.com\/api\/webhooks\/\d{5,}\/[\w-]{20,}/,
  /hooks\.zapier\.com\/hooks\/catch\/\d{3,}\/\w{5,}/,
  /webhook\.office\.com\/webhookb2\/[\w@/-]{60,}/,
  /(?:[MN][TDjz]|O[TD])(?=[\w-]{0,30}\d)[\w-]{21,28}\.[\w-]{6}\.(?=[\w-]{0,40}\d)[\w-]{27,40}(?![\w-]|\.\w)/,
  /\d{8,10}:AA[\w-]{33}(?![\w-])/,
  /oauth:[a-z0-9]{30}(?![\w-])/,
  /[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /whsec_[A-Za-z0-9+/=]{20,}/,
  /SG\.[\w-]{16,}\.[\w-]{16,}/,
  /SK[a-f0-9]{32}(?![A-Za-z0-9])/,
  /key-[a-f0-9]{32}(?![\w-])/,
  /[a-f0-9]{32}-(?:us\d{1,2}|[a-f0-9]{8}-[a-f0-9]{8})(?![\w-])/,
  /xkeysib-[a-f0-9]{64}-\w{16}/,
  /lin_(?:api|oauth)_[A-Za-z0-9]{20,}/,
  /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/,
  /sq0(?:atp|csp|idp)-[\w-]{20,}/,
  /EAAA(?=[\w-]{0,80}\d)[\w-]{56,}/,
  // Tools.
  /sntry[su]_[\w+/=-]{30,}/,
  /gl(?:sa|c)_[\w+/=-]{30,}/,
  /NR(?:AK|II|SP|JS|BR)-[\w-]{18,}/,
  /[a-f0-9]{36}NRAL(?![A-Za-z0-9])/,
  /ddapp_(?=\w{0,60}\d)[A-Za-z0-9]{30,}/,
  /PMAK-[\w-]{40,}/,
  /figd_[\w-]{30,}/,
  /ntn_[A-Za-z0-9]{40,}/,
  /secret_(?=\w{0,60}\d)[A-Za-z0-9]{43}(?![A-Za-z0-9])/,
  /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/,
  /pat-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/,
  /sk\.eyJ[\w-]{20,}\.[\w-]{16,}/,
  /ops_eyJ[\w-]{40,}/,
  // Signed tokens, keys, the hashes of passwords, and our own.
  /eyJ[\w-]{10,}(?:\.[\w-]{10,}){2}(?:\.[\w-]{1,2000}){0,2}/,
  /AGE-SECRET-KEY-1[A-Z0-9]{20,}/,
  /\$(?:2[abxy]|[156y]|argon2(?:id|i|d))\$[\w./$,=+-]{28,}/,
  /tbr_[\w-]{20,}/,
]

/**
 * A secret that fills its line may continue in the next one, since terminal programs wrap text themselves. The
 * start of that line, without its frame, belongs to the secret if it has letters and digits and is longer than
 * a word.
 */
const NEXT_LINE =
  /[ \t]*[│┃║|]?[ \t]*\n[ \t]*[│┃║|>]?[ \t]{0,16}(?=[\w+/-]{0,80}\d)(?=[\w+/-]{0,80}[A-Za-z])[\w+/=-]{12,}(?![\w.(:/@])/

/**
 * What is left of such a secret where a text was cut: its prefix tells, and the ellipsis behind it. Whoever
 * cuts a text says so with one (`core/text.ts`).
 */
const CUT =
  /(?:sk-|sk_|rk_|AIza|AKIA|ASIA|ya29\.|GOCSPX-|hvs\.|dapi|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|npm_|pypi-|dckr_|xox[a-z]-|xapp-|whsec_|SG\.|lin_|shp[a-z]{2}_|sq0|sntry|eyJ|AGE-SECRET-|hf_|tbr_)(?=[\w+/=.-]{0,200}\d)[\w+/=.-]{8,2000}…/

/** No secret is shorter, and most words are: they are passed over at once. */
export const LONG_WORD = /[\w$+/=.~:@-]{11}/

export const SECRET_SHAPES = new RegExp(
  `(?<![A-Za-z0-9])(?=${LONG_WORD.source})(?:${CUT.source}|(?:${SHAPES.map(({ source }) => source).join('|')})(?:${NEXT_LINE.source}){0,20})`,
  'g',
)
