/* html_script.c - the one script of a page: a click on a heading sorts its table.
 *
 * The page's policy names the script by its hash, so that nothing else can run, whatever names
 * hold. After a change here, tests/cli/test_report.py says the new hash. Without scripts tables
 * stay as they are. Numbers sort as numbers, largest first; a second click turns the order. */
#include "cli/report/html.h"

/* clang-format off */
const char *const html_script =
"document.querySelectorAll('table.sort').forEach(function(t){var body=t.tBodies[0];\n"
"Array.from(t.tHead.rows[0].cells).forEach(function(head,c){\n"
"var k=document.createElement('button');k.type='button';\n"
"while(head.firstChild)k.appendChild(head.firstChild);head.appendChild(k);\n"
"k.addEventListener('click',function(){\n"
"var value=function(r){var x=r.cells[c];return x.dataset.v||x.textContent.trim();};\n"
"var rows=Array.from(body.rows),was=head.getAttribute('aria-sort');\n"
"var numbers=rows.every(function(r){var v=value(r);return v==='\\u2013'||!isNaN(parseFloat(v));});\n"
"var up=was?was==='descending':!numbers;\n"
"var cmp=function(a,b){a=value(a);b=value(b);if(!numbers)return a.localeCompare(b);\n"
"a=parseFloat(a);b=parseFloat(b);return isNaN(a)?(isNaN(b)?0:-1):isNaN(b)?1:a-b;};\n"
"rows.sort(function(a,b){return up?cmp(a,b):cmp(b,a);});\n"
"rows.forEach(function(r){body.appendChild(r);});\n"
"Array.from(head.parentNode.cells).forEach(function(h){h.removeAttribute('aria-sort');});\n"
"head.setAttribute('aria-sort',up?'ascending':'descending');});});});\n";
/* clang-format on */

const char *const html_script_hash = "sha256-Chwrw0c1+sEwB9KkLnDRA1X2cXi9bCfUFsdkNF8+OkU=";
