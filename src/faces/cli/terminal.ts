/**
 * Whether a person reads.
 */

/** True when `stream` is a terminal that may be coloured (no-color.org). */
export function mayColor(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && (process.env['NO_COLOR'] ?? '') === '';
}
