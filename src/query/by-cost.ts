/** Orders the parts of a filter: what needs least of a call is asked first, whatever the text says. */
import type { Filter, Node } from './filter.ts';

/** The same filter; among equals the order of the text stays. */
export function byCost(filter: Filter): Filter {
  return filter === null ? null : ordered(filter);
}

function ordered(node: Node): Node {
  switch (node.kind) {
    case 'term':
      return node;
    case 'not':
      return { kind: 'not', of: ordered(node.of) };
    default:
      return { kind: node.kind, of: node.of.map(ordered).sort((a, b) => levelOf(a) - levelOf(b)) };
  }
}

/** Of a group that of its cheapest part, which may decide alone. */
function levelOf(node: Node): number {
  switch (node.kind) {
    case 'term':
      return node.level;
    case 'not':
      return levelOf(node.of);
    default:
      return Math.min(...node.of.map(levelOf));
  }
}
