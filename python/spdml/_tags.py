"""What scikit-learn should know of estimators whose samples are matrices."""

from __future__ import annotations

from typing import Any, Dict


class MatrixInput:
    """X is (samples, n, n) instead of (samples, features)."""

    _needs_y = False

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.positive_only = False
        tags.target_tags.required = self._needs_y
        return tags

    def _more_tags(self) -> Dict[str, Any]:  # before that
        return {"X_types": ["3darray"], "requires_y": self._needs_y}
