% demonstration.m - data, a learned map, a table of methods, and pictures before and after.
%
% Run it in MATLAB or Octave with the toolbox on the path; FOLDER (default: the current one) gets the
% picture demonstration.svg.

if ~exist('folder', 'var')
  folder = pwd;
end
data = spdml.synth('spd', 'Seed', 2);    % 200 matrices 30 x 30, four classes
test = 2:2:size(data.X, 3);
train = 1:2:size(data.X, 3);

% A map to 10 x 10, learned from one half
model = spdml.fit(data.X(:, :, train), data.y(train), 'm', 10, 'Metric', 'stein');
fprintf('cost %.4f -> %.4f in %d iterations\n', model.cost_start, model.cost, model.iterations);

% Nearest neighbours in the other half, before and after
small = spdml.transform(model, data.X);
before = spdml.nearest(data.X(:, :, train), data.X(:, :, test), 'Metric', 'stein');
after = spdml.nearest(small(:, :, train), small(:, :, test), 'Metric', 'stein');
y = data.y(train);
fprintf('nearest neighbour: %.1f %% before, %.1f %% after\n', 100 * mean(y(before) == data.y(test)), ...
        100 * mean(y(after) == data.y(test)));

% Methods compared, parameters chosen within the training parts
result = spdml.evaluate(data, 'Methods', {'nn-stein', 'nn-stein-ml', 'mdm-airm', 'ts-lda', 'cdl'}, ...
                        'Split', 0.5, 'Repeats', 3);
for r = result.methods
  fprintf('%-12s %5.1f +- %.1f %%\n', r.method, 100 * r.accuracy, 100 * r.accuracy_std);
end

% Pictures
figure('visible', 'off');
pictures = {data.X, small};
titles = {'before, 30 x 30', 'after, 10 x 10'};
for k = 1:2
  subplot(2, 2, k);
  Y = spdml.embed(pictures{k}(:, :, test), 'Method', 'mds', 'Metric', 'stein');
  colours = lines(4);
  classes = unique(data.y);
  hold on
  for c = 1:numel(classes)
    in = data.y(test) == classes(c);
    plot(Y(in, 1), Y(in, 2), 'o', 'color', colours(c, :), 'markersize', 4);
  end
  hold off
  title(titles{k});
end
subplot(2, 2, 3);
plot(0:size(model.history, 1) - 1, model.history(:, 1));
xlabel('iteration');
ylabel('cost');
subplot(2, 2, 4);
explained = spdml.explain(model, data.X(:, :, train));
bar(explained.kept);
xlabel('row');
ylabel('variance kept');
print(fullfile(folder, 'demonstration.svg'), '-dsvg');
