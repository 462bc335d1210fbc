function varargout = train(varargin)
% method = spdml.train(X, y, ...)
%
% Trains a method; parameters that are not given are chosen by cross-validation.
%
%   method = spdml.train(X, y, 'Method', 'rsr-ml')
% The name is [pca-]CLASSIFIER[-METRIC][-MAP]: nn, knn, mdm, rsr, cdl (default),
% cdl-lda, pga, ksvm, krr, ts-lda, ts-lr, cov3dj, src, gsrc, riemannian-lle, ...;
% maps are ml, multi, bag, random, mean, csp. The result is a struct for spdml.predict
% and spdml.save.
%
% Options: the parameters 'm', 'NuW', 'NuB', 'k', 'Beta', 'BetaScale', 'Lambda',
% 'Components', 'Dimensions', 'Cost', 'Objective';
% 'Grid' (a struct such as struct('m', [5 10])), 'NoTune',
% 'cv' (5 folds), 'CvGroups' (p values, or a field of the data), 'Exhaustive',
% 'Model' (a map learned before), 'Vectors' (images h x w x p, or p x d), and
% those of the fit, see spdml.fit.
%
% Example:
%   data = spdml.synth('spd');
%   method = spdml.train(data, 'Method', 'mdm-airm');
%   y = spdml.predict(method, data.X);
[varargout{1:max(nargout, 1)}] = spdml_mex('train', varargin{:});
end
