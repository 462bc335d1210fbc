function varargout = mean(varargin)
% [M, info] = spdml.mean(X, ...)
%
% Mean of SPD matrices: minimises the sum of squared distances.
%
%   [M, info] = spdml.mean(X)   X is n x n x p; info has iterations, residual
%                               and converged
% Options: 'Metric' (see spdml.distance), 'Weights' (p numbers), 'Tol',
% 'MaxIter' (200), and those of all functions.
%
% Example:
%   M = spdml.mean(cat(3, eye(2), 4*eye(2)));   % 2*eye(2)
[varargout{1:max(nargout, 1)}] = spdml_mex('mean', varargin{:});
end
