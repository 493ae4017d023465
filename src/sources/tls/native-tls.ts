/**
 * The surface of the addon's TlsCapture (native/binding/tls_capture.cc): plaintext of TLS libraries through uprobes.
 */

/**
 * What a probed function is: `${library}-${operation}`. The operation says how its arguments are read.
 *
 * - read, write: (object, buffer, length) -> bytes
 * - read-ex, write-ex: (object, buffer, length, &bytes) -> 1; also OpenSSL's early data
 * - write-ex2: (object, buffer, length, flags, &bytes) -> 1
 * - handshake: (object) -> anything
 * - new: () -> object;  new-out: (&object) -> anything;  reset: (object): it is another connection now;  free: (object)
 */
export type TlsOperation =
  | 'read'
  | 'write'
  | 'read-ex'
  | 'write-ex'
  | 'write-ex2'
  | 'handshake'
  | 'new'
  | 'new-out'
  | 'reset'
  | 'free';
export type TlsLibraryName = 'openssl' | 'gnutls' | 'wolfssl' | 'mbedtls' | 'go';
export type TlsSiteKind = `${TlsLibraryName}-${TlsOperation}`;

/**
 * One function to probe, by places in the file, not addresses: its entry, and every RET instruction through which it can
 * leave, those after its tail jumps included. Only the lesser ways need exits; where they are needed and `null`, the
 * function gives evidence of addresses at its entry, and no plaintext.
 */
export type TlsSite = {
  readonly kind: TlsSiteKind;
  readonly offset: number;
  readonly exits: readonly number[] | null;
  /** Row of the proof that the function must give of itself, from 1 to 1023 (proofs.ts); absent or 0: none. */
  readonly proof?: number;
  /** With `proof`: no site says when an object begins or ends, so addresses are strong only within a call. */
  readonly isEndless?: boolean;
  /** Of Go: bytes from the site to `net.(*TCPConn).Read`; 0 or absent: not known, addresses come from socket calls. */
  readonly tcpDistance?: number;
};

/** enum ct_tls_proof_state of bpf/tls_event.h. */
export const PROOF_STATE = { UNPROVEN: 0, PROVEN: 1, REFUTED: 2 } as const;

/** `calls` moved plaintext, by their own account. */
export type TlsProof = { readonly state: number; readonly calls: number };

export type TlsAttachRequest = {
  /** As this process can open it: /proc/PID/root/..., /proc/PID/map_files/A-B for a deleted file. */
  readonly path: string;
  /** All sites of one file at once, 512 instructions at most: either all or none are attached. */
  readonly sites: readonly TlsSite[];
  /** Only in this process; absent: in every process that maps the file, now or later. */
  readonly pid?: number;
};

/** id 0: refused, `error` says why in words and `errno` as the kernel did. */
export type TlsAttachResult = { readonly id: number; readonly errno: number; readonly error: string };

/** An executable file mapping of a process. */
export type TlsMapping = {
  readonly pid: number;
  readonly comm: string;
  /** major << 20 | minor, of the real inode (below an overlay). */
  readonly dev: number;
  readonly ino: number;
  /** As /proc/PID/maps has it, without " (deleted)"; '' when it is longer than 255 bytes. */
  readonly path: string;
  readonly deleted: boolean;
  readonly start: bigint;
  readonly end: bigint;
  /** Number of the mount namespace. */
  readonly mntns: number;
};

/** `cut`: mappings of files beyond CT_TLS_PROCESS_FILES of one process. */
export type TlsScanResult = { readonly error: string; readonly rows: readonly TlsMapping[]; readonly cut: number };

export type ScanNative = {
  /** Lists what processes map, on a thread of libuv's pool: rows of scan-rows.ts. One at a time; close() ends it with an error. */
  scan(done: (error: string, rows: Buffer, cut: number) => void): void;
};

/** A process that moved TLS records, whoever made them: socket calls that moved whole ones, in each direction. */
export type TlsMover = {
  readonly pid: number;
  readonly comm: string;
  readonly sent: number;
  readonly received: number;
};

/** `error` says why nobody was watched; '' when all were. */
export type TlsMovers = { readonly error: string; readonly rows: readonly TlsMover[] };

export type TlsStatus = {
  /** How calls are read, at entry and RET instructions: by multi links or perf events; 'none' before open() or when it failed. */
  readonly probes: 'multi' | 'perf' | 'none';
  /** Why not a better one; '' for multi. */
  readonly probesWhy: string;
  /** Where the addresses come from. */
  readonly sockets: 'sock-tp' | 'sys-exit' | 'none';
  readonly socketsWhy: string;
  /** Kernel features that are missing and what that costs, in words. */
  readonly caveats: readonly string[];
  readonly attachments: number;
  readonly ringBytes: number;
};

/** The ways of TlsStatus.probes in words. */
export const PROBE_WAYS: Readonly<Record<TlsStatus['probes'], string>> = {
  multi: 'entry and RET instructions by multi links',
  perf: 'entry and RET instructions by perf events',
  none: 'no probes',
};

/** Options of TlsCapture; the memory is JavaScript's and stays pinned until close(). */
export type NativeTlsOptions = {
  slabs: Uint8Array;
  descriptors: Uint8Array;
  sourceId: number;
  /** Kernel ring: a power of two of at least 4096; 0: 16 MiB. */
  ringBytes: number;
  /** Plaintext carried of one call; 0: 1 MiB, which is also the most. */
  maxCallBytes: number;
  /** Connections that are remembered; 0: 65,536. */
  maxConnections: number;
  /** Connections that do not carry SIP are dropped in the kernel. */
  sipOnly: boolean;
  /** Take another mechanism on purpose; oldHelpers: what a kernel before 5.15 has, which is perf events only. */
  force?: { readonly probes?: 'multi' | 'perf'; readonly sysExit?: boolean; readonly oldHelpers?: boolean };
};

/** enum ct_tls_start of bpf/tls_event.h: which process is observed from the first instruction of a program it starts. */
export const START = { ANY: 1, BORN: 2, FILE: 4, NAME: 8 } as const;

export type StartedProgram = { readonly ino: number; readonly name: string };

export type NativeTlsCapture = ScanNative & {
  /** Loads and tries the programs. '' or why it cannot work, with the remedy. */
  open(): string;
  /** Starts the reader: errno, 0 when it runs. */
  start(): number;
  attach(request: TlsAttachRequest): TlsAttachResult;
  detach(id: number): boolean;
  /** What the calls of a function under proof have shown since it was attached. */
  proof(row: number): TlsProof;
  /** Whether a call of the process was seen. */
  observes(pid: number): boolean;
  /** Observe only these processes; null: all. errno, 0 when it is so. */
  allow(pids: Uint32Array | null): number;
  /**
   * Adds programs that are meant from their start, and says by what (START). With ino 0 the name is of a process, cut
   * at 15 bytes; otherwise it is the last name of the program's file. errno, 0 when it is so.
   */
  starts(rule: number, programs: readonly StartedProgram[]): number;
  /** Says whether an UNDECIDED connection is SIP over WebSocket. */
  verdict(idLow: number, idHigh: number, pass: boolean): void;
  /** Fills one value a name of info().tlsCounterNames; sums over the processors. */
  counters(out: BigUint64Array): void;
  /** Programs started on this host since open(). */
  execs(): number;
  /** The processes of the starts from number `from` of execs() on; null when some are not remembered any more. */
  started(from: number): number[] | null;
  status(): TlsStatus;
  /** Detaches all, stops and joins; no callback comes after it. */
  close(): void;
};
