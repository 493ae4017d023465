/**
 * The functions of TLS libraries that carry plaintext or say when a connection begins and ends.
 *
 * Prototypes by the libraries' own manuals: SSL_read(3), SSL_write(3), SSL_read_early_data(3), SSL_do_handshake(3),
 * gnutls_record_recv(3), wolfSSL_read, mbedtls_ssl_read. SSL_peek is not among them: what it shows is read again.
 */
import type { TlsSiteKind } from './native-tls.ts';

export type TlsLibrary = {
  readonly name: string;
  /** Function and what it does. */
  readonly functions: readonly (readonly [string, TlsSiteKind])[];
  /** Without these the library is not observable: plaintext in both directions. */
  readonly needed: readonly string[];
};

export const TLS_LIBRARIES: readonly TlsLibrary[] = [
  {
    name: 'OpenSSL',
    functions: [
      ['SSL_read', 'openssl-read'],
      ['SSL_read_ex', 'openssl-read-ex'],
      ['SSL_write', 'openssl-write'],
      ['SSL_write_ex', 'openssl-write-ex'],
      ['SSL_write_ex2', 'openssl-write-ex2'],
      // Calls of SSL_read_ex and SSL_write_ex lie inside, with the same buffer: the outer one counts.
      ['SSL_read_early_data', 'openssl-read-ex'],
      ['SSL_write_early_data', 'openssl-write-ex'],
      ['SSL_do_handshake', 'openssl-handshake'],
      ['SSL_accept', 'openssl-handshake'],
      ['SSL_connect', 'openssl-handshake'],
      ['SSL_new', 'openssl-new'],
      ['SSL_clear', 'openssl-reset'],
      ['SSL_free', 'openssl-free'],
    ],
    needed: ['SSL_read', 'SSL_write'],
  },
  {
    name: 'GnuTLS',
    functions: [
      ['gnutls_record_recv', 'gnutls-read'],
      ['gnutls_record_recv_seq', 'gnutls-read'],
      ['gnutls_record_send', 'gnutls-write'],
      ['gnutls_record_send2', 'gnutls-write'],
      ['gnutls_handshake', 'gnutls-handshake'],
      ['gnutls_init', 'gnutls-new-out'],
      ['gnutls_deinit', 'gnutls-free'],
    ],
    needed: ['gnutls_record_recv', 'gnutls_record_send'],
  },
  {
    name: 'wolfSSL',
    functions: [
      ['wolfSSL_read', 'wolfssl-read'],
      ['wolfSSL_recv', 'wolfssl-read'],
      ['wolfSSL_write', 'wolfssl-write'],
      ['wolfSSL_send', 'wolfssl-write'],
      ['wolfSSL_accept', 'wolfssl-handshake'],
      ['wolfSSL_connect', 'wolfssl-handshake'],
      ['wolfSSL_negotiate', 'wolfssl-handshake'],
      ['wolfSSL_new', 'wolfssl-new'],
      ['wolfSSL_free', 'wolfssl-free'],
    ],
    needed: ['wolfSSL_read', 'wolfSSL_write'],
  },
  {
    name: 'Mbed TLS',
    functions: [
      ['mbedtls_ssl_read', 'mbedtls-read'],
      ['mbedtls_ssl_write', 'mbedtls-write'],
      ['mbedtls_ssl_handshake', 'mbedtls-handshake'],
      ['mbedtls_ssl_init', 'mbedtls-reset'],
      ['mbedtls_ssl_session_reset', 'mbedtls-reset'],
      ['mbedtls_ssl_free', 'mbedtls-free'],
    ],
    needed: ['mbedtls_ssl_read', 'mbedtls_ssl_write'],
  },
];
