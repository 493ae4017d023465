// A TLS client and server in each of several coroutines, joined by memory. What would wait for the other end leaves its
// stack instead, in the middle of SSL_read, SSL_write or the handshake: the calls of a thread end in any order.
//
//   cc -O2 tls_fibers.c -lssl -lcrypto -lpthread -o tls_fibers
//   tls_fibers fibers|migrate|jump PAIRS MESSAGES      c.pem and k.pem are in the current folder
//
// fibers: on one thread. migrate: on two threads by turns, so that a call ends in another thread than it began in.
// jump: on the thread's own stack; a read that finds nothing is left by a jump out of the library's callback.
// Prints "done N": messages read at both ends, each of which is another text.
#include <openssl/ssl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 65536, PIPE = 1 << 18, TEXT = 400, MAX_PAIRS = 64 };

struct end {
  char in[PIPE]; // what the other end has sent
  int length;
  struct end *other;
  SSL *ssl;
  ucontext_t context;
  bool is_server, is_done;
  int pair, messages;
};

static struct end *ends;
static int number;
static __thread ucontext_t scheduler;
static ucontext_t *volatile back; // to the scheduler of the thread that runs now
static struct end *running;
static sigjmp_buf out;
static bool jumps;
static long heard;

static void yield(void) {
  struct end *e = running;
  swapcontext(&e->context, back);
}

static int take(BIO *bio, char *to, int length) {
  struct end *e = BIO_get_data(bio);
  while (e->length == 0) {
    if (jumps) siglongjmp(out, 1);
    yield();
  }
  int n = e->length < length ? e->length : length;
  memcpy(to, e->in, (size_t)n);
  memmove(e->in, e->in + n, (size_t)(e->length - n));
  e->length -= n;
  return n;
}

static int give(BIO *bio, const char *from, int length) {
  struct end *e = BIO_get_data(bio), *to = e->other;
  if (!jumps) yield();
  if (to->length + length > PIPE) abort();
  memcpy(to->in + to->length, from, (size_t)length);
  to->length += length;
  return length;
}

static long control(BIO *bio, int command, long number_, void *data) {
  (void)bio, (void)number_, (void)data;
  return command == BIO_CTRL_FLUSH;
}

static void write_text(char *text, const struct end *e, int k, bool by_server) {
  memset(text, '.', TEXT);
  int n = sprintf(text, "MESSAGE sip:%s-%d-%d@example.org SIP/2.0\r\n", by_server ? "server" : "client", e->pair, k);
  text[n] = '.';
}

static void say(struct end *e, int k) {
  char text[TEXT];
  write_text(text, e, k, e->is_server);
  if (SSL_write(e->ssl, text, TEXT) != TEXT) abort();
}

static void hear(struct end *e, int k) {
  char text[TEXT], wanted[TEXT];
  if (SSL_read(e->ssl, text, TEXT) != TEXT) abort();
  write_text(wanted, e, k, !e->is_server);
  if (memcmp(text, wanted, TEXT) != 0) abort();
  heard++;
}

static void live(int i) {
  struct end *e = &ends[i];
  if (SSL_do_handshake(e->ssl) != 1) abort();
  for (int k = 0; k < e->messages; k++) {
    if (!e->is_server) say(e, k);
    hear(e, k);
    if (e->is_server) say(e, k);
  }
  e->is_done = true;
  for (;;) yield();
}

// Lets each run until it waits. False when all are done.
static bool turn(void) {
  bool is_over = true;
  back = &scheduler;
  for (int i = 0; i < number; i++) {
    if (ends[i].is_done) continue;
    is_over = false;
    running = &ends[i];
    swapcontext(&scheduler, &ends[i].context);
  }
  return !is_over;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int whose;

static void *by_turns(void *me) {
  bool goes_on = true;
  while (goes_on) {
    pthread_mutex_lock(&lock);
    while (whose != (int)(long)me) pthread_cond_wait(&changed, &lock);
    goes_on = turn();
    whose = 1 - whose;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

// Each read is begun before there is anything to read, left, and begun again.
static void read_again(struct end *e, int k) {
  volatile bool was_left = false;
  if (sigsetjmp(out, 1) != 0) was_left = true;
  if (was_left) {
    say(e->other, k);
    was_left = false;
  }
  hear(e, k);
}

static void jump_out(void) {
  for (int i = 0; i < number; i += 2) {
    struct end *client = &ends[i], *server = &ends[i + 1];
    for (int k = 0; k < client->messages; k++) {
      read_again(server, k);
      read_again(client, k);
    }
  }
}

// Over memory without jumps: both ends say that they want more until they are done.
static int take_some(BIO *bio, char *to, int length) {
  struct end *e = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (jumps && SSL_is_init_finished(e->ssl) && e->length == 0) siglongjmp(out, 1);
  if (e->length == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  return take(bio, to, length);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const char *mode = argv[1];
  int pairs = atoi(argv[2]), messages = atoi(argv[3]);
  if (pairs < 1 || pairs > MAX_PAIRS || messages < 1) return 2;
  number = 2 * pairs;
  jumps = strcmp(mode, "jump") == 0;
  ends = calloc((size_t)number, sizeof *ends);
  SSL_CTX *server = SSL_CTX_new(TLS_server_method()), *client = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_num_tickets(server, 0);
  if (SSL_CTX_use_certificate_file(server, "c.pem", SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(server, "k.pem", SSL_FILETYPE_PEM) != 1)
    return 3;
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "memory");
  BIO_meth_set_read(method, jumps ? take_some : take);
  BIO_meth_set_write(method, give);
  BIO_meth_set_ctrl(method, control);
  // Next to each other, without a page in between.
  char *stacks = mmap(NULL, (size_t)number * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stacks == MAP_FAILED) return 3;
  for (int i = 0; i < number; i++) {
    struct end *e = &ends[i];
    e->is_server = i % 2 == 1;
    e->pair = i / 2;
    e->messages = messages;
    e->other = &ends[i ^ 1];
    e->ssl = SSL_new(e->is_server ? server : client);
    BIO *bio = BIO_new(method);
    BIO_set_data(bio, e);
    BIO_set_init(bio, 1);
    SSL_set_bio(e->ssl, bio, bio);
    if (e->is_server)
      SSL_set_accept_state(e->ssl);
    else
      SSL_set_connect_state(e->ssl);
    getcontext(&e->context);
    e->context.uc_stack.ss_sp = stacks + (size_t)i * STACK;
    e->context.uc_stack.ss_size = STACK;
    makecontext(&e->context, (void (*)(void))live, 1, i);
  }
  if (jumps) {
    for (int n = 0; n < 100; n++)
      for (int i = 0; i < number; i++) SSL_do_handshake(ends[i].ssl);
    jump_out();
  } else if (strcmp(mode, "migrate") == 0) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, by_turns, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  } else {
    while (turn()) {
    }
  }
  printf("done %ld\n", heard);
  return 0;
}
