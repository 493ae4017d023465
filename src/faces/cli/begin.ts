/** What `calltap` alone says: the ways to begin, and the interfaces of this host. */
import { fit, layout, safeText } from '../../core/terminal-text.ts';
import type { Interface } from './interfaces.ts';

/** A host of containers has hundreds. */
const MOST_SHOWN = 12;
const MOST_ADDRESSES = 60;

const WAYS = `calltap shows the SIP calls of a capture or of this host, and what is wrong. Three ways to begin:

  calltap calls.pcap              read a capture, a folder or a pattern
  calltap -d any                  capture on this host, as root; Ctrl-C ends it and prints the calls
  calltap -d any --api 127.0.0.1:8080 --console
                                  the same in a browser: http://127.0.0.1:8080/console/
`;

const MORE = 'calltap -h has examples, calltap --help every option.\n';

/** Those that are up and have an address come first. */
export function beginText(interfaces: readonly Interface[]): string {
  const rank = ({ isUp, addresses }: Interface): number => (isUp ? 0 : 2) + (addresses.length > 0 ? 0 : 1);
  const shown = [...interfaces].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)).slice(0, MOST_SHOWN);
  const rows = shown.map(({ name, isUp, addresses }) => [
    `  -d ${safeText(name)}`,
    isUp ? 'up' : 'down',
    fit(safeText(addresses.join(' ')), MOST_ADDRESSES),
  ]);
  const [, ...lines] = layout(['', '', ''], rows, new Set(), (text) => text);
  const more = interfaces.length - shown.length;
  const list = interfaces.length === 0 ? ['  none'] : lines.map((line) => line.trimEnd());
  if (more > 0) list.push(`  and ${more} more`);
  return `${WAYS}\nInterfaces of this host:\n${list.join('\n')}\n\n${MORE}`;
}
