/* Talks SIP over TLS by Mbed TLS. */
#include "talk.h"
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>

static int put(void *tls, char *from, int n) { return mbedtls_ssl_write(tls, (unsigned char *)from, (size_t)n); }
static int get(void *tls, char *to, int n) { return mbedtls_ssl_read(tls, (unsigned char *)to, (size_t)n); }

int main(void) {
  static mbedtls_entropy_context entropy;
  static mbedtls_ctr_drbg_context random;
  static mbedtls_ssl_config config;
  static mbedtls_ssl_context tls;
  mbedtls_net_context net = {.fd = far_end()};
  mbedtls_entropy_init(&entropy);
  mbedtls_ctr_drbg_init(&random);
  mbedtls_ssl_config_init(&config);
  mbedtls_ssl_init(&tls);
  need(mbedtls_ctr_drbg_seed(&random, mbedtls_entropy_func, &entropy, NULL, 0) == 0, "random");
  mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_NONE);
  mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &random);
  need(mbedtls_ssl_setup(&tls, &config) == 0, "setup");
  mbedtls_ssl_set_bio(&tls, &net, mbedtls_net_send, mbedtls_net_recv, NULL);
  need(mbedtls_ssl_handshake(&tls) == 0, "handshake");
  talk(&tls, put, get);
}
