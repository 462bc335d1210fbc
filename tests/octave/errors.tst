% errors.tst - wrong input of every kind: the identifier, the sample counted from 1, the remedy.

%!function refused(id, pattern, varargin)
%!  caught = [];
%!  try
%!    feval(['spdml.' varargin{1}], varargin{2:end});
%!  catch e
%!    caught = e;
%!  end
%!  assert(! isempty(caught), ['accepted: ' varargin{1}]);
%!  assert(caught.identifier, ['spdml:' id]);
%!  assert(! isempty(regexp(caught.message, pattern, 'once')), caught.message);
%!endfunction
%!function X = good()
%!  X = cat(3, eye(3), 2 * eye(3), diag([1 2 3]), diag([3 1 1]));
%!endfunction
%!function X = with(k, value)
%!  X = good(); X(:, :, k) = value;
%!endfunction

%!test refused('notPositiveDefinite', 'X\(:,:,3\).*''Regularize''', 'distance', with(3, diag([1 -1 2])));
%!test refused('notPositiveDefinite', '''Regularize'', 1e-6', 'mean', with(2, ones(3)));
%!test refused('notPositiveDefinite', 'Y\(:,:,2\)', 'distance', good(), with(2, -eye(3)));
%!test refused('notSymmetric', 'X\(:,:,4\).*''Symmetrize'', true', 'distance', with(4, [1 0.5 0; 0 1 0; 0 0 1]));
%!test refused('notSymmetric', 'X\(:,:,1\)', 'expm', [1 2; 0 1]);
%!test refused('notFinite', 'X\(:,:,2\).*row 1, column 3|X\(:,:,2\).*row 3, column 1', 'mean', with(2, [1 0 NaN; 0 1 0; NaN 0 1]));
%!test refused('notFinite', 'X\(:,:,1\)', 'logm', with(1, Inf(3)));
%!test refused('invalidArgument', 'n x n x p', 'distance', ones(2, 3, 4));
%!test refused('invalidArgument', 'three dimensions', 'distance', ones(2, 2, 2, 2));
%!test refused('invalidArgument', 'class double or single, not int32', 'distance', int32(good()));
%!test refused('invalidArgument', 'not sparse', 'mean', speye(3));
%!test refused('invalidArgument', 'not cell', 'mean', {1});
%!test refused('invalidArgument', 'empty', 'mean', []);
%!test refused('invalidArgument', '1 argument is needed', 'mean');
%!test refused('invalidArgument', 'has no value', 'mean', good(), 'Metric');
%!test refused('unknownOption', 'no option ''metrik''; there are .*metric', 'mean', good(), 'Metrik', 'airm');
%!test refused('invalidArgument', 'given twice', 'mean', good(), 'Metric', 'airm', 'metric', 'stein');
%!test refused('invalidArgument', 'did you mean|stein', 'mean', good(), 'Metric', 'steen');
%!test refused('invalidArgument', 'must be a text', 'mean', good(), 'Metric', 3);
%!test refused('invalidArgument', 'must be a number', 'mean', good(), 'Tol', 'small');
%!test refused('invalidArgument', 'whole number', 'mean', good(), 'MaxIter', 2.5);
%!test refused('invalidArgument', '3 entries for 4', 'mean', good(), 'Weights', [1 2 3]);
%!test refused('invalidArgument', '.', 'mean', good(), 'Weights', [-1 2 3 4]);
%!test refused('invalidArgument', 'Y has 2 x 2 matrices', 'distance', good(), eye(2));
%!test refused('invalidArgument', 'all matrices are complex', 'distance', good(), complex(good()));
%!test refused('invalidArgument', 'they must be as many', 'geodesic', good(), good(), [0 1 2]);
%!test refused('invalidArgument', 'they must be as many', 'geodesic', eye(3), good(), [0 1]);
%!test refused('invalidArgument', 'one number', 'powm', good(), [1 2]);
%!test refused('invalidArgument', '1 to 3', 'nearest', good(), 'k', 4);
%!test refused('invalidArgument', 'labels are needed', 'fit', good(), 'm', 2);
%!test refused('invalidArgument', 'y has 3 entries', 'fit', good(), [1 2 1], 'm', 2);
%!test refused('invalidArgument', 'y\(2\) is 1.5', 'fit', good(), [1 1.5 2 2], 'm', 2);
%!test refused('invalidArgument', 'y\{3\} must be a text', 'fit', good(), {'a', 'b', 3, 'a'}, 'm', 2);
%!test refused('invalidArgument', '''m'' is needed', 'fit', good(), [1 2 1 2]);
%!test refused('invalidArgument', 'm = 3 must be smaller', 'fit', good(), [1 2 1 2], 'm', 3);
%!test refused('invalidArgument', '''auto'' needs labels', 'fit', good(), 'm', 'auto', 'Unsupervised', 'graph');
%!test refused('invalidArgument', 'graph.*variance', 'fit', good(), 'm', 2, 'Unsupervised', 'often');
%!test refused('invalidArgument', 'row 1.*from 1 to 4', 'fit', good(), 'm', 2, 'Affinity', [0 2 1]);
%!test refused('invalidArgument', 'three columns', 'fit', good(), 'm', 2, 'Affinity', [1 2]);
%!test refused('invalidArgument', 'W must be 3 x m', 'cost', good(), [1 2 1 2], eye(2));
%!test refused('invalidArgument', 'the map is for 2 x 2', 'transform', eye(2), good());
%!test refused('invalidArgument', 'a model must be', 'transform', struct('W', eye(3)), good());
%!test refused('invalidArgument', 'a method must be', 'predict', struct('x', 1), good());
%!test refused('invalidArgument', 'nonsense', 'train', good(), [1 2 1 2], 'Method', 'nonsense');
%!test refused('invalidArgument', 'nn-stein has no parameter ''beta''', 'train', good(), [1 2 1 2], 'Method', 'nn-stein', 'Beta', 1);
%!test refused('invalidArgument', 'no parameter ''q''', 'train', good(), [1 2 1 2], 'Grid', struct('q', 1));
%!test refused('invalidArgument', 'one protocol', 'evaluate', good(), [1 2 1 2], 'Split', 0.5, 'OuterFolds', 2);
%!test refused('invalidArgument', 'names are those of a struct', 'evaluate', good(), [1 2 1 2], 'LeaveOneGroupOut', 'subject');
%!test refused('invalidArgument', 'numbers of samples', 'evaluate', good(), [1 2 1 2], 'Train', [1 9]);
%!test refused('fileError', '/no/such', 'load', '/no/such.npz');
%!test refused('invalidArgument', '.', 'describe', 'nothing', '/tmp');
%!test refused('invalidArgument', '''Output''', 'synth', 'motion');
%!test refused('invalidArgument', 'can be saved', 'save', '/tmp/x.npz', 3);

%!test % a damaged file
%! path = [tempname() '.spdml'];
%! f = fopen(path, 'w'); fwrite(f, 'PK nonsense'); fclose(f);
%! try, spdml.transform(path, good()); id = ''; catch e, id = e.identifier; end
%! delete(path);
%! assert(any(strcmp(id, {'spdml:badFormat', 'spdml:invalidArgument'})));

%!test % a file in a struct that was changed
%! model = spdml.fit(good(), [1 2 1 2], 'm', 2);
%! model.file.spdml.bytes = model.file.spdml.bytes(1:50);
%! try, spdml.transform(model, good()); id = ''; catch e, id = e.identifier; end
%! assert(id, 'spdml:badFormat');
