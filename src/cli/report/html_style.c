/* html_style.c - how a page looks: light, dark and on paper.
 *
 * Colours are those of Okabe and Ito (2008), which readers with any kind of colour vision tell
 * apart; on white their yellow is darker, on black their black is white. Drawings take every
 * colour from here: k0 .. k7 are the colours of classes and series, d1 .. are their dashes. */
#include "cli/report/html.h"

/* clang-format off */
const char *const html_style[] = {
":root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--rule:#d0d7de;"
"--box:#f6f8fa;--grid:#e3e8ed;--good:#0072b2;--bad:#d55e00;--on:#fff;--grey:#9aa4ae;"
"--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#e69f00;--c5:#56b4e9;--c6:#000;"
"--c7:#b3a400}\n",
"@media(prefers-color-scheme:dark){:root{--back:#0f1318;--text:#e6edf3;--soft:#9aa7b4;"
"--rule:#353d47;--box:#171c23;--grid:#262d36;--good:#56b4e9;--bad:#f0803c;--on:#0b0e12;"
"--grey:#5d6773;--c0:#4aa3df;--c1:#f0803c;--c2:#19c294;--c3:#dd93bb;--c4:#f2b632;--c5:#9ad3f5;"
"--c6:#fff;--c7:#f0e442}}\n",
"*{box-sizing:border-box}\n",
"body{margin:0;background:var(--back);color:var(--text);"
"font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif}\n",
"main{max-width:1120px;margin:0 auto;padding:16px}\n",
"h1{font-size:1.7rem;line-height:1.25;margin:.4em 0 .2em;overflow-wrap:anywhere}\n",
"h2{font-size:1.25rem;margin:2.2em 0 .6em;padding-top:.5em;border-top:1px solid var(--rule)}\n",
"h3{font-size:1rem;margin:0 0 .3em;overflow-wrap:anywhere}\n",
"p{max-width:75ch;margin:.5em 0}\n",
".lead{color:var(--soft);overflow-wrap:anywhere}\n",
".note,figcaption{color:var(--soft);font-size:.9rem;max-width:80ch}\n",
"nav ul{display:flex;flex-wrap:wrap;gap:.2em 1.2em;list-style:none;margin:.8em 0;padding:0}\n",
"a{color:var(--good)}\n",
"dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25em 1.2em;margin:.5em 0}\n",
"dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n",
"pre{background:var(--box);border:1px solid var(--rule);border-radius:6px;padding:.7em .9em;"
"white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem;margin:.5em 0}\n",
".word{white-space:nowrap}\n",
"code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace}\n",
".wide{overflow-x:auto;max-width:100%}\n",
"table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n",
"caption{text-align:left;color:var(--soft);padding:.2em 0}\n",
"th,td{padding:.35em .6em;text-align:right;border-bottom:1px solid var(--rule);"
"vertical-align:top}td{white-space:nowrap}\n",
"th button{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:inherit;"
"cursor:pointer;overflow-wrap:inherit}th button:hover{text-decoration:underline}\n",
"th[aria-sort] button::after{content:' \\2191'}th[aria-sort=descending] button::after{content:' "
"\\2193'}\n",
"tbody th{overflow-wrap:anywhere;min-width:6em}\n",
"details{margin:.5em 0}summary{cursor:pointer;font-weight:600;padding:.2em 0}\n",
"thead th{vertical-align:bottom;color:var(--soft);font-weight:600}\n",
"th:first-child,td.left,th.left{text-align:left}\n",
"tbody th{font-weight:600;position:sticky;left:0;background:var(--back);background-clip:padding-box}\n",
"td .more{display:block;color:var(--soft);font-size:.8rem;white-space:normal}\n",
"tr.best td.score{font-weight:700}\n",
"td.values{white-space:normal;min-width:10em;text-align:left;overflow-wrap:anywhere}\n",
"ul.classes{display:flex;flex-wrap:wrap;gap:.1em 1.6em;margin:.5em 0;padding:0;list-style:none}"
"ul.classes li{overflow-wrap:anywhere}\n",
"figure{margin:1em 0}\n",
".drawings{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));"
"gap:1em 1.6em;align-items:start}\n",
".drawings.large{grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}\n",
".drawings>*{min-width:0}\n",
"svg{display:block;width:100%;height:auto;max-width:560px;font:13px system-ui,-apple-system,"
"'Segoe UI',Roboto,'Liberation Sans',sans-serif}\n",
"svg.bar{width:120px;height:18px}svg.key{width:16px;height:16px;flex:none}\n",
"ul.legend{display:flex;flex-wrap:wrap;gap:.1em 1.1em;list-style:none;padding:0;margin:.6em 0;"
"font-size:.85rem}\n",
"ul.legend li{display:flex;align-items:center;gap:.3em;overflow-wrap:anywhere}\n",
".drawings.small2{grid-template-columns:repeat(auto-fill,minmax(130px,1fr))}\n",
".drawings.small2 svg{max-width:170px}.drawings.small2 h3,.drawings.small3 h3{font-size:.85rem}\n",
"svg text{fill:var(--text)}svg .soft{fill:var(--soft)}svg .tiny{font-size:11px}\n",
"svg .name{font-weight:600}\n",
".grid{stroke:var(--grid);stroke-width:1;fill:none}.axis{stroke:var(--soft);fill:none}\n",
".k0{--k:var(--c0)}.k1{--k:var(--c1)}.k2{--k:var(--c2)}.k3{--k:var(--c3)}.k4{--k:var(--c4)}"
".k5{--k:var(--c5)}.k6{--k:var(--c6)}.k7{--k:var(--c7)}.kx{--k:var(--grey)}\n",
".line{stroke:var(--k);stroke-width:2;fill:none;stroke-linejoin:round}\n",
".d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:9 3 2 3}\n",
".thin{stroke-width:1;stroke-opacity:.55}\n",
".band{fill:var(--k);fill-opacity:.22;stroke:none}\n",
".mark{stroke:var(--k);stroke-width:1.4;fill:var(--back);fill-opacity:.35}\n",
".mark.full{fill:var(--k);fill-opacity:.85}\n",
".bar .room{fill:var(--grid)}.bar .fill{fill:var(--good)}"
".bar .whisker{stroke:var(--text);stroke-width:1.5;fill:none}\n",
".right{fill:var(--good)}.wrong{fill:var(--bad)}svg text.on{fill:var(--on)}\n",
".field{fill:var(--box);stroke:var(--rule)}\n",
"@media(max-width:640px){svg.bar{width:64px}th,td{padding:.35em .45em}}\n",
"footer{margin-top:2.5em;border-top:1px solid var(--rule);padding-top:.6em}\n",
"@media print{:root{--back:#fff;--text:#000;--soft:#444;--rule:#bbb;--box:#f6f8fa;--grid:#ddd;"
"--good:#0072b2;--bad:#d55e00;--on:#fff;--grey:#9aa4ae;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;"
"--c3:#cc79a7;--c4:#e69f00;--c5:#56b4e9;--c6:#000;--c7:#b3a400}\n",
"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n",
"body{font-size:10.5pt}main{max-width:none;padding:0}nav{display:none}\n",
"h2,h3,ul.legend{break-after:avoid}tr,svg,ul.legend,.drawings>*{break-inside:avoid}\n",
"figcaption{break-before:avoid;break-inside:avoid;max-width:none}p{max-width:none}\n",
".drawings,.drawings.large{grid-template-columns:1fr 1fr}"
".drawings.small2{grid-template-columns:repeat(5,1fr)}svg{max-width:100%}\n",
".wide{overflow:visible}th,td{white-space:normal;padding:.25em .4em}"
"table{font-size:8.5pt;max-width:100%}svg.bar{width:90px}a{color:inherit;text-decoration:none}}\n",
NULL};
/* clang-format on */
