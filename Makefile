# A list of tasks; CMake does the building (see CMakePresets.json).
PREFIX ?= /usr/local
INSTALLED ?= build/installed
MUTANTS ?= 300
SEED ?= 1

.PHONY: help setup demo test check fresh bench matlab lint format docs results coverage fuzz faults mutants tsan install uninstall dist deb clean release

help:
	@echo "make demo       set up, build, compare methods on generated images, write a report"
	@echo "make test       set up, build, run unit, command and Python tests (five minutes)"
	@echo "make check      everything: other kernels, sanitizers, fuzzing, valgrind, CUDA, lint"
	@echo "make fresh      demo, test and install in a minimal Debian (as root)"
	@echo "make bench      build, measure (make bench BENCH='kernels' for one)"
	@echo "make matlab     build the toolbox for Octave: build/release/matlab, and its package"
	@echo "make lint       format, arrows, size, map, cppcheck, clang-tidy"
	@echo "make format     put every C file into the one format"
	@echo "make docs       build the documentation as a site in build/site"
	@echo "make results    run the tables of README and docs/results.md, and write them there"
	@echo "make coverage   line coverage of src/"
	@echo "make fuzz       fuzz every reader (FUZZ_HOURS=8 in all, or FUZZ_SECONDS=600 each)"
	@echo "make faults     make every allocation and system call of the command fail once"
	@echo "make tsan       every test that uses threads, under ThreadSanitizer"
	@echo "make mutants    break lines of src/ one at a time (MUTANTS=300 SEED=1): do tests notice?"
	@echo "make setup      only install what is missing"
	@echo "make install    build, install to PREFIX ($(PREFIX))"
	@echo "make uninstall  remove what the last make install put there"
	@echo "make dist       the source archive, in dist/; make deb: Debian packages, in build/deb"
	@echo "make clean      remove build/"

setup:
	@tools/setup.sh

release:
	@tools/setup.sh demo
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target spdml spdml_shared examples manual

demo: release
	@tools/demo.sh

test:
	@tools/setup.sh test
	@tools/run-tests test

check:
	@tools/setup.sh check lint
	@tools/run-tests check

fresh:
	@tools/setup.sh check
	@tools/fresh 'make demo && make test && make install PREFIX=/opt/spdml && /opt/spdml/bin/spdml version'

bench: release
	@tools/bench.sh $(BENCH)

matlab:
	@tools/setup.sh demo
	@command -v mkoctfile >/dev/null || { echo "mkoctfile is missing: apt install octave octave-dev"; exit 1; }
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target spdml_mex octave-package

lint:
	@tools/setup.sh lint
	@tools/run-tests lint

format:
	@tools/check-format --fix

docs: release
	@tools/setup.sh docs
	@tools/docs.sh

results: release
	@tools/results $(RESULTS)

coverage:
	@tools/setup.sh coverage
	@tools/coverage.sh

fuzz:
	@tools/setup.sh check
	@tools/fuzz $(FUZZ)

faults: release
	@cmake --build --preset release --target faults
	@python3 tests/faults/sweep.py build/release/spdml build/release/tests/libfaults.so

tsan:
	@tools/setup.sh check
	@TSAN='.*' tools/run-tests tsan

mutants:
	@tools/setup.sh check
	@tools/mutants --count $(MUTANTS) --seed $(SEED) $(MUTANTS_OPTIONS)

install: release
	@cmake --build --preset release --target installed
	cmake --install build/release --prefix "$(PREFIX)"
	@cp build/release/install_manifest.txt $(INSTALLED)

# What the last `make install` put where it lies now, and then folders of ours that are empty.
uninstall:
	xargs -d '\n' rm -fv <$(INSTALLED)
	@sed -n 's|/[^/]*$$||p; s|\(/spdml\)/.*|\1|p' $(INSTALLED) | grep -E '/spdml(/|$$)' | sort -ru | \
		xargs -d '\n' -r rmdir --ignore-fail-on-non-empty

dist:
	@tools/dist

deb:
	@tools/deb

clean:
	rm -rf build
