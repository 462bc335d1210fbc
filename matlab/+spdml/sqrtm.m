function varargout = sqrtm(varargin)
% S = spdml.sqrtm(X, ...)
%
% Square roots of a stack of SPD matrices.
%
% Example:
%   S = spdml.sqrtm(diag([1 4]));   % diag([1 2])
[varargout{1:max(nargout, 1)}] = spdml_mex('sqrtm', varargin{:});
end
