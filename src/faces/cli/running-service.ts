/**
 * Finds the running service that --connect means, and the key that may go there, and opens it.
 */
import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { localService } from '../../config/local-service.ts';
import { oneLine } from '../../config/option-value.ts';
import { readCertificate } from '../../config/text-file.ts';
import { failure, ServiceError } from '../../core/errors.ts';
import type { RemotePort } from '../../explore/remote/remote-port.ts';
import { openRemote } from '../../explore/remote/remote-port.ts';
import { connectionFailure } from '../../net/failures.ts';
import { isThisHost, readPlace } from '../../net/target.ts';
import { readApiKey } from '../../serve/auth/configured.ts';

/** `source`: the address, and where it was found. Throws ServiceError where it cannot be reached. */
export async function openService(config: Config): Promise<{ readonly port: RemotePort; readonly source: string }> {
  const local = config.connect === 'local' ? localService(config) : null;
  const written = local?.url ?? config.connect ?? '';
  const place = readPlace(written);
  if ('reason' in place) throw failure('CONNECT_INVALID', { url: oneLine(written), reason: place.reason });
  const given = config.apiKey ?? readApiKey(config.apiKeyFile);
  const keyFile = given === null && (await isThisHost(place.host)) ? (local ?? localService(config)).keyFile : null;
  const key = given ?? (keyFile === null ? null : localKey(keyFile));
  const keyHint =
    key === null && keyFile !== null && existsSync(keyFile)
      ? `run it as root or in the group calltap, who may read ${oneLine(keyFile)}, or set SERVICE_API_KEY`
      : `${key === null ? 'set' : 'give its key in'} SERVICE_API_KEY, or name a file with --api-key-file`;
  const target = {
    ...place,
    key: key === null ? null : { text: key, isLocal: given === null },
    keyHint,
    ca: config.ca === null ? null : readCertificate('--ca', config.ca),
  };
  const source = local === null ? place.url : `${place.url} (${local.from})`;
  try {
    return { port: await openRemote(target, config.utc), source };
  } catch (error) {
    const { message: reason, remedy } = connectionFailure(error);
    throw failure('CONNECT_FAILED', { option: '--connect', url: source, reason, remedy });
  }
}

/** Returns null where the file is missing or this user may not read it. */
function localKey(path: string): string | null {
  try {
    return readApiKey(path);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
