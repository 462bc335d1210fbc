function varargout = nearest(varargin)
% [index, d, info] = spdml.nearest(X, Q, ...)
%
% Nearest neighbours among SPD matrices.
%
%   [index, d, info] = spdml.nearest(X, Q, 'k', 5)   the 5 nearest matrices of
%   X to each of Q: q x 5 numbers of samples, from 1, and distances. Without Q,
%   neighbours within X; a matrix is not its own neighbour.
% Options: 'k' (1), 'Metric', 'Squared', 'Search' ('exact', 'approximate',
% 'auto'; within X alone), 'Seed'. info has search, pruned and recall.
%
% Example:
%   index = spdml.nearest(cat(3, eye(2), 2*eye(2), 9*eye(2)));   % [2; 1; 2]
[varargout{1:max(nargout, 1)}] = spdml_mex('nearest', varargin{:});
end
