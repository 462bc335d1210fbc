classdef SPDML
% The learned map as an object: options, fit, transform, plot.
%
%   map = spdml.SPDML('m', 10, 'Metric', 'airm')   options of spdml.fit
%   map = map.fit(X, y);
%   S = map.transform(X);
%   map.plot(X, y)      the mapped matrices in two dimensions
%   map.save('a.spdml')
%
% Example:
%   data = spdml.synth('spd');
%   map = spdml.SPDML('m', 10);
%   map = map.fit(data.X, data.y);
%   S = map.transform(data.X);

properties
  options = {}  % pairs of name and value
  model = []    % what spdml.fit gives
end

methods
  function map = SPDML(varargin)
    map.options = varargin;
  end

  function map = fit(map, X, varargin)
    map.model = spdml.fit(X, varargin{:}, map.options{:});
  end

  function S = transform(map, X)
    S = spdml.transform(map.fitted(), X);
  end

  function save(map, path)
    spdml.save(path, map.fitted());
  end

  function plot(map, X, y)
    model = map.fitted();
    Y = spdml.embed(spdml.transform(model, X), 'Method', 'mds', 'Metric', model.metric);
    [~, ~, class] = unique(y);
    scatter(Y(:, 1), Y(:, 2), 20, class, 'filled');
    title(sprintf('%d x %d, %s', model.m, model.m, model.metric));
  end

  function model = fitted(map)
    if isempty(map.model)
      error('spdml:notFitted', 'SPDML: call fit first');
    end
    model = map.model;
  end
end
end
