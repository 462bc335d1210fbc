function varargout = version(varargin)
% text = spdml.version()
%
% The version of the library.
%
% Example:
%   spdml.version()
[varargout{1:max(nargout, 1)}] = spdml_mex('version', varargin{:});
end
