/* sip_answer.h - what the SIP servers over TLS among the peers share: the answer to a request, and the listener. */
#ifndef SIP_ANSWER_H
#define SIP_ANSWER_H
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Writes a 200 with the header lines that an answer repeats. */
static inline void answer(char *request, char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "SIP/2.0 200 OK\r\n");
  char *save = NULL;
  for (char *line = strtok_r(request, "\r\n", &save); line != NULL; line = strtok_r(NULL, "\r\n", &save)) {
    const char *tag = strncmp(line, "To:", 3) == 0 ? ";tag=peer" : "";
    if (strncmp(line, "Via:", 4) != 0 && strncmp(line, "From:", 5) != 0 && strncmp(line, "To:", 3) != 0 &&
        strncmp(line, "Call-ID:", 8) != 0 && strncmp(line, "CSeq:", 5) != 0)
      continue;
    if (n < size) n += (size_t)snprintf(out + n, size - n, "%s%s\r\n", line, tag);
  }
  if (n < size) snprintf(out + n, size - n, "Content-Length: 0\r\n\r\n");
}

/* Listens and prints "up"; -1 when the address cannot be had. */
static inline int listen_at(const char *host, const char *port) {
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  inet_pton(AF_INET, host, &at.sin_addr);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 16) != 0) return -1;
  puts("up");
  fflush(stdout);
  return listener;
}

#endif
