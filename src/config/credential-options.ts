/** Rows of the table of options: who may ask the API, agents and metrics, and the tokens that are made for them. */
import { bearerSecret, choice, group, int, text, textSecret, toggle, userPass, value } from './option-spec.ts';

/** Lifetime of a minted token in seconds (`--api-token-ttl`). */
const TOKEN_TTL_SECS = 3_600;

const NO_API = { reason: 'there is no API to guard' } as const;
const GUARDS_API = { needs: ['api', 'connect'], unmet: NO_API } as const;
const SIGNS_TOKENS = { needs: ['api', 'mint-token'], unmet: NO_API } as const;
const GUARDS_METRICS = {
  needs: ['metrics'],
  unmet: { reason: 'there is no metrics server to guard (the /metrics of --api asks for its key)' },
} as const;

export const CREDENTIALS = group('Credentials', {
  'api-key': value('KEY', bearerSecret, 'Accept this API key, or send it to --connect; set it in the environment.', {
    env: 'SERVICE_API_KEY',
    ...GUARDS_API,
  }),
  'api-key-file': value('FILE', text, 'Read the static API key from a file, unless --api-key gives one.', {
    toml: 'api.key_file',
    ...GUARDS_API,
  }),
  ca: value('FILE', text, 'Trust the CA of this PEM file too, for --connect over https.', {
    needs: ['connect'],
    of: 'any',
  }),
  'api-signing-key': value('KEY', textSecret, 'Verify tokens with this key; the first key also signs them.', {
    repeatable: true,
    env: 'SERVICE_API_SIGNING_KEY',
    ...SIGNS_TOKENS,
  }),
  'api-signing-key-file': value('FILE', text, 'Read one more signing key from a file; it comes first, so it signs.', {
    toml: 'api.signing_key_file',
    ...SIGNS_TOKENS,
  }),
  'api-token-ttl': value('SECS', int(1, 315_360_000), 'Expire minted tokens after this time.', {
    default: String(TOKEN_TTL_SECS),
    toml: 'api.token_ttl',
  }),
  'api-revoked-file': value('FILE', text, 'Refuse the token ids in this file, one per line; the file may change.', {
    toml: 'api.revoked_file',
    needs: ['api'],
    unmet: NO_API,
  }),
  'mint-token': toggle('Print a signed token and exit.', {
    needs: ['api-signing-key', 'api-signing-key-file', 'mcp-signing-key'],
    of: 'any',
    unmet: {
      reason: 'there is no signing key',
      remedy: 'give --api-signing-key-file, or --api-signing-key, or SERVICE_API_SIGNING_KEY in the environment',
    },
  }),
  'token-id': value('ID', { kind: 'token-id' }, 'Give the minted token this id instead of a random one.', {
    needs: ['mint-token'],
  }),
  'token-scope': value(
    'SCOPE',
    choice('full', 'metrics'),
    'Allow the minted token everything (full) or only the metrics.',
    { default: 'full', needs: ['mint-token'] },
  ),
  'mcp-signing-key': value('KEY', textSecret, 'Verify tokens for MCP with this key; the first key also signs them.', {
    repeatable: true,
    env: 'SERVICE_MCP_SIGNING_KEY',
    needs: ['mcp', 'mint-token'],
    unmet: { reason: 'there is no MCP to guard' },
  }),
  'metrics-auth': value('USER:PASS', userPass, 'Ask for these HTTP Basic credentials on the metrics server.', {
    env: 'CALLTAP_METRICS_AUTH',
    ...GUARDS_METRICS,
  }),
  'metrics-auth-file': value('FILE', text, 'Read these credentials from a file.', {
    toml: 'metrics.auth_file',
    ...GUARDS_METRICS,
  }),
});
