function varargout = explain(varargin)
% e = spdml.explain(map, X, ...)
%
% Which rows of the matrices a map looks at.
%
%   e = spdml.explain(model)      weight (n): squared norms of the rows of W
%   e = spdml.explain(model, X)   also carried, kept, pattern (n x m) and variance
% The pattern M*W/(W'*M*W), M the mean of X, tells where the components of the map
% appear; a large weight alone may only subtract noise.
%
% Example:
%   data = spdml.synth('spd');
%   e = spdml.explain(spdml.fit(data, 'm', 10), data.X);
%   bar(e.kept)
[varargout{1:max(nargout, 1)}] = spdml_mex('explain', varargin{:});
end
