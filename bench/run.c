/* SPDX-License-Identifier: Apache-2.0
 * run.c - runs one command and prints what it cost, as one line of JSON on stdout (wait4(2), getrusage(2)).
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/run.c -o bench/out/run
 *   run STDOUT STDERR LIMIT_SEC CORES COMMAND...     CORES 1 pins to the last core, 0 leaves it free
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child, late;

static void on_alarm(int sig) {
  (void)sig;
  late = 1;
  if (child > 0) kill(-(pid_t)child, SIGKILL); /* the command and all it started */
}

static void to_file(int fd, const char *path) {
  int f = open(path, fd == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (f < 0 || dup2(f, fd) < 0) _exit(126);
  close(f);
}

static void pin_to_last_core(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) _exit(126);
  int last = -1;
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(i, &set)) last = i;
  }
  CPU_ZERO(&set);
  CPU_SET(last, &set);
  if (last < 0 || sched_setaffinity(0, sizeof(set), &set) != 0) _exit(126);
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

int main(int argc, char **argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: run STDOUT STDERR LIMIT_SEC CORES COMMAND...\n");
    return 2;
  }
  struct sigaction sa = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &sa, NULL);
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    to_file(STDIN_FILENO, "/dev/null");
    to_file(STDOUT_FILENO, argv[1]);
    to_file(STDERR_FILENO, argv[2]);
    if (strcmp(argv[4], "1") == 0) pin_to_last_core();
    execvp(argv[5], argv + 5);
    _exit(127);
  }
  if (pid < 0) {
    fprintf(stderr, "run: fork: %s\n", strerror(errno));
    return 1;
  }
  setpgid(pid, pid);
  child = pid;
  struct itimerval limit = {.it_value = {.tv_sec = strtol(argv[3], NULL, 10)}};
  setitimer(ITIMER_REAL, &limit, NULL);
  int status;
  struct rusage r;
  while (wait4(pid, &status, 0, &r) < 0 && errno == EINTR) continue;
  clock_gettime(CLOCK_MONOTONIC, &b);
  double wall = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
  printf("{\"wallSec\": %.6f, \"userSec\": %.6f, \"sysSec\": %.6f, \"peakRssKib\": %ld, \"exitCode\": %d, "
         "\"signal\": %d, \"overLimit\": %s}\n",
         wall, seconds(r.ru_utime), seconds(r.ru_stime), r.ru_maxrss,
         WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
         late ? "true" : "false");
  return 0;
}
