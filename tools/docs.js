/* docs.js - a choice of versions, where the site lies beside those of others: versions.js of the folder above lists
 * them (tools/docs.sh -o). Without that file there is no choice. */
(function () {
    "use strict";
    var list = document.createElement("script");
    list.src = new URL("../versions.js", document.currentScript.src).href;
    list.onload = function () {
        var choice = document.createElement("select");
        var here = new URL(".", document.baseURI).pathname;
        choice.setAttribute("aria-label", "Version");
        window.spdml_versions.forEach(function (version) {
            var home = new URL(version + "/index.html", list.src);
            var own = new URL(".", home).pathname === here;
            choice.add(new Option(version, home.href, own, own));
        });
        choice.onchange = function () {
            window.location.href = choice.value;
        };
        document.querySelector(".wy-side-nav-search").append(choice);
    };
    document.head.append(list);
})();
