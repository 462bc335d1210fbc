function varargout = distance(varargin)
% D = spdml.distance(X, Y, ...)
%
% Distances between SPD matrices.
%
%   D = spdml.distance(X)      p x p distances within a stack X (n x n x p)
%   D = spdml.distance(X, Y)   p x q distances between two stacks
%
% Options, as pairs of name and value or as a struct:
%   'Metric'   'airm' (default), 'stein', 'log-euclidean', 'jeffrey',
%              'bures-wasserstein', 'log-cholesky', 'euclidean'
%   'Squared'  true: squared distances
%
% Options of all functions: 'Threads', 'Memory' (bytes), 'Engine' ('cpu',
% 'cuda', 'auto'), 'Progress' (true, or a function called as
% f(task, done, total, unit)); of all that read matrices: 'Symmetrize',
% 'Regularize' (adds this times trace(X)/n to the diagonals).
%
% Example:
%   X = cat(3, eye(2), 2*eye(2), diag([1 4]));
%   D = spdml.distance(X, 'Metric', 'stein');
[varargout{1:max(nargout, 1)}] = spdml_mex('distance', varargin{:});
end
