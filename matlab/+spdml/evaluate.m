function varargout = evaluate(varargin)
% r = spdml.evaluate(X, y, ...)
%
% Compares methods under a protocol; parameters are chosen within the training part.
%
%   r = spdml.evaluate(X, y, 'Methods', {'nn-stein', 'nn-stein-ml', 'cdl'})
% r.methods is a struct array: method, accuracy, accuracy_std, kappa, ...,
% NAME_each (per round), confusion (true classes in rows), p_value (McNemar,
% against each method), rounds (values, predicted). r.rounds has the numbers of
% the training and test samples, from 1.
%
% Protocols, one of: 'OuterFolds' (with 'OuterGroups'), 'Split' (share that
% trains) or 'TrainPerClass', 'LeaveOneGroupOut', 'Train' and 'Test' (logical, or
% numbers of samples); 'Repeats'. Without: five folds. Groups are p values, or the
% name of a field of the data. Further options: 'cv', 'CvGroups', 'Grid',
% 'Exhaustive', 'Auc', 'Recenter' (groups), parameters as in spdml.train, and those
% of the fit.
%
% Example:
%   data = spdml.synth('spd', 'samples', 10);
%   r = spdml.evaluate(data, 'Methods', {'nn-stein', 'mdm-airm'});
%   [r.methods.accuracy]
[varargout{1:max(nargout, 1)}] = spdml_mex('evaluate', varargin{:});
end
