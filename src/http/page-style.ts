/**
 * The one stylesheet of every page. Colours follow the system's preference; each pair of text and ground is at least 4.5 : 1.
 * The grounds of `.table` are a shadow at the side where more of it is to come: it stays where it is, what covers it scrolls.
 */

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --surface: #ffffff; --raised: #eef1f4;
  --text: #1b232e; --muted: #535e6d; --line: #d9dee5; --edge: #7a8594;
  --accent: #0a5c68; --accent-strong: #084a54; --on-accent: #ffffff;
  --ok: #17603a; --ok-ground: #e4f4ea; --warn: #784400; --warn-ground: #fdf0da;
  --danger: #a1211d; --danger-strong: #861a17; --danger-ground: #fdeceb; --on-danger: #ffffff;
  --series-1: #0a6c7a; --series-2: #b4530a; --series-3: #5b4fc4; --series-4: #b0276f; --series-5: #4d7c0f; --series-6: #5f6877;
  --shadow: 0 1px 2px rgb(20 30 45 / 6%), 0 4px 16px rgb(20 30 45 / 5%);
  --radius: 12px; --small-radius: 8px;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11151b; --surface: #191f28; --raised: #222a35;
    --text: #e7ebf1; --muted: #a3aebd; --line: #2d3643; --edge: #78869a;
    --accent: #72cbd7; --accent-strong: #9bdde6; --on-accent: #06252a;
    --ok: #86d9a4; --ok-ground: #15301f; --warn: #f0c070; --warn-ground: #35280f;
    --danger: #ff9b93; --danger-strong: #ffb9b3; --danger-ground: #3a1a19; --on-danger: #350705;
    --series-1: #4fb8c6; --series-2: #f0a35e; --series-3: #a79cf5; --series-4: #f07ab5; --series-5: #a3d15b; --series-6: #9aa4b2;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column;
  background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
}
h1, h2, h3 { line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; }
h1 { font-size: clamp(1.5rem, 1.2rem + 1.4vw, 2rem); letter-spacing: -.015em; margin-bottom: 1.1rem; }
h2 { font-size: 1.15rem; letter-spacing: -.005em; margin-bottom: .8rem; }
h3 { font-size: 1rem; }
p { margin: 0 0 .75rem; max-width: 68ch; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .18em; }
a:hover { color: var(--accent-strong); text-decoration-thickness: 2px; }
code, pre { font-family: var(--mono); font-size: .92em; overflow-wrap: anywhere; }
pre { margin: 0 0 .75rem; padding: .85rem 1rem; background: var(--raised); border-radius: var(--small-radius); white-space: pre-wrap; overflow-wrap: anywhere; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.25rem 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.muted, .hint { color: var(--muted); }
.hint { font-size: .9rem; }
form + .hint { margin-top: 1rem; }
.field .hint { margin: .35rem 0 0; }
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: .75rem; top: -4rem; z-index: 2; padding: .6rem 1rem; background: var(--surface); border-radius: var(--small-radius); }
.skip:focus { top: .75rem; }

.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.top > div { max-width: 64rem; margin: 0 auto; padding: .6rem 1.25rem; display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
.brand { display: inline-flex; align-items: center; gap: .55rem; margin-right: auto; min-height: 2.5rem; color: var(--text); font-weight: 650; letter-spacing: -.01em; text-decoration: none; }
.brand svg { width: 1.5rem; height: 1.5rem; color: var(--accent); }
.top nav { display: flex; flex-wrap: wrap; gap: .25rem; align-items: center; }
.top nav a, .top nav button {
  min-height: 2.5rem; padding: .35rem .75rem; display: inline-flex; align-items: center; border: 0; border-radius: var(--small-radius);
  background: none; color: var(--text); font: inherit; font-weight: 400; text-decoration: none; cursor: pointer;
}
.top nav a:hover, .top nav button:hover { background: var(--raised); color: var(--text); }
.top nav a[aria-current] { background: var(--raised); font-weight: 600; }
main { flex: 1; width: 100%; max-width: 64rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
main.narrow { max-width: 29rem; }
.bottom { border-top: 1px solid var(--line); color: var(--muted); font-size: .9rem; }
.bottom > div { max-width: 64rem; margin: 0 auto; padding: 1rem 1.25rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.bottom a { color: inherit; padding: .15rem 0; }

.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); padding: 1.5rem; margin: 0 0 1.25rem; }
.card > :last-child, .notice > :last-child { margin-bottom: 0; }
.card.danger { border-left: 4px solid var(--danger); }
.grid { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); margin-bottom: 1.25rem; }
.grid > .card { margin: 0; }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; margin-bottom: 1rem; }
.head > * { margin: 0; }
.lead { font-size: 1.1rem; color: var(--muted); margin: -.5rem 0 1.5rem; }

dl.details { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .6rem 1.5rem; margin: 0 0 1.25rem; }
dl.details dt { color: var(--muted); }
dl.details dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl.details { grid-template-columns: 1fr; gap: 0; } dl.details dd { margin-bottom: .75rem; } .card { padding: 1.15rem; } }

.notice { border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: var(--small-radius); background: var(--raised); padding: .85rem 1rem; margin: 0 0 1.25rem; max-width: none; }
.notice.ok { border-color: var(--ok); background: var(--ok-ground); color: var(--ok); }
.notice.warn { border-color: var(--warn); background: var(--warn-ground); color: var(--warn); }
.notice.error { border-color: var(--danger); background: var(--danger-ground); color: var(--danger); }
.status:empty, .field-error:empty { margin: 0; padding: 0; border: 0; }
.badge { display: inline-block; padding: .1rem .6rem; border-radius: 99px; background: var(--raised); color: var(--text); font-size: .82rem; font-weight: 600; white-space: nowrap; }
.badge.ok { background: var(--ok-ground); color: var(--ok); }
.badge.warn { background: var(--warn-ground); color: var(--warn); }
.badge.error { background: var(--danger-ground); color: var(--danger); }

