function varargout = cost(varargin)
% [f, G, pairs] = spdml.cost(X, y, W, ...)
%
% The cost that spdml.fit minimises at any W, and its gradient.
%
%   [f, G] = spdml.cost(X, y, W)   G (n x m) is the derivative with respect to
%   W, not projected: what Manopt's egrad is. The third output is the graph, rows
%   i, j, value; give it back as 'Affinity', with the same 'Objective', and it
%   is not built again.
% Options: 'Metric', 'Objective', 'LogCost', 'NuW', 'NuB',
% 'Unsupervised', 'Affinity', 'Unlabelled', 'Search', 'Seed'.
%
% Example:
%   data = spdml.synth('spd', 'samples', 5);
%   W = orth(randn(30, 4));
%   o.objective = 'softmax';
%   [~, ~, o.affinity] = spdml.cost(data.X, data.y, W, 'Objective', 'softmax');
%   problem.cost = @(W) spdml.cost(data.X, data.y, W, o);
[varargout{1:max(nargout, 1)}] = spdml_mex('cost', varargin{:});
end
