% files.tst - data sets in files, descriptions, generated data; what a call leaves behind.

%!function k = resident()
%!  k = str2double(regexp(fileread('/proc/self/smaps_rollup'), 'Pss_Anon: +(\d+)', 'tokens', 'once'){1});
%!endfunction
%!function some(data, bad, model, path, count)
%!  for k = 1:count
%!    try, spdml.fit(bad, data.y, 'm', 3); catch, end
%!    try, spdml.transform(model, bad); catch, end
%!    try, spdml.explain(path, bad); catch, end
%!    try, spdml.fit(data, 'm', 3, 'MaxIter', 1, 'Nonsense', 1); catch, end
%!    spdml.transform(path, data.X); spdml.distance(data.X);
%!  end
%!endfunction

%!test % generated data, as the command
%! [~, data] = sample('real');
%! mine = spdml.synth('spd', 'n', 9, 'planted', 3, 'samples', 12, 'classes', 3);
%! assert(isequal(mine.X, data.X));
%! assert(isequal(mine.y, data.y));

%!test % axis order: matrices, columns and images
%! path = [tempname() '.mat'];
%! X = cat(3, [2 1; 1 3], [4 0; 0 5], [1 0; 0 1]); y = [1; 2; 1];
%! wide = [1 2; 3 4; 5 6]; images = reshape(1:18, 3, 2, 3);
%! save('-v7', path, 'X', 'y', 'wide', 'images');
%! d = spdml.load(path);
%! assert(isequal(d.X, X)); assert(isequal(d.y, y)); assert(isequal(d.wide, wide)); assert(isequal(d.images, images));
%! delete(path);

%!test % round trips
%! [~, data] = sample('complex');
%! for ending = {'.npz', '.mat'}
%!   path = [tempname() ending{1}];
%!   data.subject = (1:24)'; data.name = arrayfun(@(k) sprintf('n%d', k), (1:24)', 'UniformOutput', false);
%!   spdml.save(path, data);
%!   d = spdml.load(path);
%!   assert(isequal(d.X, data.X)); assert(isequal(d.y, data.y)); assert(isequal(d.subject, data.subject));
%!   assert(isequal(d.name, data.name));
%!   delete(path);
%! end

%!test % repairs while reading
%! path = [tempname() '.mat'];
%! X = cat(3, [1 1; 1 1], eye(2)); y = [1; 2];
%! save('-v7', path, 'X', 'y');
%! d = spdml.load(path, 'Regularize', 0.5);
%! assert(d.X(:, :, 1), [1.5 1; 1 1.5], 1e-15);
%! D = spdml.distance(X, 'Regularize', 0.5);
%! assert(D, spdml.distance(d.X), 1e-14);
%! delete(path);

%!test % motion capture, as the command
%! folder = tempname();
%! count = spdml.synth('motion', 'Output', folder, 'classes', 2, 'samples', 1, 'subjects', 2, 'frames', 30);
%! assert(count > 4);
%! index = fullfile(folder, 'index.csv');
%! warning('off', 'spdml:fewObservations', 'local');
%! d = spdml.describe('joints', folder, 'Labels', index, 'Frames', [3 20]);
%! c = command(sprintf('describe joints %s --labels %s --frames 2:20 -o %%s', folder, index));
%! assert(isequal(d.X, c.X));
%! assert(isequal(sort(unique(d.subject)), {'a'; 'b'}));
%! confirm_recursive_rmdir(false, 'local'); rmdir(folder, 's');

%!test % images and signals, as the command
%! folder = tempname();
%! spdml.synth('textures', 'Output', folder, 'classes', 2, 'samples', 1, 'size', 32);
%! d = spdml.describe('region', folder, 'Grid', [2 1], 'Size', [24 20]);
%! c = command(sprintf('describe region %s --grid 2x1 --size 24x20 -o %%s', folder));
%! assert(isequal(d.X, c.X));
%! confirm_recursive_rmdir(false, 'local'); rmdir(folder, 's');
%! O = permute(reshape(sin((1:600) .^ 1.5), 3, 50, 4), [2 1 3]); y = [1; 2; 1; 2]; X = O;
%! path = [tempname() '.mat']; save('-v7', path, 'X', 'y');
%! d = spdml.describe('covariance', path, 'Shrinkage', 'oas');
%! c = command(sprintf('describe covariance %s --shrinkage oas -o %%s', path));
%! assert(isequal(d.X, c.X));
%! e = spdml.describe('covariance', path);
%! assert(e.X(:, :, 2), cov(O(:, :, 2)), 1e-12);
%! b = spdml.describe('covariance', path, 'Rate', 50, 'Bands', [5 10; 12 20], 'Shrinkage', 0.1);
%! c = command(sprintf('describe covariance %s --rate 50 --bands 5-10,12-20 --shrinkage 0.1 -o %%s', path));
%! assert(isequal(b.X, c.X));
%! delete(path);

%!test % progress
%! [~, data] = sample('real');
%! X = repmat(data.X, [1 1 40]);
%! spdml.evaluate(data, 'Methods', 'nn-airm-ml', 'Progress', @(task, done, total, unit) assert(ischar(task) && done >= 0));
%! text = evalc('spdml.distance(X, ''Progress'', true);');
%! assert(! isempty(strfind(text, 'distances: ')));

%!error <Progress.*failed> spdml.evaluate(nthargout(2, @sample, 'real'), 'Methods', 'rsr-ml', 'Progress', @(t, d, n, u) error('no'));

%!test % nothing is left behind by calls and by errors
%! [~, data] = sample('real');
%! bad = data.X; bad(:, :, 7) = -bad(:, :, 7);
%! model = spdml.fit(data, 'm', 3); path = [tempname() '.spdml']; spdml.save(path, model);
%! some(data, bad, model, path, 60);
%! before = resident();
%! some(data, bad, model, path, 400);
%! assert(resident() - before < 3000, '%d kB more', resident() - before);
%! delete(path);

%!test % clear mex is safe
%! [~, data] = sample('real');
%! D = spdml.distance(data.X);
%! for k = 1:5, clear mex; assert(isequal(spdml.distance(data.X), D)); end
