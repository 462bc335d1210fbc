function varargout = load(varargin)
% value = spdml.load(path, ...)
%
% Reads a data set, a model or a trained method.
%
%   data = spdml.load('a.npz')        .npz, .npy, .mat, .csv, .list: a struct with X
%                                     (n x n x p), y and a field for each column
%   model = spdml.load('a.spdml')     a model, as from spdml.fit, or a trained
%                                     method, as from spdml.train
% Options: 'X', 'Y' (names of the arrays), 'Labels' (a file), 'Symmetrize',
% 'Regularize', 'Unchecked', 'Anywhere'.
%
% Example:
%   data = spdml.synth('spd', 'samples', 5);
%   file = [tempname() '.npz'];
%   spdml.save(file, data);
%   again = spdml.load(file);
[varargout{1:max(nargout, 1)}] = spdml_mex('load', varargin{:});
end
