/**
 * Who calls whom as a picture of three layers: who calls, our own side, who is called. What is small is summed.
 */
import type { OverviewEdge, OverviewNode, OverviewPairs } from '../contract/index.ts';
import { parseIpv4, parseIpv6 } from '../core/ip.ts';
import { valueText } from '../query/write.ts';
import type { PairEnd as CountedEnd } from '../watch/overview/call-pairs.ts';
import { percent } from './overview-figures.ts';

/** Nodes of the picture, without those that sum up the rest; and edges. */
export const OVERVIEW_NODES = 30;
export const OVERVIEW_EDGES = 120;

const CALLERS = 0;
const OWN = 1;
const CALLED = 2;

/** An end of a hop, wherever it was counted. */
export type PairEnd = Omit<CountedEnd, 'hash'>;

/** Calls from one end to another. */
export type PairSum = {
  readonly from: PairEnd;
  readonly to: PairEnd;
  readonly attempts: number;
  readonly answered: number;
};

type Node = Omit<OverviewNode, 'calls'> & { calls: number };
type Edge = { readonly from: Node; readonly to: Node; attempts: number; answered: number };

/** `others`: calls whose ends are not known any more. */
export function pairsPicture(
  pairs: readonly PairSum[],
  others: { readonly attempts: number; readonly answered: number },
): Pick<OverviewPairs, 'nodes' | 'edges'> {
  const own = ownSide(pairs);
  const ends = new Set(pairs.flatMap(({ from, to }) => [from, to]).filter((end) => !own.has(end.name) && !end.isTrunk));
  const networks = networksOf([...ends].map(({ name }) => name));
  const nodes = new Map<string, Node>();
  const edges = new Map<string, Edge>();
  for (const { from, to, attempts, answered } of pairs) {
    const ends = [nodeOf(nodes, from, own, networks, CALLERS), nodeOf(nodes, to, own, networks, CALLED)] as const;
    addTo(edges, ends, attempts, answered);
  }
  if (others.attempts > 0) addTo(edges, [rest(nodes, CALLERS), rest(nodes, CALLED)], others.attempts, others.answered);
  return largest([...nodes.values()], [...edges.values()]);
}

function addTo(edges: Map<string, Edge>, [from, to]: readonly [Node, Node], attempts: number, answered: number): void {
  from.calls += attempts;
  if (to !== from) to.calls += attempts;
  const key = `${from.layer} ${from.name}\n${to.layer} ${to.name}`;
  const edge = edges.get(key) ?? { from, to, attempts: 0, answered: 0 };
  edge.attempts += attempts;
  edge.answered += answered;
  edges.set(key, edge);
}

function nodeOf(
  nodes: Map<string, Node>,
  end: PairEnd,
  own: ReadonlySet<string>,
  networks: ReadonlyMap<string, string>,
  layer: number,
): Node {
  const isOwn = own.has(end.name);
  const name = isOwn || end.isTrunk ? end.name : (networks.get(end.name) ?? end.name);
  const kind = end.isTrunk ? 'trunk' : isOwn ? 'host' : 'network';
  const filter = end.isTrunk ? `trunk=${valueText(name)}` : `ip:${valueText(name)}`;
  return placed(nodes, { name, kind, layer: isOwn ? OWN : layer, calls: 0, filter });
}

/** The node of what has no place. */
function rest(nodes: Map<string, Node>, layer: number): Node {
  return placed(nodes, { name: 'others', kind: 'others', layer, calls: 0, filter: '' });
}

function placed(nodes: Map<string, Node>, node: Node): Node {
  const key = `${node.layer} ${node.kind} ${node.name}`;
  const known = nodes.get(key);
  if (known !== undefined) return known;
  nodes.set(key, node);
  return node;
}

/**
 * Names of our own side. Where nothing says which it is, as in a file, it is whoever passes calls on: called and calling, with more
 * peers than they have themselves.
 */
function ownSide(pairs: readonly PairSum[]): ReadonlySet<string> {
  const said = new Set(pairs.flatMap(({ from, to }) => [from, to]).flatMap((end) => (end.isOwn ? [end.name] : [])));
  if (said.size > 0) return said;
  const peers = new Map<string, Set<string>>();
  const [callers, called] = [new Set<string>(), new Set<string>()];
  const meet = (a: string, b: string): void => {
    peers.set(a, (peers.get(a) ?? new Set()).add(b));
  };
  for (const { from, to } of pairs) {
    if (from.isTrunk || to.isTrunk || from.name === to.name) continue;
    meet(from.name, to.name);
    meet(to.name, from.name);
    callers.add(from.name);
    called.add(to.name);
  }
  const isHub = (name: string): boolean => {
    const own = peers.get(name) ?? new Set();
    const theirs = [...own].reduce((sum, peer) => sum + (peers.get(peer)?.size ?? 0), 0);
    return own.size > theirs / own.size;
  };
  return new Set([...callers].filter((name) => called.has(name) && isHub(name)));
}

/** Where there are more addresses than nodes, those of one network are one. */
function networksOf(addresses: readonly string[]): ReadonlyMap<string, string> {
  const networks = new Map<string, string>();
  if (addresses.length <= OVERVIEW_NODES) return networks;
  for (const address of addresses) {
    if (parseIpv4(address) >= 0) networks.set(address, `${address.slice(0, address.lastIndexOf('.'))}.0/24`);
    else {
      const six = parseIpv6(address);
      if (six === null) continue;
      const groups = Array.from({ length: 4 }, (_, i) =>
        (((six[2 * i] ?? 0) << 8) | (six[2 * i + 1] ?? 0)).toString(16),
      );
      networks.set(address, `${groups.join(':')}::/64`);
    }
  }
  return networks;
}

/** The largest nodes, with all other ones of a layer in one. */
function largest(nodes: readonly Node[], edges: readonly Edge[]): Pick<OverviewPairs, 'nodes' | 'edges'> {
  const kept = new Set([...nodes].sort(larger).slice(0, OVERVIEW_NODES));
  const shown = new Map<string, Node>();
  const sums = new Map<string, Edge>();
  const standing = (node: Node): Node =>
    kept.has(node) ? placed(shown, { ...node, calls: 0 }) : rest(shown, node.layer);
  for (const node of kept) standing(node);
  for (const { from, to, attempts, answered } of edges) addTo(sums, [standing(from), standing(to)], attempts, answered);
  const inOrder = [...shown.values()].sort((a, b) => a.layer - b.layer || larger(a, b));
  const places = new Map(inOrder.map((node, i) => [node, i]));
  return {
    nodes: inOrder,
    edges: [...sums.values()]
      .sort((a, b) => b.attempts - a.attempts || larger(a.from, b.from) || larger(a.to, b.to))
      .slice(0, OVERVIEW_EDGES)
      .map((edge) => edgeOf(edge, places)),
  };
}

/** The larger node comes first; equal ones by name, so that the same calls are the same picture. */
function larger(a: Node, b: Node): number {
  return b.calls - a.calls || (a.name < b.name ? -1 : Number(a.name > b.name));
}

function edgeOf({ from, to, attempts, answered }: Edge, places: ReadonlyMap<Node, number>): OverviewEdge {
  return {
    from: places.get(from) ?? 0,
    to: places.get(to) ?? 0,
    attempts,
    answered,
    ...(attempts === 0 ? {} : { asr_pct: percent(answered, attempts) }),
    filter: from.filter === '' || to.filter === '' ? '' : `${from.filter} ${to.filter}`,
  };
}
