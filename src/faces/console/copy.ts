/** Puts text on the clipboard, also where the page came without TLS: browsers then have no clipboard for it. */

/** Gives what to tell the user. */
export async function copied(text: string, said: string): Promise<string> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return said;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone ? said : 'This browser copies over https alone: select the text, then press Ctrl+C.';
}
