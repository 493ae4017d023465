/* fibers.h - a fiber has a stack of its own and leaves the processor wherever it likes: by swapcontext, or by a few
 * instructions of our own as coroutine libraries have them (-DHAND_MADE).
 */
#ifndef CANARY_FIBERS_H
#define CANARY_FIBERS_H
#include "canary.h"
#include <ucontext.h>

struct fiber {
#ifdef HAND_MADE
  void *own, *back; /* stack pointers */
#else
  ucontext_t own, back;
#endif
  void (*run)(void *);
  void *argument;
  volatile bool is_over;
};

#ifdef HAND_MADE
/* Keeps what a called function has to keep, stores the stack pointer in *from, and goes on where `to` was stored. */
void fiber_jump(void **from, void *to);
#if defined(__x86_64__)
__asm__(".text\n.globl fiber_jump\n.type fiber_jump,@function\nfiber_jump:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size fiber_jump, .-fiber_jump\n");
#define FIBER_SAVED 6
#elif defined(__aarch64__)
__asm__(
    ".text\n.globl fiber_jump\n.type fiber_jump,%function\nfiber_jump:\n"
    "sub sp, sp, #160\n"
    "stp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\nstp x25, x26, [sp, #48]\n"
    "stp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
    "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
    "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
    "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\nldp x25, x26, [sp, #48]\n"
    "ldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
    "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
    "add sp, sp, #160\nret\n"
    ".size fiber_jump, .-fiber_jump\n");
#endif
static struct fiber *fiber_starting;
#endif

/* Leaves the fiber; comes back when it is resumed. */
static inline void fiber_yield(struct fiber *f) {
#ifdef HAND_MADE
  fiber_jump(&f->own, f->back);
#else
  swapcontext(&f->own, &f->back);
#endif
}

/* Runs the fiber until it yields. */
static inline void fiber_resume(struct fiber *f) {
#ifdef HAND_MADE
  fiber_starting = f;
  fiber_jump(&f->back, f->own);
#else
  swapcontext(&f->back, &f->own);
#endif
}

static void fiber_body(struct fiber *f) {
  f->run(f->argument);
  f->is_over = true;
  for (;;) fiber_yield(f);
}

#ifdef HAND_MADE
static void fiber_first(void) { fiber_body(fiber_starting); }
#else
static void fiber_first(unsigned low, unsigned high) {
  fiber_body((struct fiber *)((uintptr_t)high << 32 | low));
}
#endif

static inline void fiber_make(struct fiber *f, void *stack, size_t size, void (*run)(void *),
                              void *argument) {
  f->run = run;
  f->argument = argument;
#ifdef HAND_MADE
  void **top = (void **)(((uintptr_t)stack + size) & ~(uintptr_t)15);
#if defined(__x86_64__)
  *--top = NULL; /* where a return address would lie: the stack is as after a call */
  *--top = (void *)fiber_first;
  for (int i = 0; i < FIBER_SAVED; i++) *--top = NULL;
#else
  top -= 20;
  memset(top, 0, 160);
  top[11] = (void *)fiber_first;
#endif
  f->own = top;
#else
  getcontext(&f->own);
  f->own.uc_stack.ss_sp = stack;
  f->own.uc_stack.ss_size = size;
  f->own.uc_link = NULL;
  makecontext(&f->own, (void (*)(void))fiber_first, 2, (unsigned)(uintptr_t)f,
              (unsigned)((uintptr_t)f >> 32));
#endif
}

#endif
