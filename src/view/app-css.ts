/** Layout of the viewer. */
export const appCss: string = `
:root{--found:light-dark(#ffe08a,#6b5200);--found-ink:light-dark(#1d1f21,#fff6dc)}
html,body,#app{height:100%}
.app{height:100%;display:grid;grid-template-rows:46px 1fr}
.panes{display:grid;min-height:0;grid-template-rows:minmax(0,1fr)}
.t-records>.panes,.t-sessions>.panes,.t-rejected>.panes{grid-template-columns:340px minmax(0,1fr) 360px}
.t-live>.panes,.t-overview>.panes{grid-template-columns:minmax(0,1fr)}
.overview summary{font-size:inherit}
.overview .lead{max-width:none}
.overview a:not(:hover){text-decoration-color:var(--rule2)}
.overview th a,.overview h1 a,.overview .tag a{color:inherit}
.overview svg text a,.overview svg a text{text-decoration:underline;text-decoration-color:var(--rule2)}
.overview section{padding-top:22px}
.overview .facts+.dim{margin-bottom:14px}
.hit{fill:transparent}
a:hover>.hit{fill:var(--sunk)}
.head{display:flex;align-items:center;gap:22px;padding:0 18px;border-bottom:1px solid var(--rule);background:var(--card)}
.head b{font-weight:650;letter-spacing:-.01em}
.head nav{display:flex;gap:2px;align-self:stretch}
.head nav a{display:flex;align-items:center;gap:7px;padding:0 12px;color:var(--ink2);text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px}
.head nav a span{color:var(--ink3);font-size:12px}
.head nav a[aria-current]{color:var(--ink);border-color:var(--accent);font-weight:550}
.keys{margin-left:auto;font-size:12px;color:var(--ink3)}
.head .quiet{margin-left:8px}
kbd{font-size:11px;border:1px solid var(--rule2);border-bottom-width:2px;border-radius:4px;padding:0 4px;margin:0 3px 0 8px;color:var(--ink2);background:var(--card)}
.keys kbd+kbd{margin-left:0}
.quiet{white-space:nowrap;font-size:12.5px;color:var(--ink2);border:1px solid var(--rule);border-radius:6px;padding:3px 9px;background:var(--card)}
.quiet:hover{border-color:var(--rule2);color:var(--ink)}
.quiet[aria-pressed=true]{background:var(--accent-soft);color:var(--accent);border-color:transparent}
.quiet kbd{margin:0 0 0 4px}
.panes>.list{display:grid;grid-template-rows:auto 1fr auto;min-height:0;border-right:1px solid var(--rule);background:var(--card)}
.find{display:grid;gap:7px;padding:10px 14px 8px;border-bottom:1px solid var(--rule);font-size:12px;min-height:0}
.find .line{display:flex;align-items:center;gap:10px;min-width:0}
.find select{font:inherit;color:var(--ink2);background:var(--card);border:1px solid var(--rule);border-radius:6px;padding:3px 4px}
.find .line>.chips{flex:1}
.chips{display:flex;flex-wrap:wrap;gap:5px;min-width:0}
.chip{display:inline-flex;gap:6px;align-items:baseline;max-width:100%;border:1px solid var(--rule);border-radius:99px;padding:1px 9px;font-size:12px;background:var(--card);color:var(--ink2);overflow-wrap:anywhere;text-align:left}
.chip:hover{border-color:var(--rule2);color:var(--ink)}
.chip[aria-pressed=true]{background:var(--accent-soft);color:var(--accent);border-color:transparent}
.chip[aria-pressed=true] .dim{color:inherit}
.facets{overflow:auto;max-height:42vh;display:grid;gap:10px;padding-bottom:4px}
.facets h2{font-size:11.5px;font-weight:600;color:var(--ink2);margin:2px 0 5px}
.find input{flex:1;min-width:0;font:inherit;font-size:13px;color:var(--ink);background:var(--sunk);border:1px solid transparent;border-radius:7px;padding:6px 10px}
.find input::placeholder{color:var(--ink3)}
.find input:focus{background:var(--card);border-color:var(--accent);outline:0}
.rows{overflow:auto;contain:strict;overflow-anchor:none}
.list:has(>.note)>.rows{display:none}
.space{position:relative}
.slot{position:absolute;inset:0 0 auto 0}
.row{display:grid;align-content:center;gap:5px;height:100%;padding:0 14px;border-bottom:1px solid var(--rule);color:inherit;text-decoration:none}
.row:hover{background:var(--sunk)}
.row.on{background:var(--accent-soft);box-shadow:inset 3px 0 var(--accent)}
.line1{display:flex;gap:9px;align-items:baseline;min-width:0}
.no{color:var(--ink3);font-size:11.5px;min-width:1.6em;text-align:right}
.ttl{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:13.5px;font-weight:480;flex:1}
.row.on .ttl{font-weight:600}
.row.on .no{color:var(--ink2)}
.line2{display:flex;gap:10px;align-items:center;font-size:11.5px;color:var(--ink2);padding-left:2.6em;white-space:nowrap;overflow:hidden}
.line2 .tag{font-size:10.5px;line-height:16px;padding:0 6px;margin-left:auto}
.line2 .tag:first-child{margin-left:0}
.src{overflow:hidden;text-overflow:ellipsis}
.pick{color:var(--accent);font-size:10px}
.blocks{display:flex;justify-content:space-between;padding:7px 14px;border-top:1px solid var(--rule);font-size:12px;color:var(--ink2)}
.blocks button{padding:0 10px}
.blocks button:disabled{opacity:.3}
.pane{overflow:auto;min-width:0;padding:0 0 60px;position:relative}
.pane:focus-visible,.side:focus-visible{outline-offset:-2px}
.pane.empty{display:grid;place-items:center;color:var(--ink3);grid-column:2/4}
.bar{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:10px;align-items:center;padding:12px 28px;background:color-mix(in oklab,var(--paper) 92%,transparent);backdrop-filter:blur(6px);border-bottom:1px solid var(--rule)}
.bar h1{font-size:15px;font-weight:640;letter-spacing:-.01em;margin-right:auto}
.seg{display:flex;border:1px solid var(--rule);border-radius:6px;overflow:hidden;background:var(--card)}
.seg button{padding:3px 11px;font-size:12.5px;color:var(--ink2)}
.seg button[aria-pressed=true]{background:var(--accent-soft);color:var(--accent);font-weight:550}
.msg{display:grid;grid-template-columns:92px minmax(0,46rem);gap:18px;padding:15px 28px;content-visibility:auto;contain-intrinsic-size:auto 110px}
.msg+.msg{border-top:1px solid var(--rule)}
.msg>header{text-align:right;font-size:12px;line-height:21px}
.msg>header b{font-weight:600}
.msg .at{display:block;color:var(--ink3);font-size:11px;line-height:14px;text-decoration:none}
.msg.marked,.call.marked,.logged.marked{background:var(--warn-soft);box-shadow:inset 3px 0 var(--warn)}
::highlight(found){background-color:var(--found);color:var(--found-ink)}
.r-system>header b,.r-developer>header b{color:var(--system)}
.r-user>header b{color:var(--user)}
.r-assistant>header b{color:var(--assistant)}
.r-tool>header b{color:var(--tool)}
.r-user>.body>.text{font-weight:500}
.r-system .text{color:var(--ink2)}
.msg>.body{min-width:0}
.msg>.body>*+*{margin-top:8px}
.context .msg>header b,.context .text{color:var(--ink3)}
.context .activity,.context .hint{color:var(--ink2)}
.context>.note{padding:8px 28px 12px 138px;border-bottom:2px dashed var(--rule2)}
.text pre{font-family:inherit;font-size:14px;line-height:1.55}
.text.mono pre{font-size:12.2px;line-height:1.55}
.text pre .md-mark,.text .md-mark{font-size:0}
.text i{font-style:normal}
.md-strong,.md-h{font-weight:650}
.md-h{font-size:1.12em}
.md-em{font-style:italic}
.md-s{text-decoration:line-through}
.md-code{font-family:var(--mono);font-size:.9em;background:var(--sunk);border-radius:4px;padding:1px 4px}
.md-link{text-decoration:underline;text-decoration-color:var(--rule2);text-underline-offset:2px}
.md-url,.md-html{color:var(--ink2);font-size:.9em}
.md-html{font-family:var(--mono)}
.md-item{color:var(--ink2);font-weight:650}
.md-block,.md-table{display:block;font-family:var(--mono);font-size:12.2px;line-height:1.55}
.md-block{background:var(--sunk);border-radius:6px;padding:6px 10px;margin:3px 0}
.md-quote{display:block;border-left:3px solid var(--rule2);padding-left:10px;color:var(--ink2)}
.md-rule{display:block;font-size:0;line-height:0;border-top:1px solid var(--rule2);margin:2px 0;max-width:46rem}
.md-cell{display:inline-block;max-width:100%}
.text img{display:block;margin:4px 0}
.more{font-size:12.5px;color:var(--accent);margin-top:4px;text-decoration:underline;text-underline-offset:2px}
.note{color:var(--ink2);font-size:13px;font-style:italic}
.msg img{max-width:min(100%,420px);max-height:320px;border:1px solid var(--rule);border-radius:6px;min-width:24px;min-height:24px;background:var(--sunk)}
.call,.think,.tools{border:1px solid var(--rule);border-radius:7px;background:var(--card)}
.call+.call{margin-top:5px}
.tools{margin:16px 28px 4px 138px;max-width:46rem}
summary{cursor:pointer;list-style:none;display:flex;gap:10px;align-items:baseline;padding:6px 11px;font-size:12.8px}
summary::-webkit-details-marker{display:none}
summary::before{content:"";flex:none;width:5px;height:5px;border-right:1.5px solid var(--ink3);border-bottom:1.5px solid var(--ink3);transform:translateY(-2px) rotate(-45deg)}
details[open]>summary::before{transform:translateY(-3px) rotate(45deg)}
.activity{font-weight:580;white-space:nowrap}
.hint{font-family:var(--mono);font-size:11.5px;color:var(--ink2);overflow:hidden;text-overflow:ellipsis;white-space:nowrap;flex:1;min-width:0}
.size{margin-left:auto;color:var(--ink3);font-size:11.5px;white-space:nowrap}
.io,.think>.text,.tools>.text{border-top:1px solid var(--rule);padding:9px 12px 11px}
p.cap{margin:0 0 2px;font-size:11px;font-weight:500;color:var(--ink3)}
.io .text+.cap{margin-top:9px}
.think summary{color:var(--ink2)}
.think .text{color:var(--ink2)}
.states{display:flex;gap:6px;flex-wrap:wrap;font:11px var(--mono);color:var(--ink3)}
.states span{border:1px dashed var(--rule2);border-radius:4px;padding:0 6px}
.side{overflow:auto;border-left:1px solid var(--rule);background:var(--card);padding:16px 18px 40px}
.side h2{font-size:12.5px;font-weight:600;color:var(--ink2);margin:20px 0 8px}
.side h2:first-child,.side>.aside-only+h2{margin-top:0}
.side dl{display:grid;grid-template-columns:62px minmax(0,1fr);gap:4px 10px;font-size:12.5px}
.side dt{color:var(--ink3)}
.side dd{overflow-wrap:anywhere}
.tree{font-size:12.5px}
.tree li{padding:3px 0 3px 10px;border-left:2px solid var(--rule)}
.tree a[aria-current]{color:inherit;font-weight:600;text-decoration:none}
.tree .tag{margin-left:8px}
.tree .mono{overflow-wrap:anywhere}
.tree .tree .tree .tree .tree .tree .tree li{padding-left:0}
.cmd{display:block;margin-top:10px;background:var(--sunk);border-radius:6px;padding:7px 10px;font-size:11.5px;overflow-wrap:anywhere;color:var(--ink2);user-select:all}
.finds li{font-size:12.5px;margin-bottom:8px}
.finds p{color:var(--ink2)}
.diff section{border:1px solid var(--rule);border-radius:7px;margin-top:8px;overflow:hidden}
.diff section>header{display:flex;gap:8px;align-items:center;padding:6px 10px;font-size:12px}
.diff section>header .dim{margin-left:auto}
.diff .text{padding:7px 10px}
.diff .more{font-size:11.5px}
.diff .text.mono pre{font-size:11.3px}
.d-dropped .text,.minus{background:var(--bad-soft)}
.plus{background:var(--good-soft)}
.diff>p{font-size:12px}
.side .members,.members{display:block;padding:2px 10px 9px}
.members dt{margin-top:6px;font-size:11px;color:var(--ink3);overflow-wrap:anywhere}
.members pre{font-size:11.8px;line-height:1.55}
.members del{background:var(--bad-soft);text-decoration:line-through;text-decoration-color:var(--bad)}
.members ins{background:var(--good-soft);text-decoration:none;box-shadow:0 1.5px var(--good)}
.pane>.lead,.grown>.lead{padding:16px 28px;color:var(--ink2);max-width:46rem}
.hex{margin:0 28px;padding:14px 16px;background:var(--card);border:1px solid var(--rule);border-radius:8px;font-size:12.2px;line-height:1.6}
.hex mark{background:var(--bad);color:var(--paper);border-radius:3px;padding:0 3px}
.entry>h2{font-size:12px;font-weight:600;color:var(--ink2);padding:18px 28px 0 138px}
.entry>h2 .dim{font-weight:400}
.entry{border-bottom:1px solid var(--rule)}
.pill{position:sticky;bottom:18px;left:50%;transform:translateX(-50%);display:block;background:var(--ink);color:var(--paper);border-radius:99px;padding:6px 15px;font-size:13px;font-weight:550;box-shadow:0 4px 16px #0003}
.notice{display:grid;place-content:center;height:100%;gap:8px;text-align:center}
.notice h1{font-size:19px}
@media(prefers-reduced-motion:reduce){*{scroll-behavior:auto!important}}
.pane.span{grid-column:2/4}
.pane.empty{text-align:center;align-content:center}
.pane.empty h1{font-size:18px;color:var(--ink2);font-weight:600}
.note.inset{padding:16px 28px}
.entry .note.inset{padding:8px 28px 16px 138px}
.whole{padding:20px 28px;max-width:60rem}
.about{padding:20px 28px;max-width:60rem}
fieldset.seg{margin:0;padding:0}
.msg>header bdi{overflow-wrap:anywhere}
.help{position:fixed;inset:auto 18px 18px auto;margin:0;border:1px solid var(--rule2);border-radius:10px;background:var(--card);color:var(--ink);padding:16px 20px;box-shadow:0 8px 32px #0004;z-index:5;max-width:28rem}
.help dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 14px;margin-bottom:12px;font-size:13px}
.about dl{display:grid;grid-template-columns:92px minmax(0,1fr);gap:5px 10px;font-size:12.5px}
.about .why{margin-bottom:16px;color:var(--ink2)}
.about dt{color:var(--ink3)}
.about dd{overflow-wrap:anywhere}
.about h2{font-size:13px;font-weight:600;color:var(--ink2);margin:22px 0 8px}
.narrow-only,.aside-only{display:none}
@media(max-width:1080px){.t-records>.panes,.t-sessions>.panes,.t-rejected>.panes{grid-template-columns:300px minmax(0,1fr)}.keys{display:none}
.aside-only{display:inline-block}.side>.aside-only{float:right}.side{display:none}.with-side .side{display:block;position:fixed;inset:46px 0 0 auto;width:min(400px,100%);z-index:3;box-shadow:0 8px 32px #0004}}
@media(max-width:700px){.t-records>.panes,.t-sessions>.panes,.t-rejected>.panes{grid-template-columns:minmax(0,1fr)}.chosen>.panes>.list,.app:not(.chosen)>.panes>.pane.empty{display:none}.narrow-only{display:inline-block;text-decoration:none}.pane.empty{grid-column:auto}
.pane.span{grid-column:auto}.head{gap:10px;padding:0 10px;overflow-x:auto}.head>b{display:none}.head nav a{padding:0 5px;gap:4px;font-size:13px}.head{gap:4px;padding:0 6px}.head .quiet{margin-left:auto}.head .quiet span{position:absolute;left:-999px}.bar{padding:10px 16px}.bar h1{overflow-wrap:anywhere}.entry>h2{padding-left:16px}.msg{grid-template-columns:1fr;gap:4px;padding:12px 16px}.msg>header{text-align:left}.tools{margin-left:16px}.context>.note{padding-left:16px}.about{padding:16px}.pane>.lead{padding:16px}.hex{margin:0 16px}}
@media print{.head,.panes>.list,.side,.bar button,.seg{display:none}.panes{display:block!important}.pane{overflow:visible}html,body,#app,.app{height:auto}.msg{content-visibility:visible;break-inside:avoid}}
`;
