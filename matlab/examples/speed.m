% speed.m - the toolbox next to plain loops over eig, chol and logm, as programs for MATLAB have them: seconds
% for all distances (AIRM and Stein), a mean (AIRM), and the cost with its gradient, the unit of a fit; p = 300
% matrices. SIZES and P can be set before.

if ~exist('sizes', 'var')
  sizes = [8 16 32 64 128];
end
if ~exist('p', 'var')
  p = 300;
end
fprintf('%4s %12s %10s %10s %8s %12s\n', 'n', 'what', 'plain s', 'spdml s', 'times', 'difference');
for n = sizes
  rand('seed', n);
  randn('seed', n);
  X = zeros(n, n, p);
  for k = 1:p
    A = randn(n, 2 * n);
    X(:, :, k) = A * A' / (2 * n);
  end
  y = mod(1:p, 5)';
  few = min(p, 60); % the loops over pairs take some of the matrices; their time is that of all
  share = (p / few) ^ 2;

  tic;
  D = zeros(few);
  for i = 1:few
    for j = i + 1:few
      D(i, j) = norm(log(eig(X(:, :, i), X(:, :, j))));
    end
  end
  plain = toc * share;
  tic; E = spdml.distance(X); own = toc;
  fprintf('%4d %12s %10.3f %10.4f %8.0f %12.1e\n', n, 'airm', plain, own, plain / own, ...
          max(max(abs(triu(E(1:few, 1:few), 1) - D))));

  tic;
  for i = 1:few
    L(i) = 2 * sum(log(diag(chol(X(:, :, i)))));
  end
  for i = 1:few
    for j = i + 1:few
      C = chol((X(:, :, i) + X(:, :, j)) / 2);
      D(i, j) = sqrt(2 * sum(log(diag(C))) - (L(i) + L(j)) / 2);
    end
  end
  plain = toc * share;
  tic; E = spdml.distance(X, 'Metric', 'stein'); own = toc;
  fprintf('%4d %12s %10.3f %10.4f %8.0f %12.1e\n', n, 'stein', plain, own, plain / own, ...
          max(max(abs(triu(E(1:few, 1:few), 1) - D))));

  tic;
  M = mean(X, 3);
  for iteration = 1:50
    R = real(sqrtm(M));
    T = zeros(n);
    for k = 1:p
      S = R \ X(:, :, k) / R;
      [V, d] = eig((S + S') / 2, 'vector');
      T = T + V * diag(log(d)) * V';
    end
    T = T / p;
    M = R * expm(T) * R;
    if norm(T, 'fro') < 1e-10
      break
    end
  end
  plain = toc;
  tic; E = spdml.mean(X); own = toc;
  fprintf('%4d %12s %10.3f %10.4f %8.0f %12.1e\n', n, 'mean', plain, own, plain / own, norm(E - M) / norm(M));

  m = max(2, n / 4);
  W = orth(randn(n, m));
  [f, G, pairs] = spdml.cost(X, y, W, 'Objective', 'difference', 'NuW', 5, 'NuB', 5);
  tic;
  g = 0;
  H = zeros(n, m);
  for k = 1:size(pairs, 1)
    A = X(:, :, pairs(k, 1));
    B = X(:, :, pairs(k, 2));
    a = W' * A * W;
    b = W' * B * W;
    g = g + 2 * pairs(k, 3) * (log(det((a + b) / 2)) - log(det(a) * det(b)) / 2);
    H = H + 2 * pairs(k, 3) * (2 * (A + B) * W / (a + b) - A * W / a - B * W / b);
  end
  plain = toc;
  tic; [f, G] = spdml.cost(X, y, W, 'Objective', 'difference', 'Affinity', pairs); own = toc;
  fprintf('%4d %12s %10.3f %10.4f %8.0f %12.1e\n', n, 'cost', plain, own, plain / own, ...
          max(abs(f - g) / abs(g), norm(G - H) / norm(H)));

  tic; model = spdml.fit(X, y, 'm', m, 'NuW', 5, 'NuB', 5, 'Objective', 'difference', 'Paper', true); own = toc;
  passes = sum(model.history(:, 5)) + 1;
  fprintf('%4d %12s %10.3f %10.4f %8.0f %12s\n', n, 'fit', plain * passes, own, plain * passes / own, ...
          sprintf('(%d passes)', passes));
end
