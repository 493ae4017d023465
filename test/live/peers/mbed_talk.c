/* mbed_talk.c - a TLS server or client by Mbed TLS that says in every message which connection it is on, for tests.
 *
 *     mbed_talk server PORT                             prints "port PORT"; one connection after the other
 *     mbed_talk client PORT CONNECTIONS MESSAGES BYTES
 *
 * PORT 0: any that is free. Expects c.pem and k.pem in the current folder. The server answers each message of BYTES
 * with one of as many; the client says the number first, in four bytes. X-Port is the client's port, as in tls_talk.py.
 */
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 65536u

static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context random_source;
static mbedtls_ssl_config config;
static mbedtls_ssl_context ssl;
static mbedtls_x509_crt certificate;
static mbedtls_pk_context key;

static void need(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "mbed_talk: %s\n", what);
  exit(1);
}

static void set_up(int endpoint) {
  mbedtls_entropy_init(&entropy);
  mbedtls_ctr_drbg_init(&random_source);
  mbedtls_ssl_config_init(&config);
  mbedtls_x509_crt_init(&certificate);
  mbedtls_pk_init(&key);
  need(mbedtls_ctr_drbg_seed(&random_source, mbedtls_entropy_func, &entropy, NULL, 0) == 0, "seed");
  need(mbedtls_ssl_config_defaults(&config, endpoint, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) == 0,
       "defaults");
  mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &random_source);
  mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_NONE);
  if (endpoint == MBEDTLS_SSL_IS_CLIENT) return;
  need(mbedtls_x509_crt_parse_file(&certificate, "c.pem") == 0, "c.pem");
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
  need(mbedtls_pk_parse_keyfile(&key, "k.pem", NULL, mbedtls_ctr_drbg_random, &random_source) == 0, "k.pem");
#else
  need(mbedtls_pk_parse_keyfile(&key, "k.pem", NULL) == 0, "k.pem");
#endif
  need(mbedtls_ssl_conf_own_cert(&config, &certificate, &key) == 0, "certificate");
}

/* 0 when the other end has closed. */
static int read_whole(unsigned char *to, size_t n) {
  for (size_t done = 0; done < n;) {
    int r = mbedtls_ssl_read(&ssl, to + done, n - done);
    if (r <= 0) return 0;
    done += (size_t)r;
  }
  return 1;
}

static void write_whole(const unsigned char *from, size_t n) {
  for (size_t done = 0; done < n;) {
    int r = mbedtls_ssl_write(&ssl, from + done, n - done);
    need(r > 0, "write");
    done += (size_t)r;
  }
}

static void message(unsigned char *to, size_t n, unsigned port) {
  memset(to, '.', n);
  char head[128];
  int length = snprintf(head, sizeof head, "MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: %u;\r\n\r\n", port);
  need((size_t)length <= n, "BYTES");
  memcpy(to, head, (size_t)length);
}

static unsigned port_of(int fd, int of_peer) {
  struct sockaddr_in at;
  socklen_t length = sizeof at;
  need((of_peer ? getpeername : getsockname)(fd, (struct sockaddr *)&at, &length) == 0, "address");
  return ntohs(at.sin_port);
}

static void begin(mbedtls_net_context *net) {
  /* A message of two records would wait for the answer to the first of them. */
  int one = 1;
  need(setsockopt(net->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0, "TCP_NODELAY");
  mbedtls_ssl_init(&ssl);
  need(mbedtls_ssl_setup(&ssl, &config) == 0, "setup");
  mbedtls_ssl_set_bio(&ssl, net, mbedtls_net_send, mbedtls_net_recv, NULL);
  need(mbedtls_ssl_handshake(&ssl) == 0, "handshake");
}

static void end(mbedtls_net_context *net) {
  mbedtls_ssl_close_notify(&ssl);
  mbedtls_ssl_free(&ssl);
  mbedtls_net_free(net);
}

int main(int argc, char **argv) {
  static unsigned char in[MOST], out[MOST];
  mbedtls_net_context net, listener;
  mbedtls_net_init(&net);
  mbedtls_net_init(&listener);
  if (argc == 3 && strcmp(argv[1], "server") == 0) {
    set_up(MBEDTLS_SSL_IS_SERVER);
    need(mbedtls_net_bind(&listener, "127.0.0.1", argv[2], MBEDTLS_NET_PROTO_TCP) == 0, "bind");
    printf("port %u\n", port_of(listener.fd, 0));
    fflush(stdout);
    while (mbedtls_net_accept(&listener, &net, NULL, 0, NULL) == 0) {
      unsigned char size[4];
      begin(&net);
      need(read_whole(size, 4), "size");
      size_t n = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
      need(n <= MOST, "size");
      message(out, n, port_of(net.fd, 1));
      while (read_whole(in, n)) write_whole(out, n);
      end(&net);
    }
    return 1;
  }
  if (argc != 6 || strcmp(argv[1], "client") != 0) return 2;
  set_up(MBEDTLS_SSL_IS_CLIENT);
  size_t n = (size_t)atoi(argv[5]);
  need(n <= MOST, "BYTES");
  for (int i = atoi(argv[3]); i > 0; i--) {
    unsigned char size[4] = {(unsigned char)(n >> 24), (unsigned char)(n >> 16), (unsigned char)(n >> 8),
                             (unsigned char)n};
    need(mbedtls_net_connect(&net, "127.0.0.1", argv[2], MBEDTLS_NET_PROTO_TCP) == 0, "connect");
    begin(&net);
    write_whole(size, 4);
    message(out, n, port_of(net.fd, 0));
    for (int k = atoi(argv[4]); k > 0; k--) {
      write_whole(out, n);
      need(read_whole(in, n) && memcmp(in, out, n) == 0, "answer");
    }
    end(&net);
  }
  return 0;
}
