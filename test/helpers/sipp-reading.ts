/** What SIPp 3.6 makes of the text in CDATA, after its clean_cdata() and SendingMessage(): bytes, and keywords as they stand. */

/** The pieces as they are sent; a keyword keeps its brackets. */
export function sippReading(cdata: string): readonly (Buffer | string)[] {
  let text = cdata.replace(/^[ \t\n]+/, '');
  const trimmed = text.replace(/[ \t\n]+$/, '');
  const hasCutLineEnd = text.slice(trimmed.length).includes('\n');
  text = trimmed.replace(/\n[ \t]+/g, '\n').replace(/[ \t]+\n/g, '\n');
  if (!text.includes('\n\n')) text += '\n\n';
  else if (hasCutLineEnd) text += '\n';
  const pieces: (Buffer | string)[] = [];
  for (const part of text.split(/(\[[^\]]*\])/)) {
    if (part.startsWith('[')) pieces.push(part);
    else pieces.push(Buffer.from(bytesOf(part), 'latin1'));
  }
  return pieces;
}

function bytesOf(part: string): string {
  return part.replace(/\\x([0-9A-Fa-f]{2})|\n/g, (_, hex?: string) =>
    hex === undefined ? '\r\n' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