.table { position: relative; overflow-x: auto; margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: var(--small-radius); }
.card .table:last-child { margin-bottom: 0; }
.table {
  background:
    linear-gradient(to right, var(--surface) 50%, transparent) left / 2rem 100% local,
    linear-gradient(to left, var(--surface) 50%, transparent) right / 2rem 100% local,
    linear-gradient(to right, var(--line), transparent) left / .75rem 100% scroll,
    linear-gradient(to left, var(--line), transparent) right / .75rem 100% scroll,
    var(--surface);
  background-repeat: no-repeat;
}
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th, td { padding: .6rem .85rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--raised); font-size: .85rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
td code { overflow-wrap: normal; }
code.whole { white-space: nowrap; }
tbody tr:first-child > * { border-top: 0; }
.day { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }

.field { margin: 0 0 1.1rem; }
.card .field { max-width: 27rem; }
.card dialog .field { max-width: none; }
label, legend { display: block; font-weight: 600; margin-bottom: .3rem; }
label.check { display: flex; gap: .6rem; align-items: center; font-weight: 400; min-height: 2rem; margin: 0; }
fieldset { border: 1px solid var(--line); border-radius: var(--small-radius); margin: 0 0 1rem; padding: .75rem 1rem; }
input, select, textarea {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: var(--small-radius);
  background: var(--surface); color: var(--text); font: inherit;
}
input[type=checkbox] { width: 1.25rem; min-height: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
textarea { min-height: 6rem; resize: vertical; }
[aria-invalid=true] { border-color: var(--danger); }
.field-error { color: var(--danger); margin: .35rem 0 0; font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .5rem 1.1rem;
  border: 1px solid transparent; border-radius: var(--small-radius); background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); color: var(--on-accent); }
button.secondary, .button.secondary { background: var(--surface); border-color: var(--edge); color: var(--text); }
button.secondary:hover, .button.secondary:hover { background: var(--raised); color: var(--text); }
button.danger { background: var(--danger); color: var(--on-danger); }
button.danger:hover { background: var(--danger-strong); color: var(--on-danger); }
main.narrow form > button { width: 100%; }
details { margin: 0 0 1rem; }
details[open] > summary { margin-bottom: .5rem; }
details > summary { cursor: pointer; min-height: 2.5rem; display: inline-flex; align-items: center; gap: .5rem; font-weight: 600; color: var(--accent); }
details > summary::before { content: "▸"; }
details[open] > summary::before { content: "▾"; }
.secret { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 0 0 1rem; }
.secret code { flex: 1 1 16rem; min-width: 0; padding: .65rem .85rem; background: var(--raised); border: 1px solid var(--line); border-radius: var(--small-radius); user-select: all; }

.chart { margin: 0 0 1.25rem; }
.chart figcaption { font-weight: 600; margin-bottom: .5rem; }
.chart .scale { display: flex; justify-content: space-between; gap: 1rem; color: var(--muted); font-size: .85rem; font-variant-numeric: tabular-nums; }
.chart .plot { display: block; width: 100%; height: 11rem; border-block: 1px solid var(--line); border-bottom-color: var(--edge); }
.chart line { stroke: var(--line); vector-effect: non-scaling-stroke; }
.chart rect { stroke: var(--surface); stroke-width: 1px; vector-effect: non-scaling-stroke; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .6rem 0 0; padding: 0; list-style: none; }
.legend svg { width: .8rem; height: .8rem; margin-right: .4rem; }
.series-1 { fill: var(--series-1); } .series-2 { fill: var(--series-2); } .series-3 { fill: var(--series-3); }
.series-4 { fill: var(--series-4); } .series-5 { fill: var(--series-5); } .series-6 { fill: var(--series-6); }

dialog { width: min(32rem, calc(100vw - 2rem)); padding: 1.5rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--text); box-shadow: 0 16px 48px rgb(0 0 0 / 30%); }
dialog::backdrop { background: rgb(10 15 22 / 55%); }
dialog .actions { justify-content: flex-end; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; margin: -.75rem 0 1.5rem; border-bottom: 1px solid var(--line); }
.tabs a { min-height: 2.5rem; padding: .4rem .8rem; display: inline-flex; align-items: center; color: var(--text); text-decoration: none; border-bottom: 3px solid transparent; }
.tabs a:hover { border-color: var(--edge); }
.tabs a[aria-current] { border-color: var(--accent); font-weight: 600; }
.tree ul { margin: 0; padding-left: 1.25rem; list-style: none; border-left: 1px solid var(--line); }
.tree > ul { padding-left: 0; border-left: 0; }
.tree li { padding: .3rem 0; overflow-wrap: anywhere; }
th .hint { font-weight: 400; }
form > label.check { margin-bottom: 1rem; }
details.confirm form { max-width: 30rem; padding: .75rem 1rem; margin: .25rem 0 .5rem; border-left: 4px solid var(--danger); background: var(--danger-ground); border-radius: var(--small-radius); }
td details.confirm { margin: 0; }
td details.confirm > summary { min-height: 1.5rem; }
@media print { .top, .bottom, .skip { display: none; } .card { box-shadow: none; } }
@media (forced-colors: active) { button, .button, .badge { border: 1px solid; } }
`.trimStart();

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0a5c68"/><path d="M7 6v9.5A2.5 2.5 0 0 0 9.5 18H17M11 6h6M11 10h6M11 14h3" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;
