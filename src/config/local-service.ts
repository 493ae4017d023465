/**
 * Where the service of this host answers: as the configuration says that the packages install, else at the address that they
 * come with.
 */
import { isIP } from 'node:net';
import { endpointText } from '../core/ip.ts';
import type { Config } from './config.ts';
import { readToml } from './layers.ts';
import type { ListenAddress } from './option-value.ts';
import { readListFile } from './text-file.ts';

/** Of deploy/calltap.service and deploy/package/postinst. */
const CONFIG_FILE = '/etc/calltap.toml';
const KEY_FILE = '/etc/calltap/key';
const DEFAULT: ListenAddress = { host: '127.0.0.1', port: 8080 };

export type LocalService = {
  readonly url: string;
  /** Where the address was found, for a person. */
  readonly from: string;
  readonly keyFile: string;
};

/**
 * `own` is the configuration in force: --config names that of a service elsewhere. Throws ServiceError for a file that is there
 * and cannot be understood.
 */
export function localService(own: Pick<Config, 'api' | 'config'>, read = readConfigFile): LocalService {
  const text = own.api === null ? read(CONFIG_FILE) : null;
  const layer = text === null ? null : readToml(text, CONFIG_FILE);
  const listens = own.api ?? addressOf(layer?.get('api')?.[0]);
  const keyFile = layer?.get('api-key-file')?.[0];
  const from =
    own.api !== null ? (own.config ?? 'the configuration') : listens === null ? 'the default address' : CONFIG_FILE;
  const { host, port } = listens ?? DEFAULT;
  return {
    url: `http://${endpointText(reachable(host), port)}`,
    from,
    keyFile: typeof keyFile === 'string' ? keyFile : KEY_FILE,
  };
}

/** Returns null where the file is missing or this user may not read it. */
function readConfigFile(path: string): string | null {
  const file = readListFile(path);
  return file.ok ? file.value : null;
}

function addressOf(value: unknown): ListenAddress | null {
  const isAddress = typeof value === 'object' && value !== null && 'host' in value && 'port' in value;
  return isAddress ? { host: String(value.host), port: Number(value.port) } : null;
}

/** Whoever listens on all addresses listens on loopback too. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return isIP(host) === 6 && /^[0:]+$/.test(host) ? '::1' : host;
}
