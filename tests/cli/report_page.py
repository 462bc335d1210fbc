"""Reading a report: its elements as a tree, and what may be wrong with it."""

import base64
import hashlib
import html.parser
import os
import re
import urllib.parse

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Element:
    def __init__(self, name, attributes, parent):
        self.name, self.attributes, self.parent = name, attributes, parent
        self.inside = []

    @property
    def text(self):
        return "".join(x if isinstance(x, str) else x.text for x in self.inside)

    def all(self, name=None, **attributes):
        """Elements below of that name and with those attributes (class_: one of its classes)."""
        wanted_class = attributes.pop("class_", None)
        for child in self.inside:
            if isinstance(child, str):
                continue
            if ((name is None or child.name == name)
                    and all(child.attributes.get(k) == v for k, v in attributes.items())
                    and (wanted_class is None
                         or wanted_class in child.attributes.get("class", "").split())):
                yield child
            yield from child.all(name, class_=wanted_class, **attributes)

    def one(self, name=None, **attributes):
        found = list(self.all(name, **attributes))
        assert len(found) == 1, (name, attributes, len(found))
        return found[0]


class Page(html.parser.HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path = path
        self.root = self.here = Element("", {}, None)
        self.source = path.read_bytes().decode("utf-8")
        self.feed(self.source)
        self.close()
        assert self.here is self.root, f"<{self.here.name}> is left open"

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs), self.here)
        assert len(element.attributes) == len(attrs), (tag, attrs)
        self.here.inside.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.here.name == tag, f"</{tag}> closes <{self.here.name}>"
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.inside.append(data)

    def sound(self):
        """Nothing from outside, no script but ours, unique ids, links that lead somewhere, names for
        all drawings, a caption for each figure, and only characters that can be shown."""
        names = {e.name for e in self.root.all()}
        assert not names & {"img", "iframe", "object", "embed", "base", "form"}
        script = self.root.one("script")
        digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        policy = self.root.one("meta", **{"http-equiv": "Content-Security-Policy"})
        assert not script.attributes
        assert policy.attributes["content"].endswith(f"script-src 'sha256-{digest}'"), digest
        assert "http:" not in self.source and "https:" not in self.source
        assert "url(" not in self.source and "@import" not in self.source
        ids = [e.attributes["id"] for e in self.root.all() if "id" in e.attributes]
        assert len(ids) == len(set(ids))
        for link in self.root.all("a"):
            to = link.attributes["href"]
            if to.startswith("#"):
                assert to[1:] in ids, to
            else:
                file = os.fsdecode(urllib.parse.unquote_to_bytes(to))
                assert to.startswith(".") and (self.path.parent / file).exists(), to
        for e in self.root.all():
            assert not any(key.startswith("on") for key in e.attributes), e.attributes
        for svg in self.root.all("svg", role="img"):
            for name in svg.attributes["aria-labelledby"].split():
                assert name in ids
        for figure in self.root.all("figure"):
            assert figure.one("figcaption").text.strip()
        assert len(list(self.root.all("h1"))) == 1
        assert all(c >= " " or c == "\n" for c in self.source)
        assert not re.search(r"(?<![\w-])-?(nan|inf)(?![\w-])", self.source)
        return self
