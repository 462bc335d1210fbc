function varargout = synth(varargin)
% data = spdml.synth(kind, ...)
%
% Generated data; the same seed gives the same data.
%
%   data = spdml.synth('spd')   SPD matrices whose classes differ in a planted
%   subspace: a struct with X, y and planted.
%   count = spdml.synth(kind, 'Output', folder)   files: kind is 'textures',
%   'motion' or 'faces'.
% Options: 'Seed' (1), 'Classes', 'Samples', 'n', 'Planted', 'Signal',
% 'Size', 'Subjects', 'Frames'.
%
% Example:
%   data = spdml.synth('spd', 'classes', 3, 'samples', 20);
[varargout{1:max(nargout, 1)}] = spdml_mex('synth', varargin{:});
end
