/** How the page looks: light and dark, on a phone and on paper. Each text has a contrast of 4.5 to 1 on its ground. */

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --sheet: #f3f5f8; --line: #cfd6de; --text: #1a2129; --dim: #55606c; --link: #0b5c8a;
  --good: #1d6b34; --bad: #b3261e; --warn: #7a5200; --bad-ground: #fdeceb; --warn-ground: #fdf3dc; --good-ground: #e9f5ec;
  --c0: #0b5c8a; --c1: #a23b00; --c2: #5b2d91; --c3: #1d6b34; --c4: #8a0b56; --c5: #5c5400;
  font: 15px/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14181d; --sheet: #1c2229; --line: #343d48; --text: #e4e9ef; --dim: #a3afbc; --link: #7cc4f2;
    --good: #7ed492; --bad: #ff9a8f; --warn: #f0c05a; --bad-ground: #3b1f1d; --warn-ground: #362c14; --good-ground: #16301d;
    --c0: #7cc4f2; --c1: #ffb17a; --c2: #c9a6f5; --c3: #7ed492; --c4: #ff9ad2; --c5: #ded36a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font-variant-numeric: tabular-nums; }
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1rem; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 1.8rem 0 .5rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.1rem 0 .2rem; }
h1, h2, h3, p, li, dd, td, code, pre { overflow-wrap: anywhere; unicode-bidi: isolate; }
p { margin: .2rem 0; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
.dim, dt, .name, .proof, .look { color: var(--dim); }
.warn { color: var(--warn); }
code, pre, .times, .way { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .9em; }
.verdict { margin: .7rem 0; padding: .6rem .9rem; border-left: 5px solid var(--good); background: var(--good-ground); color: var(--text); border-radius: 0 6px 6px 0; }
.verdict.bad { border-color: var(--bad); background: var(--bad-ground); }
.verdict.warn { border-color: var(--warn); background: var(--warn-ground); }
.verdict b { font-size: 1.1rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
.findings, .legend { list-style: none; margin: 0; padding: 0; }
.findings li { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .8rem; margin: .5rem 0; }
.findings .wrong { border-color: var(--bad); }
.name, .proof { font-size: .9em; }
.proof > * + *::before { content: ", "; color: var(--dim); }
.depth1 { margin-left: 1.2rem !important; } .depth2 { margin-left: 2.4rem !important; }
.depth3 { margin-left: 3.6rem !important; } .depth4 { margin-left: 4.8rem !important; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: .15rem 1.5rem; margin: 0; }
dl > div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .6rem; }
dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93em; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--dim); font-weight: 600; white-space: nowrap; }
svg { display: block; }
svg text { fill: var(--text); font-size: 12px; }
svg svg { overflow: visible; }
.fluid { width: 100%; }
.drawing { display: flex; }
.drawing .times { flex: none; }
.drawing .times text { fill: var(--dim); font-size: 11px; }
.drawing .rows { flex: 1 0 auto; overflow: visible; }
.lifeline line { stroke: var(--line); stroke-width: 1.5; }
.lifeline text { font-weight: 600; }
.step { --tone: var(--link); }
.step.good { --tone: var(--good); } .step.warn { --tone: var(--warn); } .step.bad { --tone: var(--bad); } .step.again { --tone: var(--dim); }
.step text { fill: var(--tone); }
.step.bad text { font-weight: 600; }
.step line { stroke: var(--tone); stroke-width: 1.6; }
.step path { fill: var(--tone); }
.step.again line { stroke-dasharray: 2 3; }
.step a:hover text { text-decoration: underline; }
.leg0 { --leg: var(--c0); } .leg1 { --leg: var(--c1); } .leg2 { --leg: var(--c2); } .leg3 { --leg: var(--c3); } .leg4 { --leg: var(--c4); } .leg5 { --leg: var(--c5); }
.legs .step line { stroke: var(--leg); } .legs .step path { fill: var(--leg); }
.leg { color: var(--leg); }
.legend li { margin: .15rem 0; }
.flow line { stroke: var(--c3); stroke-width: 4; opacity: .55; } .flow path { fill: var(--c3); }
.missing line { stroke: var(--bad); stroke-width: 2.5; stroke-dasharray: 7 5; } .missing path { fill: var(--bad); } .missing text { fill: var(--bad); font-weight: 700; }
text.wide { display: none; }
.q0 { --line-colour: var(--c0); } .q1 { --line-colour: var(--c1); } .q2 { --line-colour: var(--c2); } .q3 { --line-colour: var(--c3); }
.letter { color: var(--line-colour); }
.lane { display: grid; grid-template-columns: 1.2rem 19rem minmax(0, 1fr); gap: 0 .5rem; align-items: center; margin: .25rem 0; }
.lane b { color: var(--line-colour, var(--bad)); }
.lane p { grid-column: 3; font-size: .85em; margin: 0; }
.lane .flow rect { fill: var(--line-colour); opacity: .3; }
.lane .missing text { paint-order: stroke; stroke: var(--ground); stroke-width: 6px; }
.lane .held rect { fill: var(--sheet); stroke: var(--dim); stroke-dasharray: 4 3; }
.lane .dropped rect { fill: url(#hatch); stroke: var(--warn); }
#hatch line { stroke: var(--warn); stroke-width: 3; }
#bare line { stroke: var(--dim); stroke-width: 1.5; opacity: .6; }
.unscored { fill: url(#bare); }
.lanes + .axis { margin-left: calc(20.7rem + 1.2rem - .7rem); }
.axis { display: flex; justify-content: space-between; font-size: .8em; color: var(--dim); margin: 0; }
figure { margin: 1rem 0 0; }
figcaption { font-weight: 600; }
figcaption .dim { font-weight: 400; }
figure .axis { margin-left: 38px; }
.picture { display: flex; }
.ticks { flex: none; }
.ticks text { fill: var(--dim); font-size: 11px; }
.plot { min-width: 0; }
.plot path { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--line); stroke-width: 1; }
.limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 2 4; }
.plot .line { stroke: var(--line-colour); stroke-width: 2; }
.plot .q1 { stroke-dasharray: 8 3; } .plot .q2 { stroke-dasharray: 3 2; } .plot .q3 { stroke-dasharray: 10 2 2 2; }
pre { white-space: pre-wrap; margin: .3rem 0 0; padding: .6rem .8rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 6px; line-height: 1.35; }
article:target h3 { text-decoration: underline; }
footer { margin-top: 2rem; padding-bottom: 2rem; color: var(--dim); font-size: .9em; }
@media (min-width: 960px) { text.wide { display: inline; } text.narrow { display: none; } }
@media (max-width: 600px) {
  header, main, footer { padding-left: .8rem; padding-right: .8rem; }
  h1 { font-size: 1.2rem; }
  dl > div { grid-template-columns: 7.5rem minmax(0, 1fr); }
  .lane { grid-template-columns: 1.2rem minmax(0, 1fr); margin: .6rem 0; }
  .lane svg, .lane p { grid-column: 1 / 3; }
  .lanes + .axis { margin-left: 0; }
  .way { font-size: .8em; }
  .depth1 { margin-left: .6rem !important; } .depth2, .depth3, .depth4 { margin-left: 1.2rem !important; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { border: 1px solid var(--line); border-radius: 6px; padding: .3rem .6rem; margin: .5rem 0; }
  td { border: 0; padding: .05rem 0; display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: .5rem; }
  td[data-head=""] { display: block; }
  td:empty { display: none; }
  td::before { content: attr(data-head); color: var(--dim); }
}
@media print {
  :root { font-size: 11px; }
  nav { display: none; }
  article, figure, .findings li, .lane, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .scroll { overflow: visible; }
  .drawing .rows { flex: 1 1 0; min-width: 0; }
  a { color: inherit; text-decoration: none; }
  .verdict, pre, .flow, .lane rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
