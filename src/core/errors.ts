/**
 * The one catalogue of what an operator reads when the program ends or does not start: what is wrong, what to do, the
 * exit code, and the page of docs/ that explains it. docs/errors.md is generated from it.
 */

import type { ErrorRow } from './error-row.ts';
import { rows } from './error-row.ts';
import { OPTION_ERRORS } from './option-errors.ts';

/** Made by failure() from the catalogue (core/errors.ts); the message is the complete line. */
export class ServiceError extends Error {
  readonly code: string;
  /** 1: the work failed; 2: the command line or the configuration is wrong. */
  readonly exitCode: 1 | 2;

  constructor(code: string, exitCode: 1 | 2, line: string, cause?: unknown) {
    super(line, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The errno name of a system error (`EADDRINUSE`), or undefined when the value is something else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const NEEDS_LOW_PORT = 'permission denied; give CAP_NET_BIND_SERVICE for a port below 1024';
const FOREIGN_FILE = 'another user made it, in a folder that everybody may write to; remove it or name another one';
const FOREIGN_LINK = 'it is a link of another user; name the file that it leads to';
const NO_READER = 'nobody reads this pipe; start its reader first';
const OUTPUT_USER = 'permission denied; let the user of --user write there';

export const ERRORS = {
  ...OPTION_ERRORS,
  ...rows('service.md#listeners', 2, {
    ADDRESS_OF_TLS: {
      line: '{option}: this listener does not speak TLS',
      remedy: 'give a loopback host:port and end TLS in a reverse proxy',
    },
    USER_PASSWORD_INVALID: {
      line: '{option}: the value is not user:password',
      remedy: 'give both on one line, with a colon between them',
    },
    SECRET_FILE_INVALID: {
      line: '{option} {path}: {reason}',
      remedy: 'name a readable text file that holds {content}',
    },
    METRICS_AUTH_INVALID: {
      line: '--metrics-auth-file {path}: it does not hold user:password on one line',
      remedy: 'write user:password into the file',
    },
    API_BIND_NOT_LOOPBACK: {
      line: '--api {address}: an address other than loopback requires a key',
      remedy:
        'give --api-key, --api-key-file, --api-signing-key or --api-signing-key-file (or SERVICE_API_KEY or ' +
        'SERVICE_API_SIGNING_KEY), or bind 127.0.0.1 or ::1',
    },
    METRICS_BIND_NOT_LOOPBACK: {
      line: '--metrics {address}: an address other than loopback requires credentials',
      remedy: 'give --metrics-auth or --metrics-auth-file, or bind 127.0.0.1 or ::1',
    },
  }),
  ...rows('api.md#access', 2, {
    TOKEN_ID_INVALID: {
      line: '{option}: {value} is not a token id',
      remedy: 'give 1 to 128 visible ASCII characters that do not begin with #',
    },
    API_KEY_INVALID: {
      line: '{option}: the key does not fit into an Authorization header',
      remedy: 'give 1 to 4096 visible ASCII characters, no blanks',
    },
    REVOKED_FILE_INVALID: {
      line: '--api-revoked-file {path}: {reason}',
      remedy: 'name a readable text file; it may be empty',
    },
  }),
  ...rows('api.md', 2, {
    LINT_RULE_UNKNOWN: { line: '--lint-suppress: there is no rule {rule}', remedy: '{hint}' },
  }),
  ...rows('hooks.md', 2, {
    HOOK_INVALID: { line: '{option}: {reason}', remedy: 'give a program and its arguments' },
  }),
  ...rows('capture.md#running', 1, {
    CAPTURE_READ_ONCE: {
      line: '-I {path}: {cause}',
      causes: {
        pipe: 'it can be read only once, and to write the frames of calls it is read twice; save it to a file first',
        changed:
          'it changed while it was read, so the frames of calls are not found again; read a file that is complete',
      },
    },
    CAPTURE_OPEN_FAILED: {
      line: '{path}: {cause}',
      causes: {
        ENOENT: 'there is no such file; check the path',
        EACCES: 'permission denied; let this user read it',
        EISDIR: 'it is a directory; give a capture file',
        EMFILE: 'too many files are open; raise the limit (ulimit -n), or give fewer captures that overlap in time',
        other: 'cannot open it ({cause})',
      },
    },
    INPUT_FOLDER_EMPTY: {
      line: '{path}: the folder holds no capture',
      remedy: 'name a folder with pcap or pcapng captures directly in it',
    },
    INPUT_PATTERN_EMPTY: { line: '{path}: the pattern names no file', remedy: 'correct it, or name the files' },
    INPUT_TOO_MANY: { line: '{path}: there are more than {max} captures', remedy: 'read them in parts, by pattern' },
    UNPACK_MISSING: {
      line: '{path}: {program} is not installed, which reads this compressed capture',
      remedy: 'install {debianPackage}, or unpack it elsewhere and pipe it in: {program} -dc FILE | calltap -',
    },
    UNPACK_FAILED: { line: '{path}: {program} cannot unpack it ({reason})', remedy: 'check it with {program} -t' },
    UNPACK_NO_ROOM: {
      line: '{path}: cannot unpack it in {folder} ({cause})',
      remedy: 'set TMPDIR to a folder that takes files and has room',
    },
    CAPTURE_FORMAT_UNKNOWN: {
      line: '{path}: {cause}',
      remedy: 'give a pcap or pcapng capture',
      causes: { empty: 'the file is empty', other: 'it is not a pcap or pcapng capture' },
    },
    CAPTURE_READ_FAILED: {
      line: 'the capture has nothing readable',
      remedy: 'correct what the lines above name',
    },
  }),
  ...rows('cli.md', 1, {
    FRAME_NOT_FOUND: { line: '{path}: the capture ends before frame {ordinal}', remedy: 'check pointer and file' },
    FRAME_MISMATCH: {
      line: '{path}: frame {ordinal} is not the one that the pointer names (digest {actual}, not {digest})',
      remedy: 'give the capture that the pointer comes from',
    },
    CALL_NOT_FOUND: {
      line: '{option} {selector}: the capture has no such call{near}',
      remedy: 'run without {option} to list the calls',
    },
    CALL_AMBIGUOUS: { line: '{option} {selector}: {total} calls begin so ({list})', remedy: 'write more of one' },
    MESSAGE_NOT_FOUND: {
      line: '--messages {selector}: the call has no message of this number',
      remedy: 'give one of its {kept} messages, counted from 0',
    },
    NO_ANSWER: { line: '{reason}' },
    AUDIO_NOT_MADE: { line: '--wav: {reason}', remedy: 'run --call-report to see the media of the call' },
    SCENARIOS_NOT_MADE: { line: '--sipp: {reason}', remedy: 'run --ladder to see the messages of the call' },
    WRITE_FAILED: {
      line: '{path}: {cause}',
      causes: {
        EEXIST: 'it is there already; name another file, or give --force to replace it',
        special: 'this is not a regular file, and --force replaces nothing else; name another file',
        ENOENT: 'there is no such folder; make it',
        ENOTDIR: 'a file is where its folder must be; name another folder',
        ENOSPC: 'the disk is full; make room',
        other: 'cannot write ({cause}); name another file',
      },
    },
  }),
  ...rows('terminal.md#a-running-service', 1, {
    CONNECT_FAILED: { line: '{option} {url}: {reason}', remedy: '{remedy}' },
  }),
  ...rows('service.md#privileges', 1, {
    CAPTURE_INTERFACE_FAILED: {
      line: '-d {name}: {cause}',
      causes: {
        ENODEV: 'there is no such interface; "ip link" lists them, "any" is all of them',
        EPERM: 'not permitted; start as root or with CAP_NET_RAW (setcap cap_net_raw,cap_bpf+ep, or the systemd unit)',
        ENOMEM: 'the kernel has no memory for a capture ring of 4 MiB or more; free some',
        EAFNOSUPPORT: 'this kernel has no packet sockets; start one with CONFIG_PACKET',
        other: '{step} failed ({cause})',
      },
    },
    PRIVILEGES_FAILED: {
      line: '--user {user}: {cause}',
      causes: {
        ENOENT: 'there is no such user; name one of this host',
        EPERM: '{step}; start as root (EPERM)',
        other: '{step} ({cause})',
      },
    },
  }),
  ...rows('hep.md#mirroring-to-a-collector', 2, {
    HEP_PATH_UNUSABLE: { line: '{option} {path}: {reason}', remedy: 'name a {content}' },
  }),
  ...rows('hep.md#receiving-hep', 1, {
    HEP_ADDRESS_UNKNOWN: { line: '-L {host}: the name does not resolve', remedy: 'give an IP address' },
    HEP_BIND_FAILED: {
      line: '-L {url}: {cause}',
      causes: {
        EADDRINUSE: 'the address is in use; choose another port',
        EADDRNOTAVAIL: 'this host does not have the address; choose one of its own',
        EACCES: NEEDS_LOW_PORT,
      },
    },
  }),
  ...rows('hep.md#receiving-hep', 2, {
    HEP_BIND_NOT_LOOPBACK: {
      line: '-L {address}: an address other than loopback requires --hep-allow',
      remedy: 'name the senders with --hep-allow CIDR, or listen on 127.0.0.1',
    },
    HEP_ALLOW_INVALID: { line: '--hep-allow {network}: {reason}', remedy: 'give a network such as 10.0.0.0/8' },
    HEP_ALLOW_TOO_MANY: { line: '--hep-allow: there are too many networks', remedy: 'give at most {max}' },
    HEP_AUTH_INVALID: { line: '--hep-auth: the key is empty or too long', remedy: 'give 1 to {max} bytes' },
  }),
  ...rows('tls.md#sip-over-tls-in-plaintext', 1, {
    PROBES_FAILED: { line: '--uprobe: {reason}' },
  }),
  ...rows('tls.md#sip-over-tls-in-plaintext', 2, {
    PROBE_TARGET_INVALID: {
      line: '--uprobe={target}: {cause}',
      causes: {
        number: 'no process can have this id; give one that "ps" lists',
        process: 'there is no such process; give a running one, or its path',
        form: 'it is neither a process id nor a path; give all, a number, or a path that begins with /',
        file: 'it is not a file; name a library or a program',
        other: 'cannot find the file ({cause})',
      },
    },
    PROBE_PATTERN_INVALID: {
      line: '--uprobe-comm: the pattern {reason}',
      remedy: 'give a shorter or simpler RE2 pattern',
    },
    PROBE_OFFSET_INVALID: {
      line: '{where}: {cause}',
      causes: {
        form: 'write FILE SSL_read=0x1234 SSL_write=0x5678 with virtual addresses',
        key: 'it is neither a path nor a build id; give a path that begins with /, or the id that "readelf -n" prints',
        name: 'calltap does not know the function {name}; docs/tls.md lists those it knows',
        address: '{name} has no address that a program can have; give a virtual address such as 0x1234',
        plaintext: 'no function reads or writes; give at least SSL_read or SSL_write',
        twice: 'it appears more than once; give it once',
        many: 'there are too many files; give at most {max}',
        file: '{name} is not a file; name a program or a library',
        ENOENT: 'there is no file {name}; give the path of one, or for a program its build id',
        unreadable: '{name}; name a readable text file of lines',
        other: 'cannot look at {name} ({cause})',
      },
    },
  }),
  ...rows('service.md#listeners', 1, {
    API_ADDRESS_UNKNOWN: { line: '--api {address}: the name does not resolve', remedy: 'give an IP address' },
    API_BIND_FAILED: { line: '--api {address}: cannot listen ({reason})', remedy: 'choose another address or port' },
    CONSOLE_NOT_BUILT: { line: '--console: the page is not built', remedy: 'run: npm run build:ts' },
    METRICS_ADDRESS_UNKNOWN: { line: '--metrics {address}: the name does not resolve', remedy: 'give an IP address' },
    METRICS_BIND_FAILED: {
      line: '--metrics {address}: cannot listen ({reason})',
      remedy: 'choose another address or port',
    },
  }),
  ...rows('writing.md#writing-what-was-captured', 1, {
    LOG_OPEN_FAILED: {
      line: '--log {path}: {cause}',
      causes: {
        ENOENT: 'there is no such folder; make it',
        EACCES: OUTPUT_USER,
        EISDIR: 'it is a directory; name a file in it',
        EMLINK: FOREIGN_LINK,
        ENXIO: NO_READER,
        EALREADY: FOREIGN_FILE,
        EEXIST: FOREIGN_FILE,
        EROFS: 'the file system is read-only; name another one',
        other: 'cannot open it ({cause})',
      },
    },
    OUTPUT_IS_INPUT: { line: '-O {path}: it is the file that -I reads', remedy: 'name another one' },
    OUTPUT_OPEN_FAILED: {
      line: '-O {path}: {cause}',
      causes: {
        ENOENT: 'there is no such folder; make it',
        EACCES: OUTPUT_USER,
        EPERM: OUTPUT_USER,
        EISDIR: 'it is a directory; name a file in it',
        EMLINK: FOREIGN_LINK,
        ENXIO: NO_READER,
        EALREADY: FOREIGN_FILE,
        ENOSPC: 'the disk is full; make room',
        EROFS: 'the file system is read-only; name another one',
        EEXIST: 'all numbers of a split are in use; move the old files away',
        other: 'cannot open it ({cause})',
      },
    },
  }),
  ...rows('security.md', 1, {
    SECURITY_NOT_PERMITTED: {
      line: '--kill-response: the kernel refuses a raw socket (errno {errno})',
      remedy: 'start as root or with CAP_NET_RAW',
    },
  }),
  ...rows('security.md', 2, {
    SECURITY_PATTERN_INVALID: {
      line: '--kill-ua: the pattern {reason}',
      remedy: 'give a shorter or simpler RE2 pattern',
    },
    SECURITY_PEER_INVALID: {
      line: '--security-peer {network}: {reason}',
      remedy: 'give a network such as 192.0.2.0/24, or the name of a trunk',
    },
    FRAUD_NIGHT_INVALID: { line: '--fraud-night: the value is not two hours', remedy: 'give two hours such as 22-6' },
  }),
  ...rows('install.md#build-from-a-checkout', 1, {
    NATIVE_MISSING: {
      line: '{cause}',
      remedy: 'run "npm run setup" in {root}',
      causes: {
        missing: 'the native part is not built',
        version: 'the native part is of another version',
      },
    },
    NATIVE_OF_OTHER_NODE: {
      line: 'this package runs on Node {releases}, and this is Node {node}',
      remedy: 'start it with one of them, or install the package of your distribution, which brings its own',
    },
    NATIVE_UNLOADABLE: { line: '{reason}' },
    PROCESSOR_UNSUPPORTED: { line: '{reason}' },
  }),
  ...rows('service.md#trouble', 1, {
    BPF_UNAVAILABLE: { line: '--bpf: {reason}' },
    TOO_MANY_FILES: {
      line: 'this process has too many open files',
      remedy: 'raise its limit (ulimit -n 1024, LimitNOFILE=)',
    },
  }),
  ...rows('memory.md#memory', 1, {
    OUT_OF_MEMORY: {
      line: 'the system gives no more memory',
      remedy: 'raise the limit (ulimit -v, LimitAS=) or lower --max-streams and other caps',
    },
  }),
};

export type ErrorCode = keyof typeof ERRORS;

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type CausesOf<Row> = Row extends { readonly causes: Readonly<Record<string, infer Text>> } ? Text : '';
type RemedyOf<Row> = Row extends { readonly remedy: infer Text } ? Text : '';
type LineNames<C extends ErrorCode> =
  | Names<(typeof ERRORS)[C]['line']>
  | Names<RemedyOf<(typeof ERRORS)[C]> | CausesOf<(typeof ERRORS)[C]>>;

/** What fills the places of a row's texts. */
export type ErrorParams<C extends ErrorCode> = { readonly [Name in LineNames<C>]: string | number };

/** The error of a row, with its places filled in. */
export function failure<C extends ErrorCode>(code: C, params: ErrorParams<C>, thrown?: unknown): ServiceError {
  const { exit, line, remedy, causes }: ErrorRow = ERRORS[code];
  const values: Readonly<Record<string, string | number>> = params;
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(values[name] ?? '');
      const cause = name === 'cause' ? (causes?.[value] ?? causes?.['other']) : undefined;
      if (cause === undefined) return value;
      return cause.replaceAll(/\{(\w+)\}/g, (__, inner: string) => String(values[inner] ?? ''));
    });
  return new ServiceError(code, exit, fill(remedy === undefined ? line : `${line}; ${remedy}`), thrown);
}
