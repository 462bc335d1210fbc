function varargout = embed(varargin)
% [Y, info] = spdml.embed(X, ...)
%
% Coordinates of SPD matrices in a few dimensions, for pictures.
%
%   Y = spdml.embed(X)   p x 2
% Options: 'Method' ('pga', 'mds', 'tsne', 'lle', 'hessian-lle', 'laplacian'),
% 'Metric', 'Dimensions' (2), 'k' (10), 'Perplexity',
% 'Iterations', 'Seed'. info has eigenvalue, explained, ...
%
% Example:
%   data = spdml.synth('spd');
%   Y = spdml.embed(data, 'Method', 'mds', 'Metric', 'stein');
%   scatter(Y(:, 1), Y(:, 2), 20, data.y)
[varargout{1:max(nargout, 1)}] = spdml_mex('embed', varargin{:});
end
