/** Who calls whom: trunks, own hosts and networks as three layers, edges as wide as their calls and coloured by ASR. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OverviewEdge, OverviewNode, OverviewPairs } from '../../contract/index.ts';
import { OVERVIEW_TITLES } from '../../core/overview-words.ts';
import { callsOf, listOf } from './overview-filters.ts';
import { stepOf } from './overview-heat.ts';
import type { PlacedEdge, PlacedNode } from './overview-layers.ts';
import { BAR_PX, layersOf } from './overview-layers.ts';
import { Panel } from './overview-picture.ts';
import { percentWords, spanWords } from './overview-words.ts';
import { Table } from './table.ts';
import { counted, shown } from './words.ts';

const FONT = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export function WhoCallsWhom({ pairs }: { readonly pairs: OverviewPairs }): ComponentChild {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState('');
  // Texts of the wire are made safe before they are measured.
  const safe = useMemo(() => ({ ...pairs, nodes: pairs.nodes.map((n) => ({ ...n, name: shown(n.name) })) }), [pairs]);
  const layers = useMemo(() => (width === 0 ? null : layersOf(safe, width, measure())), [safe, width]);
  const hours = spanWords(pairs.from, pairs.to);
  return h(
    Panel,
    {
      name: OVERVIEW_TITLES.pairs,
      title: OVERVIEW_TITLES.pairs,
      note: hours,
      table: () => h(PairTable, { pairs: safe }),
    },
    pairs.nodes.length === 0
      ? h('p', { class: 'note' }, 'Nobody called in these hours.')
      : [
          h(
            'p',
            { class: 'pointed', 'aria-hidden': 'true' },
            pointed === '' ? 'Callers, our own side, called' : pointed,
          ),
          h(Sized, { box, onWidth: setWidth }),
          layers === null
            ? null
            : h(
                'svg',
                { width, height: layers.height, role: 'group', 'aria-label': OVERVIEW_TITLES.pairs },
                layers.edges.map((edge) =>
                  h(Edge, { key: `${edge.edge.from} ${edge.edge.to}`, edge, pairs: safe, onPoint: setPointed }),
                ),
                layers.nodes.map((node) =>
                  h(Node, {
                    key: `${node.node.layer} ${node.node.kind} ${node.node.name}`,
                    node,
                    pairs,
                    onPoint: setPointed,
                  }),
                ),
              ),
        ],
  );
}

type SizedProps = { readonly box: { current: HTMLDivElement | null }; readonly onWidth: (px: number) => void };

/** Says how wide the picture can be, now and when the window changes. */
function Sized({ box, onWidth }: SizedProps): ComponentChild {
  useEffect(() => {
    const at = box.current;
    if (at === null) return undefined;
    const observer = new ResizeObserver(() => onWidth(at.clientWidth));
    observer.observe(at);
    return () => observer.disconnect();
  }, []);
  return h('div', { ref: box });
}

function measure(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return (text) => text.length * 7;
  context.font = FONT;
  return (text) => context.measureText(text).width;
}

type EdgeProps = {
  readonly edge: PlacedEdge;
  readonly pairs: OverviewPairs;
  readonly onPoint: (words: string) => void;
};

function Edge({ edge: { edge, d, width }, pairs, onPoint }: EdgeProps): ComponentChild {
  const words = edgeWords(edge, pairs);
  const path = h(
    'path',
    { d, 'stroke-width': width.toFixed(1), class: asrClass(edge.asr_pct) },
    h('title', null, words),
  );
  const pointing = { onMouseEnter: () => onPoint(words), onMouseLeave: () => onPoint('') };
  // Keys reach the edges in the table: there they have an order.
  return edge.filter === ''
    ? h('g', { class: 'edge', ...pointing }, path)
    : h('a', { class: 'edge', href: listOf(pairCalls(edge.filter, pairs)), tabIndex: -1, ...pointing }, path);
}

type NodeProps = {
  readonly node: PlacedNode;
  readonly pairs: OverviewPairs;
  readonly onPoint: (words: string) => void;
};

function Node({ node: { node, x, y, height, textX, textY, anchor, text }, pairs, onPoint }: NodeProps): ComponentChild {
  const words = nodeWords(node);
  const pointing = {
    onMouseEnter: () => onPoint(words),
    onMouseLeave: () => onPoint(''),
    onFocus: () => onPoint(words),
    onBlur: () => onPoint(''),
  };
  const drawn = [
    h('title', null, words),
    h('rect', { x, y, width: BAR_PX, height, rx: 1 }),
    h('text', { x: textX, y: textY + 4, 'text-anchor': anchor }, text),
  ];
  return node.filter === ''
    ? h('g', { class: `node ${node.kind}`, ...pointing }, drawn)
    : h('a', { class: `node ${node.kind}`, href: listOf(pairCalls(node.filter, pairs)), ...pointing }, drawn);
}

/** The calls of an edge or a node in the hours that are shown. */
function pairCalls(filter: string, hours: OverviewPairs): string {
  return callsOf(hours, filter);
}

function asrClass(pct: number | undefined): string {
  return pct === undefined ? 'none' : `step${stepOf('asr', pct)}`;
}

function nodeWords({ name, kind, calls }: OverviewNode): string {
  return `${kind === 'others' ? 'all others' : `${kind} ${shown(name)}`}, ${counted(calls, 'call')}`;
}

function edgeWords({ from, to, attempts, answered, asr_pct: asr }: OverviewEdge, { nodes }: OverviewPairs): string {
  const ratio = asr === undefined ? '' : `, ASR ${percentWords(asr)}`;
  return `${nameAt(nodes, from)} \u2192 ${nameAt(nodes, to)}: ${answered} of ${attempts} answered${ratio}`;
}

function nameAt(nodes: readonly OverviewNode[], i: number): string {
  const node = nodes[i];
  return node === undefined ? '' : node.kind === 'others' ? 'others' : node.name;
}

function PairTable({ pairs }: { readonly pairs: OverviewPairs }): ComponentChild {
  return h(Table, {
    name: 'Who calls whom, by calls',
    head: ['From', 'To', '#Attempts', '#Answered', '#ASR', 'Calls'],
    rows: pairs.edges.map((edge) => [
      nameAt(pairs.nodes, edge.from),
      nameAt(pairs.nodes, edge.to),
      edge.attempts,
      edge.answered,
      edge.asr_pct === undefined ? '' : percentWords(edge.asr_pct),
      edge.filter === '' ? '' : h('a', { href: listOf(pairCalls(edge.filter, pairs)) }, 'Show'),
    ]),
  });
}
