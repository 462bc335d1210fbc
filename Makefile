# A list of tasks; CMake does the building (see CMakePresets.json).
PREFIX ?= /usr/local

.PHONY: help setup demo test bench lint format docs coverage fuzz install clean release

help:
	@echo "make demo       set up, build, show the geometry on generated data"
	@echo "make test       set up, build, run every test"
	@echo "make bench      build, measure (make bench BENCH='kernels' for one)"
	@echo "make lint       format, includes, cppcheck, clang-tidy"
	@echo "make format     put every C file into the one format"
	@echo "make docs       write the manual pages; where to read"
	@echo "make coverage   line coverage of src/"
	@echo "make fuzz       fuzz every reader (FUZZ_SECONDS=600)"
	@echo "make setup      only install what is missing"
	@echo "make install    build, install to PREFIX ($(PREFIX))"
	@echo "make clean      remove build/"

setup:
	@tools/setup.sh

release:
	@tools/setup.sh demo
	@cmake --preset release >/dev/null
	@cmake --build --preset release

demo: release
	@tools/demo.sh

test:
	@tools/setup.sh test
	@tools/run-tests test

bench: release
	@tools/bench.sh $(BENCH)

lint:
	@tools/setup.sh lint
	@tools/run-tests lint

format:
	@tools/check-format --fix

docs: release
	@echo "docs/                        how it is made, and the mathematics"
	@echo "include/spdml.h              every public function"
	@echo "build/release/share/man/man1 manual pages:"
	@ls build/release/share/man/man1

coverage:
	@tools/setup.sh coverage
	@tools/coverage.sh

fuzz:
	@tools/setup.sh test
	@tools/run-tests fuzz

install: release
	cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build
