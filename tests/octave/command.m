function out = command(line, varargin)
% command(LINE) runs 'spdml LINE' in the folder of the tests; OUT are the variables of the file that %s in
% LINE stands for, a .mat, or its name if another ending is given.
ending = '.mat';
if nargin > 1
  ending = varargin{1};
end
file = [tempname() ending];
line = [getenv('SPDML') ' ' strrep(line, '%s', file) ' -q 2>&1'];
[status, text] = system(line);
if status ~= 0
  error('command failed: %s\n%s', line, text);
end
if strcmp(ending, '.mat')
  out = load(file);
  delete(file);
else
  out = file;
end
end
