% motion.m - the paper's experiment on motion capture, on generated clips: two people train, the others are
% tested. With clips of your own (.amc and .asf with index.csv): clips = 'their folder'.

if ~exist('clips', 'var')
  clips = tempname();
  spdml.synth('motion', 'Output', clips);
end
data = spdml.describe('joints', clips, 'Labels', fullfile(clips, 'index.csv'));
people = unique(data.subject);
train = ismember(data.subject, people(1:2));
result = spdml.evaluate(data, 'Methods', {'nn-stein', 'nn-stein-ml', 'nn-airm', 'nn-airm-ml', 'cdl'}, ...
                        'Paper', true, 'Train', train, 'Grid', struct('m', [10 20 40], 'nu_b', [1 3 5]));
fprintf('%d clips of %d people, %d x %d; %d train\n', numel(train), numel(people), size(data.X, 1), ...
        size(data.X, 1), sum(train));
for r = result.methods
  fprintf('%-12s %5.1f %%\n', r.method, 100 * r.accuracy);
end
