/** The credentials that the configuration names, with the files that it names read, and a token from them. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { isUserPass, oneLine } from '../../config/option-value.ts';
import { readKey, readSecret } from '../../config/text-file.ts';
import { failure } from '../../core/errors.ts';
import type { ApiCredentials } from './api-credentials.ts';
import { createApiCredentials } from './api-credentials.ts';
import type { BasicCredentials } from './authorization.ts';
import { createBasicCredentials } from './authorization.ts';
import { createRevocationList } from './revocation.ts';
import type { TokenAudience } from './token.ts';
import { mintToken, signingKey } from './token.ts';

type SigningOptions = Pick<Config, 'apiSigningKey' | 'apiSigningKeyFile'>;
type RevokedOption = Pick<Config, 'apiRevokedFile'>;
type ApiOptions = SigningOptions & RevokedOption & Pick<Config, 'apiKey' | 'apiKeyFile'>;
type McpOptions = RevokedOption & Pick<Config, 'mcpSigningKey'>;
type MetricsOptions = Pick<Config, 'metricsAuth' | 'metricsAuthFile'>;

/** All signing keys of the API; the first mints. The key of the file goes first, so that it is the minting key. */
export function readSigningKeys(config: SigningOptions): readonly string[] {
  const { apiSigningKey: keys, apiSigningKeyFile: file } = config;
  return file === null ? keys : [readSecret('--api-signing-key-file', file, 'the key'), ...keys];
}

/** The credentials of the API, or null when none are configured. `warn` gets one line when a file goes away later. */
export function readApiCredentials(config: ApiOptions, warn: (line: string) => void): ApiCredentials | null {
  const apiKey = config.apiKey ?? readApiKey(config.apiKeyFile);
  return createApiCredentials({ apiKey, signingKeys: readSigningKeys(config), isRevoked: revocations(config, warn) });
}

/** Those of the agent protocol, likewise: tokens for it alone, never the key of the API. */
export function readMcpCredentials(config: McpOptions, warn: (line: string) => void): ApiCredentials | null {
  const { mcpSigningKey: signingKeys } = config;
  return createApiCredentials({ apiKey: null, signingKeys, audience: 'mcp', isRevoked: revocations(config, warn) });
}

function revocations({ apiRevokedFile: file }: RevokedOption, warn: (line: string) => void): (id: string) => boolean {
  if (file === null) return () => false;
  const option = `--api-revoked-file ${oneLine(file)}`;
  const list = createRevocationList(file, { warn: (reason) => warn(`${option}: ${reason}`) });
  if (!list.ok) throw failure('REVOKED_FILE_INVALID', { path: oneLine(file), reason: list.reason });
  return (id) => list.value.has(id);
}

/** The credentials of the standalone metrics server, or null when none are configured. */
export function readMetricsCredentials({ metricsAuth, metricsAuthFile }: MetricsOptions): BasicCredentials | null {
  if (metricsAuthFile === null) return metricsAuth === null ? null : createBasicCredentials(metricsAuth);
  const userPass = readSecret('--metrics-auth-file', metricsAuthFile, 'user:password');
  if (!isUserPass(userPass)) {
    throw failure('METRICS_AUTH_INVALID', { path: oneLine(metricsAuthFile) });
  }
  return createBasicCredentials(userPass);
}

/** The key of a file; null without one. */
export function readApiKey(path: string | null): string | null {
  return path === null ? null : readKey('--api-key-file', path);
}

/** Prints the token alone on standard output; its id, by which it can be revoked, goes to standard error. */
export function runMintToken(config: Config): number {
  const [mcpKey] = config.mcpSigningKey;
  const audience: TokenAudience = mcpKey === undefined ? 'api' : 'mcp';
  const secret = mcpKey ?? readSigningKeys(config)[0];
  // The configuration refuses --mint-token without a key before it gets here.
  if (secret === undefined) throw new Error('--mint-token without a signing key');
  const id = config.tokenId ?? randomUUID();
  const expSecs = Math.floor(Date.now() / 1000) + config.apiTokenTtl;
  const token = mintToken({ id, expSecs, audience, scope: config.tokenScope }, signingKey(secret));
  const ends = new Date(expSecs * 1000).toISOString();
  process.stderr.write(`token ${id}: audience ${audience}, scope ${config.tokenScope}, valid until ${ends}\n`);
  process.stdout.write(`${token}\n`);
  return 0;
}
