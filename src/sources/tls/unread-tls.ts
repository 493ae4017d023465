/** TLS that no probe can read: how it is known, what it is called, and what to do about it. */

export const BY_HEP = 'mirror its SIP by HEP (siptrace, sipdump, homer.conf)';

const STRIPPED = 'stripped: its functions have no names; install its debug symbols, or give --uprobe-offsets';
const UNREAD = `calltap does not read this library; ${BY_HEP}`;

export type UnreadTls = { readonly mark: string; readonly library: string; readonly note: string };

/** What a process whose TLS is not known may be. */
export const UNKNOWN = {
  library: 'TLS',
  note: `calltap does not know its TLS library, or it passes on what others encrypt; ${BY_HEP}`,
};
export const ONLY_64_BIT = `calltap reads 64-bit programs only; ${BY_HEP}`;
export const BY_BIO = `it reads by BIO_f_ssl, whose calls no probe sees; ${BY_HEP}`;
/** What the answer of a library depends on that can be observed. */
export const BESIDE_ANOTHER = 'where it uses this library: it brings another TLS too';
export const LOADED_LATER = 'where it uses this library: it loaded it as it ran';

/** Every program of Go has it. */
export const GO: UnreadTls = {
  mark: '\xff Go buildinf:',
  library: 'Go',
  note: `it has no crypto/tls: TLS of another package is not seen; ${BY_HEP}`,
};

/** By text that only this TLS leaves in a file; who builds on another one comes before that. */
export const KINDS: readonly UnreadTls[] = [
  { mark: '/rustls-', library: 'rustls', note: `it has no symbols; ${BY_HEP}` },
  { mark: 's2n_connection', library: 's2n', note: UNREAD },
  { mark: 'BoringSSL', library: 'BoringSSL', note: STRIPPED },
  { mark: 'OpenSSL 1.1.', library: 'OpenSSL 1.1', note: STRIPPED },
  { mark: 'OpenSSL 3.', library: 'OpenSSL 3', note: STRIPPED },
  { mark: 'wolfSSL_CTX', library: 'wolfSSL', note: STRIPPED },
  { mark: 'mbedtls_ssl_', library: 'Mbed TLS', note: STRIPPED },
  { mark: 'N5Botan3TLS', library: 'Botan', note: UNREAD },
  // Where the version is left out, the sources that errors name.
  { mark: 'ssl/ssl_lib.c', library: 'OpenSSL', note: STRIPPED },
];

type ByFile = readonly [path: RegExp, library: string, note: string];

/** Every process that maps it is taken for one that may speak TLS. */
export const JAVA: ByFile = [/\/libjvm\.so$/, 'Java', `its TLS is not machine code with a name; ${BY_HEP}`];

/** By a file that a process maps which moves TLS records; others map such files without. */
export const BY_FILE: readonly ByFile[] = [
  JAVA,
  [/\/beam(\.smp)?$/, 'Erlang', `its TLS is written in Erlang; ${BY_HEP}`],
  // Its part for TLS: others map libnss3.so for certificates alone.
  [/\/libssl3\.so(\.|$)/, 'NSS', UNREAD],
  [/\/libbearssl\.so(\.|$)/, 'BearSSL', UNREAD],
  [/\/libSystem\.Security\.Cryptography\.Native\.\w+\.so$/, '.NET', `calltap does not see its library; ${BY_HEP}`],
];
