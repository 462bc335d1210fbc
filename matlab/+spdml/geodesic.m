function varargout = geodesic(varargin)
% G = spdml.geodesic(X, Y, t, ...)
%
% Points on geodesics between SPD matrices.
%
%   G = spdml.geodesic(X, Y, t)   X at t = 0, Y at t = 1. X and Y are single
%   matrices and t any number of points, or stacks of p and t one number or p.
% Options: 'Metric' (see spdml.distance).
%
% Example:
%   G = spdml.geodesic(eye(2), 4*eye(2), 0.5);   % 2*eye(2)
[varargout{1:max(nargout, 1)}] = spdml_mex('geodesic', varargin{:});
end
