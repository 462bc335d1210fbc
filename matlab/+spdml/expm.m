function varargout = expm(varargin)
% X = spdml.expm(L, ...)
%
% Exponentials of a stack of symmetric (Hermitian) matrices.
%
% Example:
%   X = spdml.expm(spdml.logm(diag([1 2])));
[varargout{1:max(nargout, 1)}] = spdml_mex('expm', varargin{:});
end
