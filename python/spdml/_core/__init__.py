"""What the package stands on: the library and its calls, arrays and sets of matrices, what estimators share.
Nothing here is public."""
