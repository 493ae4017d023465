/** Character classes of RFC 3261 25.1, as tables over bytes. */

/** 1 for the bytes of `token`: alphanumerics and - . ! % * _ + ` ' ~ */
export const TOKEN_CLASS: Uint8Array = ((): Uint8Array => {
  const table = new Uint8Array(256);
  const mark = (from: number, to: number): void => {
    for (let c = from; c <= to; c++) table[c] = 1;
  };
  mark(0x30, 0x39);
  mark(0x41, 0x5a);
  mark(0x61, 0x7a);
  for (const c of "-.!%*_+`'~") table[c.charCodeAt(0)] = 1;
  return table;
})();

/** Whether every character of `text` is of `token` and there is at least one. */
export function isToken(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (TOKEN_CLASS[text.charCodeAt(i)] !== 1) return false;
  return text.length > 0;
}

/** Value of decimal digits up to `max`, or -1. Leading zeros are legal (RFC 4475 3.1.1.1). */
export function parseDigits(text: string, max: number): number {
  if (text.length === 0) return -1;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return -1;
    value = value * 10 + (c - 0x30);
    if (value > max) return -1;
  }
  return value;
}
