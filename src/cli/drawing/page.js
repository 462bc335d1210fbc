/* page.js - the one script of a page: a click on a heading sorts its table; embedded by cmake/Pages.cmake.

   The page's policy names the script by its hash (html.c), so that nothing else can run, whatever
   names hold. After a change here, tests/cli/test_report.py says the new hash. Without scripts
   tables stay as they are. Numbers sort as numbers, largest first; a second click turns the order. */
document.querySelectorAll('table.sort').forEach(function(t){var body=t.tBodies[0];
Array.from(t.tHead.rows[0].cells).forEach(function(head,c){
var k=document.createElement('button');k.type='button';
while(head.firstChild)k.appendChild(head.firstChild);head.appendChild(k);
k.addEventListener('click',function(){
var value=function(r){var x=r.cells[c];return x.dataset.v||x.textContent.trim();};
var rows=Array.from(body.rows),was=head.getAttribute('aria-sort');
var numbers=rows.every(function(r){var v=value(r);return v==='\u2013'||!isNaN(parseFloat(v));});
var up=was?was==='descending':!numbers;
var cmp=function(a,b){a=value(a);b=value(b);if(!numbers)return a.localeCompare(b);
a=parseFloat(a);b=parseFloat(b);return isNaN(a)?(isNaN(b)?0:-1):isNaN(b)?1:a-b;};
rows.sort(function(a,b){return up?cmp(a,b):cmp(b,a);});
rows.forEach(function(r){body.appendChild(r);});
Array.from(head.parentNode.cells).forEach(function(h){h.removeAttribute('aria-sort');});
head.setAttribute('aria-sort',up?'ascending':'descending');});});});
