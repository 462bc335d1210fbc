function varargout = powm(varargin)
% P = spdml.powm(X, power, ...)
%
% Powers of a stack of SPD matrices; power is a number.
%
% Example:
%   P = spdml.powm(diag([1 4]), -0.5);   % diag([1 0.5])
[varargout{1:max(nargout, 1)}] = spdml_mex('powm', varargin{:});
end
