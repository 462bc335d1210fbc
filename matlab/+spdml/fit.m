function varargout = fit(varargin)
% model = spdml.fit(X, y, ...)
%
% Learns a map W (n x m) to smaller, more discriminative matrices W'*X*W.
%
%   model = spdml.fit(X, y, 'm', 10)   X is n x n x p, y has p labels: whole
%   numbers, a cell array of texts, string or categorical. X may be a struct
%   with the fields X and y, as from spdml.load. 'm', 'auto' chooses m by
%   cross-validation.
% model is a struct with W, cost, history (a row for each iteration: cost,
% gradient norm, step, seconds, probes), what was used, and file, the contents of
% the .spdml file (spdml.save).
%
% Options are those of the command 'spdml fit': 'Metric' ('stein', 'airm',
% 'jeffrey', 'log-euclidean'), 'Objective', 'NuW', 'NuB' (a number or 'auto'),
% 'LogCost', 'Paper', 'Init' (a word, a model or W), 'Restarts', 'Tol',
% 'MaxIter', 'MaxTime', 'Search', 'Seed', 'Unlabelled'
% (the label that means unknown), 'Unsupervised' ('graph' or 'variance'),
% 'Affinity' (rows i, j, value: a graph of your own).
%
% Example:
%   data = spdml.synth('spd');
%   model = spdml.fit(data, 'm', 10, 'Metric', 'airm');
%   S = spdml.transform(model, data.X);
[varargout{1:max(nargout, 1)}] = spdml_mex('fit', varargin{:});
end
