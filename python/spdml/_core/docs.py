"""Texts that docstrings have in common: a line {name} stands for one of them."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any, TypeVar


Thing = TypeVar("Thing", bound=Any)

TEXTS = {
    "X": """X : array, shape (..., n, n)
    Positive definite matrices, symmetric or Hermitian.""",
    "X_set": """X : array, shape (p, n, n)
    Positive definite matrices, symmetric or Hermitian.""",
    "Cref": """Cref : array, shape (n, n)
    The positive definite matrix where the space touches.""",
    "sample_weight": """sample_weight : array, shape (p,), optional
    Weights from 0 on; equal ones by default.""",
    "squared": """squared : bool
    Squared distances.""",
    "n_jobs": """n_jobs : int, optional
    Threads, -1 for all cores, which is the default.""",
    "samples": """X : array, shape (samples, n, n)
    Positive definite matrices, symmetric or Hermitian.""",
    "samples_or_rows": """X : array, shape (samples, n, n) or (samples, k)
    Matrices, or vectors of tangent spaces.""",
    "from_samples": """Parameters
----------
X : array, shape (samples, n, n)
    Positive definite matrices, symmetric or Hermitian.

Returns
-------""",
    "from_samples_or_rows": """Parameters
----------
X : array, shape (samples, n, n) or (samples, k)
    Matrices, or vectors of tangent spaces.

Returns
-------""",
    "labels": """y : array, shape (samples,)
    The class of each.""",
    "targets": """y : array, shape (samples,)
    The number that belongs to each.""",
    "y_enc": """y_enc : array, shape (samples,)
    Labels with domains, of `encode_domains`.""",
    "ignored": """y : None
    Not used; pipelines hand it on.""",
    "no_weights": """sample_weight : None or array of equal numbers
    Neighbours have no weights; those that differ are refused.""",
    "path": """path : str or path
    The name of the file.""",
    "self": """Returns
-------
self""",
    "matrices": """Returns
-------
array, shape (..., n, n)""",
    "numbers": """Returns
