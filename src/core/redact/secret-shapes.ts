/**
 * Secrets that are known by how they look, wherever they stand. All of them are bounded, so that no text,
 * however hostile, takes more than a few looks at each of its characters.
 */
const SHAPES: readonly RegExp[] = [
  // Models: the prefix alone tells; a bare `sk-` also begins the names of style classes.
  /sk-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{12,}/,
  /sk-(?=[\w-]{0,200}[A-Za-z0-9]{12})(?=[\w-]{0,200}\d)[\w-]{20,}/,
  /AIza[\w-]{30,}/,
  /(?:gsk|hf|r8|pplx|fw)[_-](?=\w{0,80}\d)[A-Za-z0-9]{24,}/,
  /xai-[A-Za-z0-9]{40,}/,
  // Clouds.
  /(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  /ya29\.[\w-]{20,}/,
  /GOCSPX-[\w-]{20,}/,
  /1\/\/0[\w-]{30,}/,
  /do[opr]_v1_[a-f0-9]{40,}/,
  /hv[sbr]\.[\w-]{20,}/,
  /dapi[a-f0-9]{32}/,
  /dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,}/,
  /sbp_[a-f0-9]{40}/,
  /HRKU-[\w-]{30,}/,
  /pscale_(?:tkn|pw|oauth)_[\w-]{20,}/,
  /fm[12]_[A-Za-z0-9+/=_-]{60,}/,
  // Forges and registries.
  /gh[pousr]_[A-Za-z0-9_]{20,}/,
  /github_pat_\w{20,}/,
  /gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent)-[\w-]{20,}/,
  /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/,
  /pypi-[\w-]{50,}/,
  /rubygems_[a-f0-9]{48}/,
  /dckr_[po]at_[\w-]{20,}/,
  /AT(?:ATT|CTT)3[\w=-]{20,}/,
  // Messengers and payment.
  /xox[a-z](?:\.xox[a-z])?-[\w-]{10,}/,
  /xapp-\d-[\w-]{10,}/,
  /hooks\.slack\.com\/(?:services|workflows)\/[\w/]{20,}/,
  /discord(?:app)?\.com\/api\/webhooks\/\d{5,}\/[\w-]{20,}/,
  /(?:[MN][TDjz]|O[TD])(?=[\w-]{0,30}\d)[\w-]{21,28}\.[\w-]{6}\.(?=[\w-]{0,40}\d)[\w-]{27,40}(?![\w-]|\.\w)/,
  /\d{8,10}:AA[\w-]{33}(?![\w-])/,
  /[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /whsec_[A-Za-z0-9+/=]{20,}/,
  /SG\.[\w-]{16,}\.[\w-]{16,}/,
  /SK[a-f0-9]{32}(?![A-Za-z0-9])/,
  /lin_(?:api|oauth)_[A-Za-z0-9]{20,}/,
  /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/,
  /sq0(?:atp|csp)-[\w-]{20,}/,
  // Tools.
  /sntry[su]_[\w+/=-]{30,}/,
  /gl(?:sa|c)_[\w+/=-]{30,}/,
  /NRAK-[A-Z0-9]{20,}/,
  /PMAK-[\w-]{40,}/,
  /figd_[\w-]{30,}/,
  /ntn_[A-Za-z0-9]{40,}/,
  // Signed tokens, keys, and our own.
  /eyJ[\w-]{10,}(?:\.[\w-]{10,}){2}(?:\.[\w-]{1,2000}){0,2}/,
  /AGE-SECRET-KEY-1[A-Z0-9]{20,}/,
  /tbr_[\w-]{20,}/,
]

/**
 * A secret that fills its line may go on in the next one, since terminal programs wrap by themselves. What
 * begins that line, a frame aside, belongs to it if it has letters and digits and no word's length.
 */
const NEXT_LINE =
  /[ \t]*[│┃║|]?[ \t]*\n[ \t]*[│┃║|>]?[ \t]{0,16}(?=[\w+/-]{0,80}\d)(?=[\w+/-]{0,80}[A-Za-z])[\w+/=-]{12,}(?![\w.(:/@])/

export const SECRET_SHAPES = new RegExp(
  `(?<![A-Za-z0-9])(?:${SHAPES.map(({ source }) => source).join('|')})(?:${NEXT_LINE.source}){0,20}`,
  'g',
)
