# zhuyi. The usual words:
#   make            build/zhuyi
#   make demo       builds, trains on data/village.txt, writes, and says which rules of the text the model knows
#   make test       all tests with float numbers, and the gradient checks with double numbers (gradcheck: these alone)
#   make sanitize   the float tests once more under the address and undefined-behaviour sanitizers
#   make sanitize-threads   the parallel loops and trainings with several threads under the thread sanitizer
#   make coverage   how many lines of src/ the float tests run (needs g++, gcov, python3)
#   make browser    the report in a headless Chromium; pictures: the documents', of the demo's run
#   make fuzz       each reader of files against invented bytes, FUZZ_SECONDS=30 each (needs clang++)
#   make check      layout, sizes, clang-tidy, warnings of two compilers, order of the folders, the documents' commands
#   make install    puts the program, completions of shells and pages of man below PREFIX (/usr/local); make uninstall
#   make format     lays out the sources       make clean    removes what make built
#   make compile_commands   build/compile_commands.json, for editors
# BUILD=folder, CXX=compiler, CXXFLAGS=more and LDFLAGS=more are yours to choose (CXX=aarch64-linux-gnu-g++ LDFLAGS=-static); V=1 shows the whole command lines;
# NATIVE=1 builds the kernels for this machine's processor alone, for whoever builds often;
# FOLDERS="base formats" builds and tests these folders of src/ and tests/ only.
#
# How it builds: a compiler spends most of its time on headers, so neighbours of a folder are compiled together. Such a unit
# is a file that includes them ("units" below). Units become objects, those of src/ become the library zhuyi.a, and both the
# program and the tests are linked from it. What gradient checks need is built twice: with float and with double numbers.

BUILD ?= build
ifeq ($(origin CXX),default)
    CXX := $(if $(shell command -v g++),g++,clang++)
endif
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory  # only the rules that stand here
.SUFFIXES:
ifeq ($(MAKELEVEL),0)
    MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)  # make -j1 still means one
endif

ifeq ($(shell echo __SIZEOF_POINTER__ | $(CXX) $(CXXFLAGS) -E -P -x c++ - 2>/dev/null),4)
    $(error zhuyi needs a 64-bit system, and $(CXX) makes 32-bit programs)
endif

# ---- flags ---------------------------------------------------------------------------------------------------------

FLAGS := -std=c++20
FLAGS += -ffp-contract=off       # part of the numbers: only a written fma is one, on every machine
FLAGS += -fno-math-errno         # sqrt is one instruction; its value is the same
FLAGS += -pthread                # the standard library's threads (base/parallel.h)
FLAGS += -Isrc -I.               # includes name a file by its folder: "base/real.h"; units: "src/base/hash.cpp"
FLAGS += -MMD -MP                # a changed header rebuilds who includes it; a deleted one hurts nobody
FLAGS += -Wall -Wextra -Wpedantic
FLAGS += -Wshadow                # one name, one thing
FLAGS += -Wconversion -Wsign-conversion  # sizes, indices and numbers are converted in writing
# Never here: -ffast-math (reorders sums) and -march=native (the instruction sets have objects of their own, below).

CLANG := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
ifeq ($(CLANG),)
    FLAGS += -Wno-array-bounds -Wno-stringop-overflow  # g++ 12 suspects its own std::string
endif
ifdef SANITIZE                   # the first finding fails the test; whole stack traces; spans and vectors check bounds
    FLAGS += -g1 -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS
endif
FLAGS += $(if $(COVERAGE),--coverage -fprofile-update=atomic)  # counters of lines, right with many threads
FLAGS := $(strip $(FLAGS) $(WERROR) $(CXXFLAGS))

TEST_FLAGS := -Itests            # "support/close.h"
TEST_FLAGS += -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS  # assertions as functions: half of the compile time
BREW := $(if $(filter Darwin,$(shell uname -s)),$(shell brew --prefix 2>/dev/null))
TEST_FLAGS += $(if $(BREW),-isystem $(BREW)/include)  # where Homebrew keeps doctest

# What goes over every number or character is compiled with -O2; what makes words of a few numbers, and tests, with -O0: they
# are compiled more often than they run. The rest, and all with double numbers, has -O1. None of these changes a bit.
HOT   := $(if $(SANITIZE),,base kernels text generate)
WORDS := explain cost run app
float_level  = $(if $(filter tests/% $(WORDS:%=src/%/%),$(1)),-O0,$(if $(filter $(HOT:%=src/%/%),$(1)),-O2,-O1))
double_level = $(if $(filter tests/%,$(1)),-O0,-O1)

