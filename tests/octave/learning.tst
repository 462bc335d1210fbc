% learning.tst - fit, cost, transform, explain, and methods, against the command and plain code.

%!function check_fit(file, data, options, line)
%!  model = spdml.fit(data, 'm', 3, options{:});
%!  path = command(sprintf('fit %s -m 3 %s -o %%s', file, line), '.spdml');
%!  other = spdml.load(path);
%!  delete(path);
%!  assert(isequal(model.W, other.W));
%!  assert(isequal(model.history(:, [1:3 5]), other.history(:, [1:3 5])));
%!  n = size(data.X, 1);
%!  assert(size(model.W), [n 3]);
%!  assert(model.W' * model.W, eye(3), 1e-10);
%!endfunction

%!test % fits, as the command
%! [file, data] = sample('real');
%! check_fit(file, data, {}, '');
%! check_fit(file, data, {'Metric', 'airm', 'NuW', 4, 'nu-b', 3, 'objective', 'difference'}, '--metric airm --nu-w 4 --nu-b 3 --objective difference');
%! check_fit(file, data, {'paper', true, 'nu_b', 2}, '--paper --nu-b 2');
%! check_fit(file, data, {'paper', true}, '--paper');
%! check_fit(file, data, {'Unsupervised', 'variance', 'Metric', 'jeffrey'}, '--unsupervised variance --metric jeffrey');
%! check_fit(file, data, {struct('init', 'random', 'seed', 7, 'restarts', 2)}, '--init random --seed 7 --restarts 2');
%! check_fit(file, data, {'unlabelled', 2}, '--unlabelled 2');
%! [file, data] = sample('complex');
%! check_fit(file, data, {}, '');

%!test % m by cross-validation
%! [file, data] = sample('real');
%! model = spdml.fit(data.X, data.y, 'm', 'auto');
%! path = command(sprintf('fit %s -m auto -o %%s', file), '.spdml');
%! other = spdml.load(path); delete(path);
%! assert(isequal(model.W, other.W));

%!test % model files are the same as everywhere
%! [file, data] = sample('real');
%! model = spdml.fit(data, 'm', 3);
%! path = [tempname() '.spdml'];
%! spdml.save(path, model);
%! again = spdml.load(path);
%! assert(isequal(again, model));
%! c = command(sprintf('transform %s %s -o %%s', path, file));
%! S = spdml.transform(model, data.X);
%! assert(isequal(S, c.X));
%! assert(isequal(S, spdml.transform(path, data.X)));
%! assert(isequal(S, spdml.transform(model.W, data.X)));
%! for k = [1 20 36], assert(S(:, :, k), model.W' * data.X(:, :, k) * model.W, 1e-12); end
%! delete(path);

%!test % complex maps
%! [file, data] = sample('complex');
%! model = spdml.fit(data, 'm', 2);
%! assert(! isreal(model.W));
%! assert(model.W' * model.W, eye(2), 1e-12);
%! S = spdml.transform(model, data.X);
%! T = spdml.transform(model.W, data.X);
%! for k = 1:3
%!   assert(S(:, :, k), model.W' * data.X(:, :, k) * model.W, 1e-12);
%!   assert(T(:, :, k), S(:, :, k), 1e-12);
%! end

%!test % cost and gradient
%! for kind = {'real', 'complex'}
%!   [file, data] = sample(kind{1});
%!   n = size(data.X, 1);
%!   W = orth(sin((1:n)' * (1:2)) + ! isreal(data.X) * 1i * cos((1:n)' * (1:2)));
%!   path = [tempname() '.mat']; save('-v7', path, 'W');
%!   [f, G, pairs] = spdml.cost(data.X, data.y, W, 'NuW', 3, 'NuB', 2, 'Objective', 'difference');
%!   c = command(sprintf('cost %s --w %s --nu-w 3 --nu-b 2 --objective difference --gradient %%s', file, path));
%!   delete(path);
%!   assert(isequal(G, c.G));
%!   E = cos((1:n)' * (3:4)) + ! isreal(data.X) * 1i * sin((1:n)' * (3:4)); h = 1e-6;
%!   slope = (spdml.cost(data.X, data.y, W + h * E, 'Affinity', pairs, 'Objective', 'difference') ...
%!            - spdml.cost(data.X, data.y, W - h * E, 'Affinity', pairs, 'Objective', 'difference')) / (2 * h);
%!   assert(real(G(:)' * E(:)), slope, 1e-5 * abs(slope));
%!   D = spdml.distance(spdml.transform(W, data.X), 'Metric', 'stein', 'Squared', true);
%!   plain = 0;
%!   for k = 1:rows(pairs), plain = plain + 2 * pairs(k, 3) * D(pairs(k, 1), pairs(k, 2)); end
%!   assert(f, plain, 1e-9 * abs(plain));
%! end

%!test % a graph that is given back
%! [~, data] = sample('real');
%! W = orth(sin((1:9)' * (1:3)));
%! for objective = {'softmax', 'difference'}
%!   o.objective = objective{1};
%!   [f, G, pairs] = spdml.cost(data.X, data.y, W, o);
%!   [g, H] = spdml.cost(data.X, data.y, W, o, 'Affinity', pairs);
%!   assert(f, g, 1e-12); assert(G, H, 1e-12);
%! end

%!test % what a map looks at
%! [~, data] = sample('real');
%! model = spdml.fit(data, 'm', 3);
%! e = spdml.explain(model, data.X);
%! assert(e.weight, sum(model.W .^ 2, 2), 1e-12);
%! M = mean(data.X, 3); P = M * model.W / (model.W' * M * model.W);
%! assert(subspace(e.pattern, P), 0, 1e-8);
%! assert(sort(e.variance), sort(eig(model.W' * M * model.W)), 1e-10);
%! assert(all(e.kept <= 1 + 1e-12));
%! w = spdml.explain(model);
%! assert(w.weight, e.weight, 1e-12);
%! [~, z] = sample('complex');
%! m = spdml.fit(z, 'm', 2);
%! x = spdml.explain(m, z.X);
%! assert(x.weight, sum(abs(m.W) .^ 2, 2), 1e-12);

%!test % trained methods, as the command
%! [file, data] = sample('real');
%! for name = {'nn-stein', 'mdm-airm', 'cdl', 'nn-stein-ml', 'rsr', 'ts-lda'}
%!   method = spdml.train(data, 'Method', name{1});
%!   path = command(sprintf('train %s --method %s -o %%s', file, name{1}), '.spdml');
%!   other = spdml.load(path);
%!   assert(method.values, other.values);
%!   c = command(sprintf('predict %s %s --scores -o %%s', path, file));
%!   [y, scores] = spdml.predict(method, data.X);
%!   assert(isequal(y, double(c.predicted(:))));
%!   assert(isequal(scores, c.scores));
%!   assert(isequal(spdml.predict(path, data.X), y));
%!   mine = [tempname() '.spdml'];
%!   spdml.save(mine, method);
%!   d = command(sprintf('predict %s %s -o %%s', mine, file));
%!   assert(isequal(y, double(d.predicted(:))));
%!   delete(path); delete(mine);
%! end

%!test % values, grids, groups, models
%! [file, data] = sample('real');
%! a = spdml.train(data, 'Method', 'knn-airm', 'k', 3);
%! assert(a.values.k, 3);
%! b = spdml.train(data, 'Method', 'knn-airm', 'Grid', struct('k', [1 5]));
%! assert(any(b.values.k == [1 5]));
%! g = mod(0:35, 4)';
%! b = spdml.train(data, 'Method', 'knn-airm', 'CvGroups', g);
%! assert(b.settings > 1);
%! model = spdml.fit(data, 'm', 3);
%! d = spdml.train(data, 'Method', 'nn-stein-ml', 'Model', model);
%! assert(isequal(d.W, model.W));
%! e = spdml.train(data, 'Method', 'nn-stein-ml', 'm', 4, 'NoTune', true);
%! assert(size(e.W), [9 4]);

%!test % labels as texts
%! [~, data] = sample('real');
%! names = {'zebra', 'ant', 'bee'};
%! y = names(data.y + 1 - min(data.y))';
%! method = spdml.train(data.X, y, 'Method', 'mdm-airm');
%! assert(method.classes, {'ant'; 'bee'; 'zebra'});
%! plain = spdml.train(data.X, data.y, 'Method', 'mdm-airm');
%! assert(isequal(spdml.predict(method, data.X), names(spdml.predict(plain, data.X) + 1 - min(data.y))'));

%!test % vectors
%! [~, data] = sample('real');
%! V = reshape(data.X, 81, 36)';
%! a = spdml.train(data, 'Method', 'src', 'Vectors', V, 'NoTune', true);
%! assert(mean(spdml.predict(a, data.X, 'Vectors', V) == data.y) > 0.5);
%! b = spdml.train(data, 'Method', 'src', 'Vectors', data.X, 'NoTune', true);
%! assert(isequal(spdml.predict(b, data.X, 'Vectors', data.X), spdml.predict(a, data.X, 'Vectors', V)));

%!test % evaluations, as the command
%! [file, data] = sample('real');
%! folder = tempname();
%! system([getenv('SPDML') ' evaluate ' file ' --methods nn-stein,nn-stein-ml,mdm-airm --outer-folds 3 --final none --no-report -q -o ' folder ' > /dev/null']);
%! c = jsondecode(fileread(fullfile(folder, 'results.json')));
%! r = spdml.evaluate(data, 'Methods', {'nn-stein', 'nn-stein-ml', 'mdm-airm'}, 'OuterFolds', 3);
%! for m = 1:3
%!   known = c.results{m};
%!   assert(r.methods(m).accuracy, known.accuracy_mean, 1e-15);
%!   assert(r.methods(m).method, known.method);
%! end
%! confirm_recursive_rmdir(false, 'local'); rmdir(folder, 's');
%! plain = 0;
%! for k = 1:3
%!   test = r.rounds(k).test;
%!   assert(sort([test r.rounds(k).train]), 1:36);
%!   method = spdml.train(data.X(:, :, r.rounds(k).train), data.y(r.rounds(k).train), 'Method', 'mdm-airm');
%!   y = spdml.predict(method, data.X(:, :, test));
%!   assert(isequal(y, r.methods(3).rounds(k).predicted));
%!   assert(r.methods(3).accuracy_each(k), mean(y == data.y(test)), 1e-15);
%! end

%!test % protocols
%! [~, data] = sample('real');
%! data.subject = mod(0:35, 3)';
%! r = spdml.evaluate(data, 'Methods', 'mdm-airm', 'LeaveOneGroupOut', 'subject');
%! assert(numel(r.rounds), 3);
%! assert(isequal(r.rounds(1).test, find(data.subject == 0)'));
%! s = spdml.evaluate(data, 'Methods', 'mdm-airm', 'Train', data.subject < 2);
%! assert(isequal(s.rounds.test, find(data.subject == 2)'));
%! t = spdml.evaluate(data, 'Methods', 'mdm-airm', 'Train', find(data.subject < 2));
%! assert(t.methods.accuracy, s.methods.accuracy);
%! u = spdml.evaluate(data, 'Methods', 'mdm-airm', 'Split', 0.5, 'Repeats', 4, 'Auc', true);
%! assert(numel(u.rounds), 4);
%! assert(u.methods.auc >= 0.5);
%! v = spdml.evaluate(data, 'Methods', 'mdm-airm', 'LeaveOneGroupOut', 'subject', 'Recenter', 'subject');
%! assert(numel(v.rounds), 3);

%!test % the class SPDML
%! [~, data] = sample('real');
%! map = spdml.SPDML('m', 3).fit(data.X, data.y);
%! assert(isequal(map.transform(data.X), spdml.transform(spdml.fit(data, 'm', 3), data.X)));
