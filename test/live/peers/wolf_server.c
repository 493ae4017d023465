/* wolf_server.c - a SIP server over TLS by wolfSSL, for tests: answers every request with 200.
 *
 *     wolf_server HOST PORT      prints "up"; expects c.pem and k.pem in the current folder
 */
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Copies the header lines that an answer repeats. */
static void answer(char *request, char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "SIP/2.0 200 OK\r\n");
  char *save = NULL;
  for (char *line = strtok_r(request, "\r\n", &save); line != NULL; line = strtok_r(NULL, "\r\n", &save)) {
    const char *tag = strncmp(line, "To:", 3) == 0 ? ";tag=wolf" : "";
    if (strncmp(line, "Via:", 4) != 0 && strncmp(line, "From:", 5) != 0 && strncmp(line, "To:", 3) != 0 &&
        strncmp(line, "Call-ID:", 8) != 0 && strncmp(line, "CSeq:", 5) != 0)
      continue;
    if (n < size) n += (size_t)snprintf(out + n, size - n, "%s%s\r\n", line, tag);
  }
  if (n < size) snprintf(out + n, size - n, "Content-Length: 0\r\n\r\n");
}

static void serve(WOLFSSL *ssl) {
  char in[8192], out[8192];
  for (;;) {
    int n = wolfSSL_read(ssl, in, sizeof in - 1);
    if (n <= 0) return;
    in[n] = '\0';
    answer(in, out, sizeof out);
    if (wolfSSL_write(ssl, out, (int)strlen(out)) <= 0) return;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  wolfSSL_Init();
  WOLFSSL_CTX *ctx = wolfSSL_CTX_new(wolfTLS_server_method());
  if (ctx == NULL || wolfSSL_CTX_use_certificate_file(ctx, "c.pem", WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS ||
      wolfSSL_CTX_use_PrivateKey_file(ctx, "k.pem", WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS)
    return 1;
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
  inet_pton(AF_INET, argv[1], &at.sin_addr);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 16) != 0) return 1;
  puts("up");
  fflush(stdout);
  for (;;) {
    int s = accept(listener, NULL, NULL);
    if (s < 0) return 1;
    WOLFSSL *ssl = wolfSSL_new(ctx);
    wolfSSL_set_fd(ssl, s);
    if (wolfSSL_accept(ssl) == WOLFSSL_SUCCESS) serve(ssl);
    wolfSSL_free(ssl);
    close(s);
  }
}
