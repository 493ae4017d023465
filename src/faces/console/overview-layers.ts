/**
 * Places for who calls whom: three layers from left to right, each a column of bars; edges between them, as wide as their calls.
 * Nothing moves by itself, and no text covers another: each bar has the height of its text, or more.
 */
import type { OverviewEdge, OverviewNode, OverviewPairs } from '../../contract/index.ts';

export type PlacedNode = {
  readonly node: OverviewNode;
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly textX: number;
  /** The middle of the text. */
  readonly textY: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly text: string;
};
export type PlacedEdge = { readonly edge: OverviewEdge; readonly d: string; readonly width: number };
export type Layers = {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly height: number;
};

export const BAR_PX = 8;
const LAYERS = [0, 1, 2] as const;
/** A row of text, and the most that the bars of a layer are tall together. */
const ROW_PX = 18;
const BARS_PX = 130;
const GAP_PX = 4;
/** The most that a column of text takes of the whole width, and the room between a text and its bar. */
const SIDE = 0.32;
const APART_PX = 5;
/** How far an arc bends, and its most width. */
const ARC_PX = 40;
const MOST_ARC_PX = 6;

type Slot = { readonly i: number; readonly node: OverviewNode; y: number; readonly height: number };

/** `widthOf` measures a text; names that do not fit end in an ellipsis. */
export function layersOf({ nodes, edges }: OverviewPairs, width: number, widthOf: (text: string) => number): Layers {
  const longest = (isMiddle: boolean): number =>
    nodes.reduce((n, node) => ((node.layer === 1) === isMiddle ? Math.max(n, widthOf(labelOf(node))) : n), 0);
  const side = Math.min(longest(false) + APART_PX + 1, width * SIDE);
  const bars = [side, (width - BAR_PX) / 2, width - side - BAR_PX];
  const beside = (width - BAR_PX) / 2 - side - BAR_PX - 2 * APART_PX;
  // In a narrow window the names of the middle stand above their bars: there they have twice the room.
  const isAbove = longest(true) > beside;
  const sums = LAYERS.map((layer) => nodes.reduce((n, node) => (node.layer === layer ? n + node.calls : n), 0));
  const scale = BARS_PX / Math.max(1, ...sums);
  const columns = ordered(nodes, edges).map((places) =>
    places.map((i): Slot => {
      const node = nodes[i] as OverviewNode;
      return { i, node, y: 0, height: Math.max(3, node.calls * scale) };
    }),
  );
  const height = stack(columns, isAbove);
  const slots = new Map(columns.flat().map((slot) => [slot.i, slot]));
  const nodesPlaced = [...slots.values()].map(({ node, y, height: tallness }): PlacedNode => {
    const bar = { node, x: bars[node.layer] ?? 0, y, height: tallness };
    const textY = y + tallness / 2;
    const text = (room: number): string => fitted(labelOf(node), room, widthOf);
    if (node.layer === 0) return { ...bar, textX: bar.x - APART_PX, textY, anchor: 'end', text: text(side - APART_PX) };
    const textX = bar.x + BAR_PX + APART_PX;
    if (node.layer === 2) return { ...bar, textX, textY, anchor: 'start', text: text(side - APART_PX) };
    if (!isAbove) return { ...bar, textX, textY, anchor: 'start', text: text(beside) };
    return { ...bar, textX: width / 2, textY: y - ROW_PX / 2, anchor: 'middle', text: text(2 * beside + BAR_PX) };
  });
  return { nodes: nodesPlaced, edges: edgesOf(edges, slots, bars, scale), height };
}

/** Puts the bars of each layer below each other, around the middle; gives the height of all. */
function stack(columns: readonly (readonly Slot[])[], isAbove: boolean): number {
  const roomOf = ({ node, height }: Slot): number =>
    node.layer === 1 && isAbove ? ROW_PX + height : Math.max(ROW_PX, height);
  const tall = columns.map((slots) => slots.reduce((n, slot) => n + roomOf(slot) + GAP_PX, 0));
  const height = Math.max(ROW_PX, ...tall);
  for (const [layer, slots] of columns.entries()) {
    let y = (height - (tall[layer] ?? 0)) / 2;
    for (const slot of slots) {
      const room = roomOf(slot);
      slot.y = layer === 1 && isAbove ? y + ROW_PX : y + (room - slot.height) / 2;
      y += room + GAP_PX;
    }
  }
  return height;
}

export function labelOf({ name, kind }: OverviewNode): string {
  return kind === 'others' ? 'others' : name;
}

