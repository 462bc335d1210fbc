function varargout = logm(varargin)
% L = spdml.logm(X, ...)
%
% Logarithms of a stack of SPD matrices.
%
% Example:
%   L = spdml.logm(cat(3, eye(2), exp(1)*eye(2)));
[varargout{1:max(nargout, 1)}] = spdml_mex('logm', varargin{:});
end
