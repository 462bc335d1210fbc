function varargout = predict(varargin)
% [y, scores] = spdml.predict(method, X, ...)
%
% Classes of SPD matrices by a trained method.
%
%   [y, scores] = spdml.predict(method, X)   method from spdml.train or
%   spdml.load, or the name of its file; y (p x 1) in the type of the training
%   labels; scores (p x classes) in the order of method.classes, smaller is better
%   if method.score_falls.
%
% Example:
%   data = spdml.synth('spd');
%   method = spdml.train(data, 'Method', 'nn-stein');
%   correct = mean(spdml.predict(method, data.X) == data.y);
[varargout{1:max(nargout, 1)}] = spdml_mex('predict', varargin{:});
end
