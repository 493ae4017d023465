/* nameless_mbedtls.h - the connections of nameless_talk by Mbed TLS. A thread has a random source and a configuration of its own. */
#ifndef NAMELESS_MBEDTLS_H
#define NAMELESS_MBEDTLS_H
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>

struct end {
  mbedtls_ssl_context ssl;
  mbedtls_net_context net;
};

static __thread mbedtls_entropy_context entropy;
static __thread mbedtls_ctr_drbg_context random_source;
static __thread mbedtls_ssl_config config;
static __thread mbedtls_x509_crt certificate;
static __thread mbedtls_pk_context key;
static __thread int is_thread_set_up;

static void set_up(int is_server) { (void)is_server; }

static void set_up_thread(int is_client) {
  if (is_thread_set_up) return;
  is_thread_set_up = 1;
  mbedtls_entropy_init(&entropy);
  mbedtls_ctr_drbg_init(&random_source);
  mbedtls_ssl_config_init(&config);
  mbedtls_x509_crt_init(&certificate);
  mbedtls_pk_init(&key);
  need(mbedtls_ctr_drbg_seed(&random_source, mbedtls_entropy_func, &entropy, NULL, 0) == 0, "seed");
  need(mbedtls_ssl_config_defaults(&config, is_client ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                   MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) == 0,
       "defaults");
  mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &random_source);
  mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_NONE);
  if (is_client) return;
  need(mbedtls_x509_crt_parse_file(&certificate, "c.pem") == 0, "c.pem");
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
  need(mbedtls_pk_parse_keyfile(&key, "k.pem", NULL, mbedtls_ctr_drbg_random, &random_source) == 0, "k.pem");
#else
  need(mbedtls_pk_parse_keyfile(&key, "k.pem", NULL) == 0, "k.pem");
#endif
  need(mbedtls_ssl_conf_own_cert(&config, &certificate, &key) == 0, "certificate");
}

static void begin(struct end *e, int fd, int is_client, int in_memory) {
  (void)in_memory;
  set_up_thread(is_client);
  e->net.fd = fd;
  mbedtls_ssl_init(&e->ssl);
  need(mbedtls_ssl_setup(&e->ssl, &config) == 0, "setup");
  mbedtls_ssl_set_bio(&e->ssl, &e->net, mbedtls_net_send, mbedtls_net_recv, NULL);
  need(mbedtls_ssl_handshake(&e->ssl) == 0, "handshake");
}

static void end(struct end *e) {
  mbedtls_ssl_free(&e->ssl);
  mbedtls_net_free(&e->net);
}

static int read_some(struct end *e, char *to, int n) {
  int r = mbedtls_ssl_read(&e->ssl, (unsigned char *)to, (size_t)n);
  return r > 0 ? r : 0;
}

/* A call takes one record at most. */
static void write_whole_to(struct end *e, const char *from, int n) {
  for (int done = 0; done < n;) {
    int r = mbedtls_ssl_write(&e->ssl, (const unsigned char *)from + done, (size_t)(n - done));
    need(r > 0, "write");
    done += r;
  }
}

#endif
