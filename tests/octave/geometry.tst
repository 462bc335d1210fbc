% geometry.tst - against the command, bit for bit, and against loops that a user would write.

%!test % distances within a set, as the command
%! for kind = {'real', 'complex'}
%!   [file, data] = sample(kind{1});
%!   for metric = {'airm', 'stein', 'log-euclidean', 'jeffrey', 'bures-wasserstein', 'log-cholesky', 'euclidean'}
%!     D = spdml.distance(data.X, 'Metric', metric{1});
%!     c = command(sprintf('distance %s --metric %s -o %%s', file, metric{1}));
%!     assert(isequal(D, c.D));
%!   end
%! end

%!test % distances between two sets
%! for kind = {'real', 'complex'}
%!   [~, data] = sample(kind{1});
%!   D = spdml.distance(data.X);
%!   E = spdml.distance(data.X(:, :, 1:5), data.X(:, :, 6:8));
%!   assert(E, D(1:5, 6:8), 1e-12);
%! end
%! A = data.X(:, :, 1:5); B = data.X(:, :, 6:7);
%! assert(spdml.distance(A, B, 'squared', true), spdml.distance(A, B) .^ 2, 1e-12);
%! assert(spdml.distance(A, B), spdml.distance(B, A)', 1e-12);

%!test % single precision is read without a copy and computed as double
%! [~, data] = sample('real');
%! S = single(data.X);
%! D = spdml.distance(S);
%! assert(class(D), 'double');
%! assert(isequal(D, spdml.distance(double(S))));
%! assert(isequal(spdml.mean(S, 'Regularize', 0.5), spdml.mean(double(S), 'Regularize', 0.5)));
%! [~, z] = sample('complex');
%! assert(isequal(spdml.distance(single(z.X)), spdml.distance(double(single(z.X)))));

%!test % the input is not changed
%! [~, data] = sample('real');
%! X = data.X; before = X + 0;
%! spdml.mean(X, 'Regularize', 0.1); spdml.logm(X); spdml.distance(X, 'Symmetrize', true);
%! assert(isequal(X, before));

%!test % means
%! for kind = {'real', 'complex'}
%!   [file, data] = sample(kind{1});
%!   for metric = {'airm', 'stein', 'log-euclidean', 'jeffrey', 'bures-wasserstein', 'log-cholesky', 'euclidean'}
%!     [M, info] = spdml.mean(data.X, 'metric', metric{1});
%!     c = command(sprintf('mean %s --metric %s -o %%s', file, metric{1}));
%!     assert(isequal(M, c.M));
%!     assert(info.converged);
%!     assert(isreal(M), strcmp(kind{1}, 'real'));
%!   end
%!   assert(spdml.mean(data.X, 'Metric', 'euclidean'), mean(data.X, 3), 1e-12);
%! end
%! w = [3; 1; zeros(34, 1)]; [~, data] = sample('real');
%! assert(spdml.mean(data.X, 'weights', w, 'metric', 'euclidean'), (3 * data.X(:, :, 1) + data.X(:, :, 2)) / 4, 1e-12);

%!test % functions of stacks
%! for kind = {'real', 'complex'}
%!   [~, data] = sample(kind{1});
%!   X = data.X(:, :, 1:4);
%!   L = spdml.logm(X); E = spdml.expm(L); S = spdml.sqrtm(X); P = spdml.powm(X, -0.3);
%!   for k = 1:4
%!     assert(L(:, :, k), logm(X(:, :, k)), 1e-10);
%!     assert(E(:, :, k), X(:, :, k), 1e-10);
%!     assert(S(:, :, k), sqrtm(X(:, :, k)), 1e-10);
%!     assert(P(:, :, k), expm(-0.3 * logm(X(:, :, k))), 1e-10);
%!   end
%! end
%! assert(spdml.expm(diag([-1 2])), diag(exp([-1 2])), 1e-12);

%!test % geodesics
%! [~, data] = sample('real');
%! X = data.X(:, :, 1); Y = data.X(:, :, 2); R = sqrtm(X);
%! G = spdml.geodesic(X, Y, [0 0.25 1]);
%! assert(size(G), [9 9 3]);
%! assert(G(:, :, 1), X, 1e-10); assert(G(:, :, 3), Y, 1e-10);
%! assert(G(:, :, 2), R * expm(0.25 * logm(R \ Y / R)) * R, 1e-10);
%! H = spdml.geodesic(data.X(:, :, 1:3), data.X(:, :, 4:6), [0.1 0.5 0.9]);
%! assert(H(:, :, 2), spdml.geodesic(data.X(:, :, 2), data.X(:, :, 5), 0.5), 1e-12);
%! [~, z] = sample('complex');
%! C = spdml.geodesic(z.X(:, :, 1), z.X(:, :, 2), 0.5, 'Metric', 'euclidean');
%! assert(C, (z.X(:, :, 1) + z.X(:, :, 2)) / 2, 1e-12);

%!test % kernels
%! [~, data] = sample('real'); [~, z] = sample('complex');
%! K = spdml.kernel(data.X, 'Beta', 0.5);
%! assert(K, exp(-0.5 * spdml.distance(data.X, 'Metric', 'stein', 'Squared', 1)), 1e-12);
%! L = spdml.kernel(z.X(:, :, 1:3), z.X(:, :, 4:5), 'Kernel', 'log-euclidean');
%! for i = 1:3, for j = 1:2
%!   assert(L(i, j), real(trace(logm(z.X(:, :, i)) * logm(z.X(:, :, 3 + j)))), 1e-10);
%! end, end

%!warning <beta> spdml.kernel(cat(3, eye(4), 2 * eye(4)), 'Beta', 0.7);

%!test % neighbours, counted from 1
%! [file, data] = sample('real');
%! [index, d, info] = spdml.nearest(data.X, 'k', 3, 'Metric', 'stein');
%! c = command(sprintf('neighbours %s -k 3 --metric stein -o %%s', file));
%! assert(isequal(index, double(c.index) + 1));
%! assert(isequal(d, c.distance));
%! assert(info.recall, 1);
%! D = spdml.distance(data.X, data.X(:, :, 1:4), 'Metric', 'stein');
%! [~, order] = sort(D);
%! assert(isequal(spdml.nearest(data.X, data.X(:, :, 1:4), 'k', 2, 'Metric', 'stein'), order(1:2, :)'));

%!test % embeddings
%! for kind = {'real', 'complex'}
%!   [file, data] = sample(kind{1});
%!   for method = {'pga', 'mds', 'tsne', 'laplacian'}
%!     Y = spdml.embed(data.X, 'Method', method{1}, 'k', 12);
%!     c = command(sprintf('embed %s --method %s -k 12 -o %%s', file, method{1}));
%!     assert(isequal(Y, c.Y));
%!   end
%! end
%! [Y, info] = spdml.embed(data.X, 'Method', 'mds', 'Dimensions', 3);
%! assert(size(Y), [24 3]);
%! assert(sum(Y .^ 2)', info.eigenvalue, 1e-8 * info.eigenvalue(1));