/** Places of the nodes of each layer: near those that they call, the sum of others last. */
function ordered(nodes: readonly OverviewNode[], edges: readonly OverviewEdge[]): number[][] {
  const busiest = (a: number, b: number): number => (nodes[b]?.calls ?? 0) - (nodes[a]?.calls ?? 0);
  const columns = LAYERS.map((layer) => [...nodes.keys()].filter((i) => nodes[i]?.layer === layer).sort(busiest));
  const rank = new Map(
    columns.flatMap((places) => places.map((i, at) => [i, at / Math.max(1, places.length)] as const)),
  );
  const pull = (i: number): number => {
    let [sum, calls] = [0, 0];
    for (const { from, to, attempts } of edges) {
      if (from !== i && to !== i) continue;
      sum += (rank.get(from === i ? to : from) ?? 0) * attempts;
      calls += attempts;
    }
    return calls === 0 ? 1 : sum / calls;
  };
  const isOthers = (i: number): number => (nodes[i]?.kind === 'others' ? 1 : 0);
  // The middle leads; the sides follow it.
  for (const layer of [0, 2]) {
    const pulls = new Map((columns[layer] ?? []).map((i) => [i, pull(i)]));
    columns[layer]?.sort(
      (a, b) => isOthers(a) - isOthers(b) || (pulls.get(a) ?? 0) - (pulls.get(b) ?? 0) || busiest(a, b),
    );
  }
  columns[1]?.sort((a, b) => isOthers(a) - isOthers(b) || busiest(a, b));
  return columns;
}

/** Edges leave and reach a bar side by side, in the order of their other ends. */
function edgesOf(
  edges: readonly OverviewEdge[],
  slots: ReadonlyMap<number, Slot>,
  bars: readonly number[],
  scale: number,
): PlacedEdge[] {
  const known = edges.filter(({ from, to }) => slots.has(from) && slots.has(to));
  const yOf = (i: number): number => slots.get(i)?.y ?? 0;
  const widths = new Map(known.map((edge) => [edge, Math.max(1, edge.attempts * scale)]));
  const starts = stacked(
    known,
    widths,
    ({ from }) => from,
    (a, b) => yOf(a.to) - yOf(b.to),
  );
  const ends = stacked(
    known,
    widths,
    ({ to }) => to,
    (a, b) => yOf(a.from) - yOf(b.from),
  );
  return known.map((edge) => {
    const [from, to] = [slots.get(edge.from), slots.get(edge.to)];
    const width = widths.get(edge) ?? 1;
    if (from !== undefined && to !== undefined && from.node.layer === to.node.layer)
      return arcOf(edge, from, to, bars, width);
    const x1 = (bars[from?.node.layer ?? 0] ?? 0) + BAR_PX;
    const x2 = bars[to?.node.layer ?? 0] ?? 0;
    const y1 = Math.min(yOf(edge.from) + (starts.get(edge) ?? 0), yOf(edge.from) + (from?.height ?? 0)).toFixed(1);
    const y2 = Math.min(yOf(edge.to) + (ends.get(edge) ?? 0), yOf(edge.to) + (to?.height ?? 0)).toFixed(1);
    const bend = Math.max(20, Math.abs(x2 - x1) / 2);
    const d = `M${x1.toFixed(1)} ${y1}C${(x1 + bend).toFixed(1)} ${y1} ${(x2 - bend).toFixed(1)} ${y2} ${x2.toFixed(1)} ${y2}`;
    return { edge, d, width };
  });
}

/** Between two places of one layer, or from one to itself: a thin arc beside them. */
function arcOf(edge: OverviewEdge, from: Slot, to: Slot, bars: readonly number[], width: number): PlacedEdge {
  const x = (bars[from.node.layer] ?? 0) + BAR_PX;
  const [y1, y2] = [from.y + from.height / 4, to.y + (to.height * 3) / 4].map((y) => y.toFixed(1));
  const bent = (x + ARC_PX).toFixed(1);
  const d = `M${x.toFixed(1)} ${y1}C${bent} ${y1} ${bent} ${y2} ${x.toFixed(1)} ${y2}`;
  return { edge, d, width: Math.min(width, MOST_ARC_PX) };
}

/** The middle of each edge at one of its ends, from the top of the bar. */
function stacked(
  edges: readonly OverviewEdge[],
  widths: ReadonlyMap<OverviewEdge, number>,
  endOf: (edge: OverviewEdge) => number,
  order: (a: OverviewEdge, b: OverviewEdge) => number,
): Map<OverviewEdge, number> {
  const used = new Map<number, number>();
  const middles = new Map<OverviewEdge, number>();
  for (const edge of [...edges].sort(order)) {
    const [end, width] = [endOf(edge), widths.get(edge) ?? 1];
    const before = used.get(end) ?? 0;
    middles.set(edge, before + width / 2);
    used.set(end, before + width);
  }
  return middles;
}

/** The text, or as much of it as fits with an ellipsis. */
function fitted(text: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= room) return text;
  let [least, most] = [0, text.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (widthOf(`${text.slice(0, middle)}\u2026`) <= room) least = middle;
    else most = middle - 1;
  }
  return `${text.slice(0, least)}\u2026`;
}
