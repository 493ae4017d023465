/**
 * Mints one token (`--mint-token`): signs it with the first key and prints it; nothing is captured or served.
 */
import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { readSigningKeys } from './configured.ts';
import type { TokenAudience } from './token.ts';
import { mintToken, signingKey } from './token.ts';

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
