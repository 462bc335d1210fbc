function varargout = transform(varargin)
% S = spdml.transform(map, X, ...)
%
% Small matrices W'*X*W of a stack.
%
% map is a model, a trained method with a map, the name of a .spdml file, or W.
%
% Example:
%   S = spdml.transform([1; 0], cat(3, eye(2), 2*eye(2)));
[varargout{1:max(nargout, 1)}] = spdml_mex('transform', varargin{:});
end
