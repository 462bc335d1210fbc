"""Transfer between domains (subjects, sessions): every domain moved, scaled and turned to fit another."""

from ._estimators import TLCenter, TLRotate, TLScale
from ._tools import decode_domains, encode_domains, recenter, TLSplitter

__all__ = ["TLCenter", "TLRotate", "TLScale", "TLSplitter", "decode_domains", "encode_domains",
           "recenter"]
