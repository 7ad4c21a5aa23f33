/** Layout of the report. */
export const reportCss: string = `
.wrap{max-width:1020px;margin:0 auto;padding:0 28px}
header.top{border-bottom:1px solid var(--rule);background:var(--card);position:sticky;top:0;z-index:2}
header.top .wrap{display:flex;gap:22px;align-items:center;height:46px;overflow:auto}
header.top b{font-weight:650;letter-spacing:-.01em;white-space:nowrap}
header.top nav{display:flex;gap:16px;margin-left:auto;font-size:13px}
header.top nav a{color:var(--ink2);text-decoration:none;white-space:nowrap}
header.top nav a:hover{color:var(--accent)}
.lead{padding:44px 0 26px}
.lead h1{font-size:31px;line-height:1.22;letter-spacing:-.022em;font-weight:640;max-width:21em;text-wrap:balance}
.lead h1 em{font-style:normal;color:var(--kept)}
.lead h1 em.bad{color:var(--bad)}
.lead p{margin-top:12px;color:var(--ink2);font-size:14.5px;max-width:64em}
.lead .tag{margin-right:6px}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:20px 22px;margin:0 0 16px}
.list{padding:6px 22px}
main>section{scroll-margin-top:60px;padding-top:26px}
h2{font-size:18px;letter-spacing:-.012em;font-weight:640;margin-bottom:3px}
h2+p{color:var(--ink2);margin-bottom:14px;max-width:62em}
h3{font-size:12.5px;font-weight:600;color:var(--ink2);margin-bottom:10px}
.grid3{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:16px}
.grid2{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
.span2{grid-column:span 2}
.span3{grid-column:1/-1}
.scroll{overflow-x:auto}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:0 44px;align-items:start}
.grid3 .card,.grid2 .card{margin:0}
table{border-collapse:collapse;width:100%}
th{text-align:left;font-weight:550}
td,th{padding:5px 0;vertical-align:top}
.bars td,.bars th{padding:3px 0;font-weight:450;font-size:13px}
.bars th{max-width:15em;overflow-wrap:anywhere;padding-right:12px}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5em,1fr));gap:10px 16px;margin:0 0 8px}
.facts dt{font-size:12px;color:var(--ink3)}
.facts dd{margin:0;font-size:19px;font-weight:600}
section>p{overflow-wrap:anywhere}
section>p+p{margin-top:4px}
section>p+.card,section>p+.grid3{margin-top:14px}
.lead .tag.bad{white-space:normal}
.bars .barcell{width:40%;padding:0 12px 0 0;vertical-align:middle!important}
.barcell svg{width:100%;display:block}
.bars td.dim{padding-left:10px}
.plain thead th{font-size:12px;color:var(--ink3);font-weight:500;border-bottom:1px solid var(--rule);padding-bottom:6px}
.plain td,.plain tbody th{border-bottom:1px solid var(--rule);padding:7px 14px 7px 0;font-weight:450}
.plain tr:last-child td,.plain tr:last-child th{border-bottom:0}
.plain .num{padding-right:14px}
.plain th.num{text-align:right}
details{border-bottom:1px solid var(--rule)}
details:last-of-type{border-bottom:0}
summary{display:grid;grid-template-columns:14px minmax(11em,15em) 64px 1fr auto;gap:12px;align-items:center;padding:10px 0;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"";width:7px;height:7px;border-right:1.6px solid var(--ink3);border-bottom:1.6px solid var(--ink3);transform:rotate(-45deg)}
details[open]>summary::before{transform:rotate(45deg)}
summary b{font-weight:600}
summary .why{color:var(--ink2);font-size:13px}
.ex{margin:2px 0 14px 26px;display:grid;gap:10px}
.ex li{border-left:2px solid var(--rule2);padding-left:12px}
.ex p{font-size:13px}
.cmd{display:block;font:12px/1.5 var(--mono);background:var(--sunk);border-radius:5px;padding:5px 9px;margin-top:4px;overflow-wrap:anywhere;color:var(--ink2)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:10px;font-size:12.5px;color:var(--ink2)}
.legend svg{display:inline-block;vertical-align:-1px;margin-right:6px}
.kv{display:grid;grid-template-columns:max-content 1fr;gap:5px 20px;font-size:13px}
.kv dt{color:var(--ink3)}
.kv dd{overflow-wrap:anywhere}
.up{color:var(--ink)}
.flag{color:var(--bad);font-weight:600}
footer{padding:34px 0 50px;color:var(--ink3);font-size:12.5px}
.skip{position:absolute;left:-999px}
.skip:focus{left:12px;top:8px;background:var(--card);padding:6px 10px;z-index:3}
.narrow{display:none}
.narrow svg{width:100%;margin-bottom:8px}
.narrow .role svg{width:9px;margin-bottom:0}
@media(max-width:760px){.wide{display:none}.narrow{display:block}.grid3,.grid2{grid-template-columns:1fr}.span2,.span3{grid-column:auto}.plain th[scope=row]{min-width:9em;overflow-wrap:anywhere}.plain td,.plain tbody th{padding-right:8px}h1,.why,.ex{overflow-wrap:anywhere}.wrap{padding:0 16px}.lead h1{font-size:25px}header.top nav{display:none}summary{grid-template-columns:14px 1fr auto}summary .why,summary svg{display:none}[open]>summary .why{display:block;grid-column:2/-1}summary .tag{grid-column:2;justify-self:start}}
@media print{:root{color-scheme:light}header.top{position:static}header.top nav{display:none}body{background:#fff;font-size:10.5pt}.grid3 .card,figure.card,.ex li,tr{break-inside:avoid}h2,h2+p{break-after:avoid}.card{border-color:#ccc}@page{margin:15mm}details::details-content{content-visibility:visible;block-size:auto}.wrap{max-width:none;padding:0}a{text-decoration:none;color:inherit}}
@media(prefers-contrast:more){:root{--rule:var(--ink3);--ink2:var(--ink);--ink3:var(--ink)}}
`;
