function make(folder)
% make          compiles spdml_mex for MATLAB or Octave, next to this file
% make(FOLDER)  with the libraries of FOLDER, such as build/release
%
% Without FOLDER it takes an installed libspdml-data that pkg-config knows, else ../build/release. On
% MATLAB the static libraries and a static OpenBLAS are preferred: MATLAB's own BLAS has the same names
% and other integers. Then: addpath(fileparts(which('make'))).

here = fileparts(mfilename('fullpath'));
root = fileparts(here);
include = ['-I' fullfile(root, 'include')];
if nargin < 1
  folder = fullfile(root, 'build', 'release');
  [status, text] = system('pkg-config --variable=libdir spdml-data');
  if status == 0
    folder = strtrim(text);
    [~, text] = system('pkg-config --variable=includedir spdml-data');
    include = ['-I' strtrim(text)];
  end
end
source = dir(fullfile(here, 'src', '*.c'));
files = cellfun(@(name) fullfile(here, 'src', name), {source.name}, 'UniformOutput', false);
output = fullfile(here, 'spdml_mex');
if exist('OCTAVE_VERSION', 'builtin')
  setenv('CFLAGS', [strtrim(mkoctfile('-p', 'CFLAGS')) ' -std=c11 -fvisibility=hidden']);
  mkoctfile('--mex', '-o', [output '.mex'], include, ['-L' folder], ['-Wl,-rpath,' folder], files{:}, ...
            '-lspdml-data', '-lspdml', '-lm');
else
  [~, private] = system(['sed -n "s/^Libs.private: //p" ' fullfile(folder, 'spdml-data.pc')]);
  [~, blas] = system('cc -print-file-name=libopenblas.a');
  libraries = strrep(strrep(strtrim(private), '-lopenblas', strtrim(blas)), '-pthread', '-lpthread');
  mex('-largeArrayDims', 'CFLAGS=$CFLAGS -std=c11 -fvisibility=hidden', ...
      ['LDFLAGS=$LDFLAGS -Wl,-Bsymbolic -Wl,--exclude-libs,ALL'], '-output', output, include, files{:}, ...
      ['LINKLIBS=$LINKLIBS ' fullfile(folder, 'libspdml-data.a') ' ' fullfile(folder, 'libspdml.a') ' ' ...
       libraries ' -lgfortran -lut']);
end
end
