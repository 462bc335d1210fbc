function varargout = kernel(varargin)
% K = spdml.kernel(X, Y, ...)
%
% Kernel matrices between SPD matrices.
%
%   K = spdml.kernel(X), K = spdml.kernel(X, Y)
% Options: 'Kernel', 'stein' (default), exp(-beta d^2), or 'log-euclidean',
% trace(logm(X) logm(Y)); 'Beta' (1). A warning, spdml:kernelNotDefinite, tells
% if the Stein kernel is not positive definite for this beta.
%
% Example:
%   K = spdml.kernel(cat(3, eye(2), 2*eye(2)), 'Beta', 0.5);
[varargout{1:max(nargout, 1)}] = spdml_mex('kernel', varargin{:});
end
