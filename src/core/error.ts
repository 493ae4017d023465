/** The one catalogue of operational errors: what can go wrong outside the program, and how the process then ends. */

/** Stable codes; `exit` is the exit code when the error ends a start (1 the work failed, 2 wrong command line). */
const SERVICE_ERRORS = {
  CONFIG_INVALID: { exit: 2, summary: 'The command line or the configuration is wrong' },
  API_ADDRESS_UNKNOWN: { exit: 1, summary: 'The name in --api does not resolve to an address' },
  API_BIND_NOT_LOOPBACK: { exit: 2, summary: 'The API would be open to the network without credentials' },
  API_BIND_FAILED: { exit: 1, summary: 'The API cannot listen on its address' },
  METRICS_BIND_NOT_LOOPBACK: { exit: 2, summary: 'The metrics server would be open without credentials' },
  METRICS_BIND_FAILED: { exit: 1, summary: 'The metrics server cannot listen on its address' },
  TLS_NOT_OFFERED: { exit: 2, summary: 'The API does not speak TLS itself' },
  NATIVE_MISSING: { exit: 1, summary: 'The native addon is not built for this Node' },
  PROCESSOR_UNSUPPORTED: { exit: 1, summary: 'The processor is none that the program is compiled for' },
  CAPTURE_OPEN_FAILED: { exit: 1, summary: 'A capture file cannot be opened' },
  CAPTURE_INTERFACE_FAILED: { exit: 1, summary: 'An interface cannot be captured from' },
  CAPTURE_READ_FAILED: { exit: 1, summary: 'A capture file cannot be read further' },
  CAPTURE_FORMAT_UNKNOWN: { exit: 1, summary: 'A file is no capture file this program reads' },
  HEP_ADDRESS_UNKNOWN: { exit: 1, summary: 'The name in -L does not resolve to an address' },
  HEP_BIND_NOT_LOOPBACK: { exit: 2, summary: 'Anybody on the network could send HEP' },
  HEP_BIND_FAILED: { exit: 1, summary: 'The HEP listener cannot listen on its address' },
  HEP_ALLOW_INVALID: { exit: 2, summary: 'A network in --hep-allow is none' },
  LINT_RULE_UNKNOWN: { exit: 2, summary: 'There is no lint rule of the name in --lint-suppress' },
  HOOK_INVALID: { exit: 2, summary: 'A command of a hook is none' },
  SECURITY_NOT_PERMITTED: { exit: 1, summary: 'A scanner cannot be answered without a raw socket' },
  SECURITY_OPTION_INVALID: { exit: 2, summary: 'A network or a pattern of the security options cannot be used' },
  HEP_AUTH_INVALID: { exit: 2, summary: 'The key in --hep-auth cannot be used' },
  OUTPUT_OPEN_FAILED: { exit: 1, summary: 'The file in -O cannot be opened' },
  PRIVILEGES_FAILED: { exit: 1, summary: 'Privileges cannot be given up' },
  FRAME_NOT_FOUND: { exit: 1, summary: 'The frame a pointer names is not there' },
  FRAME_MISMATCH: { exit: 1, summary: 'The frame a pointer names has changed' },
  DIALOG_NOT_FOUND: { exit: 1, summary: 'There is no dialog with this Call-ID' },
} as const satisfies Record<string, { exit: 1 | 2; summary: string }>;

export type ServiceErrorCode = keyof typeof SERVICE_ERRORS;

/** An operational error: the message is one complete line for the operator, without a stack. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;
  readonly exitCode: 1 | 2;

  constructor(code: ServiceErrorCode, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.exitCode = SERVICE_ERRORS[code].exit;
  }
}

/** The errno name of a system error (`EADDRINUSE`), or undefined when the value is something else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