# ---- units ---------------------------------------------------------------------------------------------------------

TARGET  := $(subst -, ,$(shell $(CXX) -dumpmachine 2>/dev/null))  # "x86_64 linux gnu"; without the other system's files of src/system:
SOURCES := $(sort $(filter-out %_$(if $(filter windows% mingw%,$(TARGET)),posix,windows).cpp,$(shell find $(FOLDERS:%=src/%) $(if $(FOLDERS),,src) -name '*.cpp' 2>/dev/null)))
TESTS   := $(sort $(shell find $(FOLDERS:%=tests/%) $(if $(FOLDERS),,tests) -name '*_test.cpp' 2>/dev/null))
SUPPORT := $(sort $(wildcard tests/support/*.cpp))
KERNELS := $(filter src/kernels/instruction_set.cpp,$(SOURCES))
# Words "src/base/1=src/base/arena.cpp": unit and file. (Names in unnamed namespaces are therefore unique in a folder.)
IN_UNITS := $(shell sh scripts/cut_units.sh $(filter-out src/main.cpp $(KERNELS),$(SOURCES)) $(TESTS))
UNITS    := $(sort $(foreach pair,$(IN_UNITS),$(firstword $(subst =, ,$(pair)))))
files_of  = $(patsubst $(1)=%,%,$(filter $(1)=%,$(IN_UNITS)))

# The double build checks gradients: the folders that calculate, what they include, and their tests.
DOUBLE_FOLDERS := base system formats kernels text autograd ops model train
DOUBLE_TESTS   := base kernels autograd ops model train
objects         = $(patsubst %,$(BUILD)/$(1)/%.o,$(2))
OBJECTS_float  := $(call objects,float,$(filter src/%,$(UNITS)))
OBJECTS_double := $(call objects,double,$(filter $(DOUBLE_FOLDERS:%=src/%/%),$(UNITS)))
TESTS_float    := $(call objects,float,$(filter tests/%,$(UNITS)) tests/main)
TESTS_double   := $(call objects,double,$(filter $(DOUBLE_TESTS:%=tests/%/%),$(UNITS)) tests/main)

# ---- kernels: one source, an object for each instruction set -------------------------------------------------------

X86 := $(filter x86_64 amd64,$(TARGET))
INSTRUCTION_SETS := portable $(if $(X86),avx2 avx512 avx512bf16)
ifdef NATIVE  # those that this machine has, of which only the best will run
    HAS = $(findstring __$(1)__,$(shell $(CXX) -march=native -dM -E -x c++ - </dev/null))
    INSTRUCTION_SETS := portable $(if $(call HAS,AVX512BF16),avx512 avx512bf16,$(if $(call HAS,AVX512VL),avx512,$(if $(call HAS,AVX2),avx2)))
endif
FLAGS += $(patsubst %,-DZHUYI_HAS_%,$(INSTRUCTION_SETS))  # src/kernels/kernels.cpp

# No exceptions: the handlers would be functions that these objects share with others, see kernels/lanes.h. (What
# a workspace throws passes through them; they have nothing to clean up.)
KERNEL_FLAGS            := -O2 -fno-exceptions -fasynchronous-unwind-tables
KERNEL_FLAGS_portable   := $(KERNEL_FLAGS) $(if $(X86),-Og)  # every such processor since 2013 has AVX2: compiled in a third of the time, and half as fast
KERNEL_FLAGS_avx2       := $(KERNEL_FLAGS) -mavx2 -mfma
KERNEL_FLAGS_avx512     := $(KERNEL_FLAGS) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma
KERNEL_FLAGS_avx512     += $(if $(CLANG),,-mtune=skylake-avx512) -mprefer-vector-width=512  # g++ tuned for "generic" parks addresses in vector registers, which the tiles of tile.h need
KERNEL_FLAGS_avx512     += -Wno-unknown-warning-option -Wno-uninitialized -Wno-maybe-uninitialized  # g++ 12 suspects its own intrinsics
KERNEL_FLAGS_avx512bf16 := $(KERNEL_FLAGS_avx512) -mavx512bf16
ifneq ($(KERNELS),)  # these take longest, so they come first
    OBJECTS_float  := $(INSTRUCTION_SETS:%=$(BUILD)/float/kernels.%.o) $(OBJECTS_float)
    OBJECTS_double := $(BUILD)/double/kernels.portable.o $(OBJECTS_double)
endif

# ---- written by the build: the files that the program carries with it, which commit it is, units ---------------------

EMBEDDED := $(sort $(filter-out %.c,$(wildcard src/film/page/*.*)) $(wildcard data/course.*.md))
OBJECTS_float += $(BUILD)/float/embedded.o $(if $(filter src/app/command_line.cpp,$(SOURCES)),$(BUILD)/float/version.o)
$(BUILD)/embedded.cpp: $(EMBEDDED) $(BUILD)/sources
	$(SAY) "embed   src/film/page data/course.*.md"
	$(DO)sh scripts/embed.sh $(EMBEDDED) > $@
$(BUILD)/version.cpp: SAYS = $(shell git describe --always --dirty 2>/dev/null || echo unknown)
$(BUILD)/version.cpp: FORCE
	$(call write_if_new,{ echo '#include "app/help.h"'; echo 'const char* zhuyi::commit_of_build() { return "$(SAYS)"; }'; })
# Another compiler or other flags rebuild everything, a file that came or went links anew.
$(BUILD)/flags $(BUILD)/sources: FORCE
	$(call write_if_new,echo '$(SAYS)')
$(BUILD)/flags:   SAYS = $(CXX) $(FLAGS) $(TEST_FLAGS)
$(BUILD)/sources: SAYS = $(IN_UNITS) $(KERNELS) $(SUPPORT) $(EMBEDDED)
$(UNITS:%=$(BUILD)/units/%.cpp): $(BUILD)/units/%.cpp: $(BUILD)/sources
	$(call write_if_new,for file in $(call files_of,$*); do echo "#include \"$$file\""; done)
# What a command writes becomes the file only if it differs, so that nothing is built anew for nothing.
write_if_new = @mkdir -p $(@D); $(1) > $@.new; if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# ---- build ---------------------------------------------------------------------------------------------------------

.PHONY: all compile test test-float gradcheck sanitize sanitize-threads run-threads sanitize-compile coverage \
    fuzz link-fuzzers run-fuzzers browser pictures demo install uninstall check read-tests compile_commands format clean FORCE
SAY := $(if $(V),@:,@echo)
DO  := $(if $(V),,@)

PROGRAM := $(if $(FOLDERS),,$(BUILD)/zhuyi)  # some folders make no program
all: $(BUILD)/zhuyi
compile: $(BUILD)/zhuyi $(BUILD)/test_float $(BUILD)/test_double

$(BUILD)/zhuyi: $(BUILD)/float/src/main.o $(BUILD)/float/zhuyi.a
$(BUILD)/test_float: $(TESTS_float) $(BUILD)/float/support.a $(BUILD)/float/zhuyi.a
$(BUILD)/test_double: $(TESTS_double) $(BUILD)/double/support.a $(BUILD)/double/zhuyi.a
FUZZERS := $(basename $(notdir $(wildcard tests/fuzz/*.cpp)))
$(BUILD)/zhuyi $(BUILD)/test_float $(BUILD)/test_double $(BUILD)/test_threads $(FUZZERS:%=$(BUILD)/fuzz_%):
	$(SAY) "link    $@"
	$(DO)$(CXX) $(FLAGS) $(filter %.o %.a,$^) $(LDFLAGS) -o $@
$(BUILD)/float/zhuyi.a: $(OBJECTS_float) $(BUILD)/sources
$(BUILD)/double/zhuyi.a: $(OBJECTS_double) $(BUILD)/sources
$(BUILD)/float/support.a: $(call objects,float,$(SUPPORT:%.cpp=%)) $(BUILD)/sources
$(BUILD)/double/support.a: $(call objects,double,$(SUPPORT:%.cpp=%)) $(BUILD)/sources
%.a:
	$(DO)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# g++ alone: the standard headers that most files include, precompiled, once for each -O (a precompiled header brings the
# -O it was made with along, whatever the command line says).
STANDARD := algorithm array cmath cstdint cstdio filesystem functional map memory optional span string string_view utility variant vector
ifeq ($(CLANG),)
    PRECOMPILED := $(patsubst %,$(BUILD)/standard%/standard.h.gch,-O0 -O1 $(if $(SANITIZE),,-O2))
    precompiled  = -include $(BUILD)/standard$(1)/standard.h
endif
.PRECIOUS: $(BUILD)/standard%/standard.h.gch
$(BUILD)/standard%/standard.h.gch: $(BUILD)/flags
	@mkdir -p $(@D); for header in $(STANDARD); do echo "#include <$$header>"; done > $(@D)/standard.h
	$(DO)$(CXX) $(FLAGS) $* -x c++-header $(@D)/standard.h -o $@

NUMBER_double := -DZHUYI_REAL=double
compile_to = $(DO)mkdir -p $(@D) && $(CXX) $(FLAGS) $(1) -c $< -o $@
define compile_number  # float or double
$(BUILD)/$(1)/%.o: $(BUILD)/units/%.cpp $(BUILD)/flags $(PRECOMPILED)
	$(SAY) "$(1)  $$(call files_of,$$*)"
	$$(call compile_to,$$(call precompiled,$$(call $(1)_level,$$*)) $$(call $(1)_level,$$*) $(NUMBER_$(1)) $$(if $$(filter tests/%,$$*),$(TEST_FLAGS)))
$(BUILD)/$(1)/%.o: %.cpp $(BUILD)/flags
	$(SAY) "$(1)  $$<"
	$$(call compile_to,$$(call $(1)_level,$$*) $(NUMBER_$(1)) $$(if $$(filter tests/%,$$*),$(TEST_FLAGS)))
$(BUILD)/$(1)/kernels.%.o: src/kernels/instruction_set.cpp $(BUILD)/flags
	$(SAY) "$(1)  $$< ($$*)"
	$$(call compile_to,$(NUMBER_$(1)) $$(KERNEL_FLAGS_$$*) $(if $(SANITIZE),-O1) -DZHUYI_INSTRUCTION_SET=$$*)
endef
$(foreach number,float double,$(eval $(call compile_number,$(number))))
$(BUILD)/float/embedded.o $(BUILD)/float/version.o: $(BUILD)/float/%.o: $(BUILD)/%.cpp $(BUILD)/flags
	$(compile_to)
-include $(shell find $(BUILD)/float $(BUILD)/double $(BUILD)/read -name '*.d' 2>/dev/null)

# ---- tests ---------------------------------------------------------------------------------------------------------

# Tests below tests/app and tests/run run the program itself, which they find by ZHUYI_BINARY. They go beside all others, and
# those with double numbers: either half keeps about one processor busy. What `test` runs is said in AFTER.
OF_PROGRAM := *tests/app/*,*tests/run/*
run_float   = ZHUYI_BINARY="$$(cd $(BUILD) && pwd)/zhuyi" $(BUILD)/test_float $(ONLY)
test: AFTER = $(BUILD)/test_double || status=1;
test: $(BUILD)/test_double
test test-float: $(PROGRAM) $(BUILD)/test_float
	@status=0; \
	$(run_float) -sf='$(OF_PROGRAM)' >$(BUILD)/test_program.log 2>&1 & program=$$!; \
	$(run_float) -sfe='$(OF_PROGRAM)' || status=1; $(AFTER) \
	wait $$program || status=1; cat $(BUILD)/test_program.log; exit $$status
gradcheck: $(BUILD)/test_double
	$(BUILD)/test_double

# Folders of their own, and no -Werror for g++, which suspects what is right where there are sanitizers. Only with float: double
# numbers go the same ways through the same sources. Left out: the tests of scripts, which run no C++, the golden fingerprints
# (a hundred trainings about equal bits), and what is a matter of many starts of the program and not of its memory.
SANITIZED = BUILD=$(BUILD)/sanitize SANITIZE=address,undefined $(if $(CLANG),,WERROR=)
THREADS   = BUILD=$(BUILD)/threads FOLDERS="$(DOUBLE_FOLDERS)" SANITIZE=thread WERROR=
FUZZED    = BUILD=$(BUILD)/fuzz CXX="$(if $(findstring clang,$(CXX)),$(CXX),clang++)" SANITIZE=address,undefined,fuzzer-no-link WERROR=
NOT_SANITIZED := scripts/*,golden*,resume:*,recovery:*,verify*,inject*,course: every*,hostile: negative and huge*
sanitize:
	@$(MAKE) $(SANITIZED) ONLY='"-tce=$(NOT_SANITIZED)"' test-float
# A data race may never show in a result; here it is a finding. The parallel loops, and trainings with one thread and more.
sanitize-threads:
	@$(MAKE) $(THREADS) run-threads
$(BUILD)/test_threads: $(call objects,float,tests/main tests/base/parallel_test tests/train/threads_test) $(BUILD)/float/zhuyi.a
run-threads: $(BUILD)/test_threads
	$<
# What the sanitizers and the fuzzers run, built and not run: `.ci/run` does so beside what waits.
sanitize-compile: all
	@$(MAKE) $(SANITIZED) $(BUILD)/sanitize/zhuyi $(BUILD)/sanitize/test_float
	@$(MAKE) $(THREADS) $(BUILD)/threads/test_threads
	@$(MAKE) $(FUZZED) link-fuzzers

# Counters of an earlier run are forgotten. A test that fails does not hide the count.
coverage:
	@if [ -d $(BUILD)/coverage ]; then find $(BUILD)/coverage -name '*.gcda' -delete; fi
	-$(MAKE) BUILD=$(BUILD)/coverage COVERAGE=1 WERROR= test-float
	python3 scripts/coverage.py $(BUILD)/coverage

# Only the objects that the readers need; the kernels are those of the program.
FUZZ_SECONDS ?= 30
FUZZ_SEED    ?= 0  # 0: another one each time
READERS := $(filter $(patsubst %,src/%/%,$(DOUBLE_FOLDERS) generate interop attention probe film),$(UNITS))
fuzz: all
	@$(MAKE) $(FUZZED) run-fuzzers
link-fuzzers: $(FUZZERS:%=$(BUILD)/fuzz_%)
run-fuzzers: $(FUZZERS:%=run-fuzz-%)
$(FUZZERS:%=$(BUILD)/fuzz_%): $(BUILD)/fuzz_%: $(BUILD)/float/tests/fuzz/%.o $(wildcard $(dir $(BUILD))float/kernels.*.o) $(BUILD)/float/readers.a
$(FUZZERS:%=$(BUILD)/fuzz_%): private FLAGS += -fsanitize=fuzzer
$(BUILD)/float/readers.a: $(call objects,float,$(READERS)) $(BUILD)/float/embedded.o
$(FUZZERS:%=run-fuzz-%): run-fuzz-%: $(BUILD)/fuzz_%
	$(SAY) "fuzz    $*"
	$(DO)sh scripts/fuzz.sh $(BUILD) $* $(FUZZ_SECONDS) $(FUZZ_SEED)

# The report in a headless Chromium; its screenshots stay in $(BUILD)/browser. `make pictures` takes those of the README.
browser: all
	python3 tests/browser/report_test.py $(BUILD)/zhuyi $(BUILD)/browser $(wildcard runs/village)
pictures: demo
	$(MAKE) browser
	sh scripts/pictures.sh $(BUILD)

# ---- demo, install, check ------------------------------------------------------------------------------------------

demo: all
	sh scripts/demo.sh $(BUILD)/zhuyi
# The program needs no file of this tree; the shells' completions and the pages of man are what it says of itself.
PREFIX ?= /usr/local
install: all
	sh scripts/install.sh $(BUILD)/zhuyi '$(DESTDIR)$(PREFIX)'
uninstall:
	sh scripts/install.sh --remove '$(DESTDIR)$(PREFIX)'
# All parts, or one of them: `make check-layers`.
CHECKS := format page layers sizes tidy g++ clang++ kernels readme
check: PARTS = $(CHECKS)
$(CHECKS:%=check-%): PARTS = $(@:check-%=%)
check $(CHECKS:%=check-%): $(UNITS:%=$(BUILD)/units/%.cpp)
	+@MAKE='$(MAKE)' BUILD=$(BUILD) WERROR='$(WERROR)' sh scripts/check.sh $(PARTS)
# Of the tests clang++ says what it thinks, and that is enough.
read-tests: $(patsubst %,$(BUILD)/read/%,$(filter tests/%,$(UNITS)))
$(BUILD)/read/%: $(BUILD)/units/%.cpp $(BUILD)/flags
	$(SAY) "read    $(call files_of,$*)"
	$(DO)mkdir -p $(@D) && $(CXX) $(FLAGS) -MF $@.d -MT $@ $(TEST_FLAGS) -fsyntax-only $< && touch $@
# Each file as if it were compiled alone: what an editor wants to know.
compile_commands:
	@mkdir -p $(BUILD)
	@for file in $(SOURCES) $(TESTS); do \
	    printf '{"directory": "%s", "file": "%s", "command": "%s -c %s"},\n' "$(CURDIR)" "$$file" "$(CXX) $(FLAGS) $(TEST_FLAGS)" "$$file"; \
	done | sed -e '1s/^/[/' -e '$$s/,$$/]/' > $(BUILD)/compile_commands.json
	$(SAY) "wrote   $(BUILD)/compile_commands.json"

format:
	find src tests -name '*.h' -o -name '*.cpp' -o -name '*.js' | xargs clang-format -i
clean:
	rm -rf $(BUILD)
