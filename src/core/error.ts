/** What an operational error is: one line for the operator, without a stack, and how the process then ends. */

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
