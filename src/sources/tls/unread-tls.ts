/** TLS that no probe can read: how it is known, what it is called, and what to do about it. */

export const BY_HEP = 'mirror its SIP by HEP (siptrace, sipdump, homer.conf)';

const STRIPPED = 'stripped: its functions have no names; install its debug symbols, or give --uprobe-offset';

/** What a process whose TLS is not known may be. */
export const UNKNOWN = `calltap does not know its TLS library, or it passes on what others encrypt; ${BY_HEP}`;
export const ONLY_64_BIT = `calltap reads 64-bit programs only; ${BY_HEP}`;

/** By text that TLS code leaves in a program. */
export const MARKS: readonly (readonly [mark: string, library: string, note: string])[] = [
  ['\xff Go buildinf:', 'Go', `it has no crypto/tls: TLS of another package is not seen; ${BY_HEP}`],
  ['/rustls-', 'rustls', `it has no symbols; ${BY_HEP}`],
  ['BoringSSL', 'BoringSSL', STRIPPED],
  ['OpenSSL 1.1.', 'OpenSSL 1.1', STRIPPED],
  ['OpenSSL 3.', 'OpenSSL 3', STRIPPED],
  ['wolfSSL_CTX', 'wolfSSL', STRIPPED],
  // Where the version is left out, the sources that errors name.
  ['ssl/ssl_lib.c', 'OpenSSL', STRIPPED],
];

type ByFile = readonly [path: RegExp, library: string, note: string];

/** Every process that maps it is taken for one that may speak TLS. */
export const JAVA: ByFile = [/\/libjvm\.so$/, 'Java', `its TLS is not machine code with a name; ${BY_HEP}`];

/** By a file that a process maps which moves TLS records; others map such files without. */
export const BY_FILE: readonly ByFile[] = [
  JAVA,
  [/\/beam(\.smp)?$/, 'Erlang', `its TLS is written in Erlang; ${BY_HEP}`],
  [/\/libnss3\.so(\.|$)/, 'NSS', `calltap does not read this library; ${BY_HEP}`],
  [/\/libs2n\.so(\.|$)/, 's2n', `calltap does not read this library; ${BY_HEP}`],
  [/\/libSystem\.Security\.Cryptography\.Native\.\w+\.so$/, '.NET', `calltap does not see its library; ${BY_HEP}`],
];
