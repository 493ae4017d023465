/** Text of the documents without their marks. */

/** Its parts: each second one stood between backticks and is code. A link is its words. */
export function documentParts(text: string): string[] {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').split('`');
}
