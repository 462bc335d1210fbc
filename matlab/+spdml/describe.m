function varargout = describe(varargin)
% data = spdml.describe(kind, paths, ...)
%
% SPD matrices, covariances of features, from files.
%
%   data = spdml.describe(kind, paths)   kind is 'covariance' (tables, signals,
%   recordings), 'sift-color', 'gabor', 'region' (images) or 'joints' (motion
%   capture); paths is a file, a folder, an archive, or a cell array of these. The
%   result is a struct with X, y, name and further columns.
%
% Options are those of the command 'spdml describe': 'Labels' (index file),
% 'LabelBy', 'Shrinkage', 'Model', 'Rate', 'Window', 'Step',
% 'Bands' (k x 2 Hz), 'Order', 'Channels', 'Events', 'Epoch' ([from to]),
% 'EventNames', 'Group', 'ChannelsFirst', 'Size' ([width height]), 'NoColor',
% 'KeepImages', 'SiftStep', 'Regions' (a word or [rows columns]), 'Scales',
% 'Orientations', 'Grid' ([rows columns]), 'Rects' (k x 4), 'Asf', 'Center' ('root'), 'Frames' ([first last], from
% 1), 'TemporalPyramid', 'Overlap', 'UnitRange', 'KeepGoing', 'X', 'Y'.
%
% Example:
%   folder = tempname();
%   spdml.synth('motion', 'Output', folder, 'subjects', 2, 'classes', 2, 'samples', 1);
%   data = spdml.describe('joints', folder, 'Labels', fullfile(folder, 'index.csv'));
[varargout{1:max(nargout, 1)}] = spdml_mex('describe', varargin{:});
end
