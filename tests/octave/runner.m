% runner.m - runs every file of tests next to this one and every example in the help texts; prints
% what failed and, in the last line, how many passed and failed.
here = fileparts(mfilename('fullpath'));
warning('off', 'Octave:shadowed-function');
addpath(here, getenv('SPDML_MATLAB'), getenv('SPDML_MEX'));
set(0, 'defaultfigurevisible', 'off');
passed = failed = 0;
for file = {'geometry', 'learning', 'files', 'errors'}
  [good, all] = test(fullfile(here, [file{1} '.tst']), 'quiet', stdout);
  passed += good;
  failed += all - good;
end
% Ctrl-C ends a call with an error, and the next one works. Not by `test`, in which system waits.
data = spdml.synth('spd', 'samples', 60);
for k = 1:2
  system(sprintf('(sleep 0.6; kill -INT %d) > /dev/null 2>&1 &', getpid()));
  tic;
  id = '';
  try
    spdml.fit(data, 'm', 12, 'Metric', 'airm', 'Tol', 0, 'MaxIter', 1e6, 'MaxTime', 20);
  catch problem
    id = problem.identifier;
  end
  good = strcmp(id, 'spdml:interrupted') && toc < 10; % without Ctrl-C 20 s; on an idle machine 1.1 s at most
  good = good && spdml.distance(eye(2), 2 * eye(2)) > 0;
  passed += good;
  failed += ! good;
  if ! good
    printf('FAILED Ctrl-C: %s after %g s\n', id, toc);
  end
end

source = dir(fullfile(getenv('SPDML_MATLAB'), '+spdml', '*.m'));
for k = 1:numel(source)
  text = fileread(fullfile(source(k).folder, source(k).name));
  code = regexp(text, '(?<=% Example:\n)(%   [^\n]*\n)+', 'match', 'once');
  code = regexprep(code, '%   ([^\n]*)\n', '$1;\n');
  try
    assert(! isempty(code), 'no example');
    eval(['function example(), ' code ' end']);
    evalc('example()');
    passed++;
  catch problem
    printf('FAILED the example of %s: %s\n', source(k).name, problem.message);
    failed++;
  end
end
printf('%d passed, %d failed\n', passed, failed);
exit(failed > 0);
