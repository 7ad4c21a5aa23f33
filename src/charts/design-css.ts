/** Colours, type and charts, for the report and the viewer: light and dark by the system's setting. */
export const designCss: string = `
:root{
  color-scheme:light dark;
  --paper:light-dark(#fbfaf7,#15171a); --card:light-dark(#ffffff,#1b1e22); --sunk:light-dark(#f3f1eb,#111316);
  --ink:light-dark(#1d1f21,#e6e4df); --ink2:light-dark(#565a5e,#a6a8a9); --ink3:light-dark(#6f7377,#8b8f92);
  --rule:light-dark(#e4e0d7,#2b2f34); --rule2:light-dark(#cfcabf,#3b4046);
  --accent:light-dark(#0b6b5d,#5cc8b4); --accent-soft:light-dark(#e2f0ec,#173430);
  --kept:light-dark(#0f7a69,#4db7a3); --folded:light-dark(#5fa596,#34806f); --superseded:light-dark(#a9bdb7,#4f6660); --blank:light-dark(#d9d6cd,#3a3e42);
  --dropped:light-dark(#d9a441,#b98a35); --truncated:light-dark(#b98257,#9c7350); --rejected:light-dark(#b8412f,#e0705c);
  --bad:light-dark(#a83222,#f08f7c); --bad-soft:light-dark(#fbeae6,#3a1f1b); --warn:light-dark(#855a00,#e0b45c); --warn-soft:light-dark(#fbf1db,#33290f);
  --good:light-dark(#0b6b5d,#5cc8b4); --good-soft:light-dark(#e2f0ec,#12302b);
  --system:light-dark(#6b6480,#a79fc0); --user:light-dark(#2a5db0,#86aef2); --assistant:light-dark(#0b6b5d,#5cc8b4); --tool:light-dark(#855a00,#d9ab55);
  --sans:"Inter var","Inter",ui-sans-serif,system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans","Noto Sans CJK JP",sans-serif;
  --mono:"JetBrains Mono",ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
  --r:6px;
}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:14px/1.5 var(--sans);font-feature-settings:"tnum","cv05"}
h1,h2,h3,p,figure,dl,dd,ol,ul{margin:0}
ol,ul{padding:0;list-style:none}
a{color:var(--accent);text-underline-offset:2px;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
code,pre,kbd,.mono{font-family:var(--mono);font-size:.92em}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
bdi{unicode-bidi:isolate}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.muted{color:var(--ink2)}
.dim{color:var(--ink3)}
.num{font-variant-numeric:tabular-nums;text-align:right;white-space:nowrap}
.tag{display:inline-block;padding:0 7px;border-radius:99px;font-size:11.5px;line-height:19px;font-weight:550;background:var(--sunk);color:var(--ink2);white-space:nowrap}
.tag.bad{background:var(--bad-soft);color:var(--bad)}
.tag.warn{background:var(--warn-soft);color:var(--warn)}
.tag.good{background:var(--good-soft);color:var(--good)}
.f-snapshot,.f-records{fill:var(--kept)}
.f-folded{fill:var(--folded)}
.f-superseded{fill:var(--superseded)}
.f-blank{fill:var(--blank)}
.f-dropped{fill:var(--dropped)}
.f-truncated{fill:var(--truncated)}
.f-rejected{fill:var(--rejected)}
.f-lines{fill:var(--ink2)}
.f-system{fill:var(--system)}
.f-user{fill:var(--user)}
.f-assistant{fill:var(--assistant)}
.f-tool{fill:var(--tool)}
.f-bar{fill:var(--accent)}
.f-track{fill:var(--sunk)}
.f-ERROR{fill:var(--rejected)}
.f-WARNING{fill:var(--dropped)}
svg{display:block;max-width:100%}
svg text{fill:var(--ink);font-family:var(--sans)}
svg .t2{fill:var(--ink2)}
svg .t3{fill:var(--ink3)}
svg .band{opacity:.30}
svg .axis{stroke:var(--rule2);stroke-width:1}
svg .grid{stroke:var(--rule);stroke-width:1}
.role svg{display:inline-block;margin-right:8px;vertical-align:0}
.flow{width:100%;height:auto}
`;
