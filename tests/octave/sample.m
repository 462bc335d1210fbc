function [file, data] = sample(kind)
% A data set: its file, and what spdml.load gives. kind: 'real', or 'complex', Hermitian matrices.
persistent made
if isempty(made)
  made.real = [tempname() '.npz'];
  made.complex = [tempname() '.mat'];
  [status, text] = system([getenv('SPDML') ' synth spd -n 9 --planted 3 --samples 12 --classes 3 -q -o ' made.real]);
  assert(status == 0, text);
  rand('seed', 1); randn('seed', 1);
  X = zeros(5, 5, 24);
  for k = 1:24
    A = randn(5, 12) + 1i * randn(5, 12);
    A(1, :) = A(1, :) * (1 + mod(k, 2));
    X(:, :, k) = A * A' / 12;
    X(:, :, k) = (X(:, :, k) + X(:, :, k)') / 2;
  end
  y = mod(1:24, 2)';
  save('-v7', made.complex, 'X', 'y');
end
file = made.(kind);
data = spdml.load(file);
end
