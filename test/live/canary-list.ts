/**
 * The canaries: programs that do a dangerous thing in the middle of their TLS calls, and how each is built from
 * test/live/canaries. Only node's own modules are imported.
 */

export type Canary = {
  readonly name: string;
  readonly source: string;
  /** What it is about. */
  readonly danger: string;
  /** Each call returns as it entered, on the same stack: no message may be missing, counted or not. */
  readonly isWhole?: boolean;
  readonly flags?: readonly string[];
  /** Libraries to link with; OpenSSL when nothing is said. */
  readonly libraries?: readonly string[];
  /** A header without which it cannot be built, and the package that has it. */
  readonly needs?: { readonly header: string; readonly package: string };
  /** The processors it is made for; all when nothing is said. */
  readonly processors?: readonly string[];
};

const OPENSSL = ['ssl', 'crypto'];

function fiber(name: string, danger: string, ...flags: string[]): Canary {
  return { name, source: 'fiber.c', danger, flags: [...flags, `-DNAME="${name}"`] };
}

export const CANARIES: readonly Canary[] = [
  fiber('fiber', 'fibers (swapcontext) that yield in the transport', '-DSTACKS=0'),
  fiber('fiber-hand', 'the same with a switch of its own', '-DSTACKS=0', '-DHAND_MADE'),
  fiber('fiber-near', 'stacks of 32 KiB one behind the other', '-DSTACKS=1'),
  fiber('fiber-own', "fibers' stacks within the thread's stack", '-DSTACKS=2', '-DHAND_MADE'),
  fiber('fiber-16k', 'stacks of 16 KiB', '-DSTACKS=3'),
  fiber('fiber-copied', 'stacks that are copied to one place', '-DSTACKS=4', '-DHAND_MADE'),
  { ...fiber('fiber-static', 'OpenSSL within the program', '-DSTACKS=0'), libraries: ['static:ssl', 'static:crypto'] },
  { name: 'green', source: 'green.c', danger: 'green threads that change the thread within a call' },
  { name: 'handler', isWhole: true, source: 'handler.c', danger: 'SSL_read in a signal handler within SSL_read' },
  { name: 'altstack', source: 'handler.c', danger: 'the same on a sigaltstack', flags: ['-DALTSTACK'] },
  { name: 'jump', isWhole: true, source: 'jump.c', danger: 'siglongjmp out of a call' },
  { name: 'altjump', isWhole: true, source: 'jump.c', danger: 'the same from a sigaltstack', flags: ['-DALTSTACK'] },
  { name: 'vfork', isWhole: true, source: 'process.c', danger: 'vfork, exec, posix_spawn, fork within a call' },
  { name: 'clone', source: 'process.c', danger: 'a process in the same memory', flags: ['-DCLONE'] },
  { name: 'fork', source: 'process.c', danger: 'the forked child finishes the call', flags: ['-DFORK'] },
  { name: 'exec', isWhole: true, source: 'exec.c', danger: 'execve while other threads are in calls' },
  { name: 'killed', isWhole: true, source: 'killed.c', danger: 'SIGKILL within a call' },
  {
    name: 'cancel',
    isWhole: true,
    source: 'cancel.c',
    danger: 'pthread_cancel within a call',
    flags: ['-fexceptions'],
  },
  { name: 'throw', isWhole: true, source: 'throw.cc', danger: 'a C++ exception through a call' },
  { name: 'traced', isWhole: true, source: 'traced.c', danger: 'a debugger steps through calls' },
  { name: 'seccomp', isWhole: true, source: 'seccomp.c', danger: 'a sandbox that allows few system calls' },
  {
    name: 'shadow',
    isWhole: true,
    source: 'shadow.c',
    danger: 'a shadow stack, where there is one',
    flags: ['-fcf-protection=full'],
    processors: ['x64'],
  },
  {
    name: 'gnutls-fiber',
    source: 'gnutls_fiber.c',
    danger: 'fibers on GnuTLS',
    libraries: ['gnutls'],
    needs: { header: 'gnutls/gnutls.h', package: 'libgnutls28-dev' },
  },
  {
    name: 'wolfssl-fiber',
    source: 'wolfssl_fiber.c',
    danger: 'fibers on wolfSSL',
    libraries: ['wolfssl'],
    needs: { header: 'wolfssl/ssl.h', package: 'libwolfssl-dev' },
  },
  { name: 'deep', isWhole: true, source: 'deep.c', danger: 'hardly more stack than needed' },
];

/** Flags of every file. */
export const COMPILER_FLAGS: readonly string[] = ['-D_GNU_SOURCE', '-O1', '-g', '-Wall'];

/** The compiler's command for one canary; `folder` is test/live/canaries, `shared` the object of canary.c. */
export function compilerLine(canary: Canary, folder: string, shared: string, out: string): readonly string[] {
  const isCxx = canary.source.endsWith('.cc');
  const libraries = (canary.libraries ?? OPENSSL).map((name) =>
    name.startsWith('static:') ? `-l:lib${name.slice('static:'.length)}.a` : `-l${name}`,
  );
  return [
    isCxx ? 'g++' : 'gcc',
    ...[...COMPILER_FLAGS, ...(isCxx ? [] : ['-std=gnu11']), ...(canary.flags ?? [])],
    ...['-o', out, `${folder}/${canary.source}`, shared, ...libraries, '-lpthread', '-ldl'],
  ];
}