-------
float or array, shape (...,)""",
}


# What arguments of methods are if nothing else is said of them
TEXTS.update(signals="""X : array, shape (samples, channels, times)
    Signals.""", groups="""groups : array, shape (samples,), optional
    As of `fit`.""", transform="""transform : str or None
    'default', 'pandas', 'polars' or None.""", input_features="""input_features : array of str, optional
    Names of the features that come in.""", deep="""deep : bool
    Not used: no parameter is an estimator.""", params="""**params : dict
    Parameters by name.""")
REFERENCES = {
    "spdml": """Harandi, Salzmann, Hartley. From manifold to manifold: geometry-aware dimensionality reduction for
        SPD matrices. ECCV 2014.""",
    "rsr": """Harandi, Sanderson, Hartley, Lovell. Sparse coding and dictionary learning for symmetric positive
        definite matrices: a kernel approach. ECCV 2012.""",
    "cdl": """Wang, Guo, Davis, Dai. Covariance discriminative learning: a natural and efficient approach to image
        set classification. CVPR 2012.""",
    "mdm": """Barachant, Bonnet, Congedo, Jutten. Multiclass brain-computer interface classification by Riemannian
        geometry. IEEE Transactions on Biomedical Engineering 59(4), 2012.""",
    "fgda": """Barachant, Bonnet, Congedo, Jutten. Riemannian geometry applied to BCI classification. LVA/ICA
        2010.""",
    "kernels": """Barachant, Bonnet, Congedo, Jutten. Classification of covariance matrices using a
        Riemannian-based kernel for BCI applications. Neurocomputing 112, 2013.""",
    "potato": """Barachant, Andreev, Congedo. The Riemannian potato: an automatic and adaptive artifact detection
        method for online experiments using Riemannian geometry. TOBI Workshop IV, 2013.""",
    "pga": """Fletcher, Lu, Pizer, Joshi. Principal geodesic analysis for the study of nonlinear statistics of
        shape. IEEE Transactions on Medical Imaging 23(8), 2004.""",
    "centre": """Zanini, Congedo, Jutten, Said, Berthoumieu. Transfer learning: a Riemannian geometry framework with
        applications to brain-computer interfaces. IEEE Transactions on Biomedical Engineering 65(5), 2018.""",
    "procrustes": """Rodrigues, Jutten, Congedo. Riemannian Procrustes analysis: transfer learning for
        brain-computer interfaces. IEEE Transactions on Biomedical Engineering 66(8), 2019.""",
    "airm": """Moakher. A differential geometric approach to the geometric mean of symmetric positive-definite
        matrices. SIAM Journal on Matrix Analysis and Applications 26(3), 2005.""",
    "stein": """Sra. A new metric on the manifold of kernel matrices with application to matrix geometric means.
        NIPS 2012.""",
    "log-euclidean": """Arsigny, Fillard, Pennec, Ayache. Geometric means in a novel vector space structure on
        symmetric positive-definite matrices. SIAM Journal on Matrix Analysis and Applications 29(1), 2007.""",
    "log-cholesky": """Lin. Riemannian geometry of symmetric positive definite matrices via Cholesky decomposition.
        SIAM Journal on Matrix Analysis and Applications 40(4), 2019.""",
    "bures-wasserstein": """Bhatia, Jain, Lim. On the Bures-Wasserstein distance between positive definite matrices.
        Expositiones Mathematicae 37(2), 2019.""",
}


def _references(names: str) -> str:
    """The section of a line {references: names}."""
    listed = [f".. [{i}] " + re.sub(r"\s+", " ", REFERENCES[name]) for i, name in enumerate(names.split(), 1)]
    return "\n".join(["References", "-" * 10, *(textwrap.fill(one, 100, subsequent_indent="   ", break_on_hyphens=False) for one in listed)])


_RESULTS = {"predict": "array, shape (samples,)", "transform": "array", "score": "float",
            "get_feature_names_out": "array of str", "get_params": "dict"}
_SECTION = re.compile(r"^(Parameters|Returns|See Also|Notes|References|Examples)\n-+$", re.M)


def documented(thing: Thing) -> Thing:
    """A function or class whose docstring has the texts in the place of their names."""
    if thing.__doc__:
        thing.__doc__ = re.sub(
            r"^( *)\{(?:references: )?([\w -]+)\}$", lambda found: textwrap.indent(
                _references(found[2]) if "references" in found[0] else TEXTS[found[2]], found[1]),
            thing.__doc__, flags=re.M)
    return thing


def complete(method: Any, X: str, y: str) -> None:
    """Says of a method what its docstring leaves out: what its arguments are, and what it returns. X and y:
    the texts of arguments of these names."""
    documented(method)
    if method.__name__.startswith("_") or not method.__doc__:
        return
    text, texts = inspect.cleandoc(method.__doc__), {**TEXTS, "X": TEXTS[X], "y": TEXTS[y]}
    parts = _SECTION.split(text)
    found = dict(zip(parts[1::2], parts[2::2]))
    taken = [name for name in inspect.signature(method).parameters if name not in ("self", "cls")]
    if taken and "Parameters" not in found and all(name in texts for name in taken):
        found["Parameters"] = "\n" + "\n".join(texts[name] for name in taken)
    if "Returns" not in found and method.__annotations__.get("return") != "None":
        found["Returns"] = "\n" + _RESULTS.get(method.__name__, "self" if method.__name__ in (
            "fit", "partial_fit", "set_output", "set_params") else "estimator" if method.__name__ == "load" else
            "array, shape (samples, classes)")
    order = ("Parameters", "Returns", "See Also", "Notes", "References", "Examples")
    method.__doc__ = "\n\n".join([parts[0].strip()] + [
        f"{title}\n{'-' * len(title)}\n{found[title].strip()}" for title in order if title in found])
