function save(varargin)
% spdml.save(path, value)
%
% Writes a model, a trained method or a data set.
%
%   spdml.save('a.spdml', model)   the file that the command and Python read too
%   spdml.save('a.npz', data)      a struct with X, y and columns; also .mat
%
% Example:
%   data = spdml.synth('spd', 'samples', 5);
%   spdml.save([tempname() '.spdml'], spdml.fit(data, 'm', 5));
spdml_mex('save', varargin{:});
end
