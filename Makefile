# zhuyi. The usual words:
#   make            build/zhuyi
#   make demo       builds, trains on data/village.txt, writes, and says which rules of the text the model knows
#   make test       all tests with float numbers, and the gradient checks with double numbers (gradcheck: these alone)
#   make sanitize   the float tests once more under the address and undefined-behaviour sanitizers
#   make sanitize-threads   the parallel loops and trainings with several threads under the thread sanitizer
#   make coverage   how many lines of src/ the float tests run (needs g++, gcov, python3)
#   make browser    the report in a headless Chromium; pictures: the README's, of the demo's run
#   make fuzz       each reader of files against invented bytes, FUZZ_SECONDS=30 each (needs clang++)
#   make check      layout, sizes, clang-tidy, warnings of two compilers, order of the folders, the README's commands
#   make install    puts the program, completions of shells and pages of man below PREFIX (/usr/local); make uninstall
#   make format     lays out the sources       make clean    removes what make built
#   make compile_commands   build/compile_commands.json, for editors
# BUILD=folder, CXX=compiler and CXXFLAGS=more are yours to choose; V=1 shows the whole command lines;
# FOLDERS="base formats" builds and tests these folders of src/ and tests/ only.

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

# ---- flags ---------------------------------------------------------------------------------------------------------

FLAGS := -std=c++20
FLAGS += -O2                     # fast, and no licence to change a number
FLAGS += -ffp-contract=off       # part of the numbers: only a written fma is one, on every machine
FLAGS += -fno-math-errno         # sqrt is one instruction; its value is the same
FLAGS += -pthread                # the standard library's threads (base/parallel.h)
FLAGS += -Isrc                   # includes name a file by its folder: "base/real.h"
FLAGS += -MMD -MP                # a changed header rebuilds who includes it; a deleted one hurts nobody
FLAGS += -Wall -Wextra -Wpedantic
FLAGS += -Wshadow                # one name, one thing
FLAGS += -Wconversion -Wsign-conversion  # sizes, indices and numbers are converted in writing
# Never here: -ffast-math (reorders sums) and -march=native (the instruction sets have objects of their own, below).

TEST_FLAGS := -Itests            # "support/close.h"
TEST_FLAGS += -O0                # overrides -O2: test code is compiled more often than it runs
TEST_FLAGS += -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS  # assertions as functions: half of the compile time

CLANG := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
ifeq ($(CLANG),)
    FLAGS += -Wno-array-bounds -Wno-stringop-overflow  # g++ 12 suspects its own std::string
endif

ifdef SANITIZE
    FLAGS += -O1 -g1             # overrides -O2: stack traces with lines, and the sanitizers are slow enough
    FLAGS += -fsanitize=$(SANITIZE)
    FLAGS += -fno-sanitize-recover=all  # the first finding fails the test
    FLAGS += -fno-omit-frame-pointer    # whole stack traces
    FLAGS += -D_GLIBCXX_ASSERTIONS      # spans and vectors check their bounds
endif

ifdef COVERAGE
    FLAGS += --coverage -fprofile-update=atomic  # counters of lines, right with many threads
endif

BREW := $(if $(filter Darwin,$(shell uname -s)),$(shell brew --prefix 2>/dev/null))
ifneq ($(BREW),)
    TEST_FLAGS += -isystem $(BREW)/include  # where Homebrew keeps doctest
endif

FLAGS := $(strip $(FLAGS) $(WERROR) $(CXXFLAGS))
TEST_FLAGS := $(strip $(TEST_FLAGS))

# ---- sources: whatever lies there ----------------------------------------------------------------------------------

SOURCES := $(sort $(shell find $(FOLDERS:%=src/%) $(if $(FOLDERS),,src) -name '*.cpp' 2>/dev/null))
TESTS   := $(sort $(shell find $(FOLDERS:%=tests/%) $(if $(FOLDERS),,tests) -name '*_test.cpp' 2>/dev/null))
SUPPORT := $(sort $(wildcard tests/support/*.cpp))
KERNELS := $(filter src/kernels/instruction_set.cpp,$(SOURCES))
LIBRARY := $(filter-out src/main.cpp $(KERNELS),$(SOURCES))

# What goes over every number or character is compiled with -O2; what hands on what others calculate, or carries bytes, with
# -O1, as all is with double numbers. Where words are made of few numbers -O0 is fast enough, and is compiled sooner. None of
# them changes a bit.
CARRY := system formats autograd ops model train interop attention probe film
WORDS := explain cost run app
level  = $(if $(filter $(CARRY:%=src/%/%),$(1)),-O1)$(if $(filter $(WORDS:%=src/%/%),$(1)),-O0)

# ---- units ---------------------------------------------------------------------------------------------------------

# A compiler spends most of its time on headers. So up to eleven files of a folder are compiled together: a unit includes them,
# and is named after the first. (Names in unnamed namespaces are therefore unique in a folder.) The script puts those together
# that reach the model's sizes, the training's or the tape: few units follow a change of one. g++ takes the standard headers
# from a precompiled one; clang++ does without.
comma := ,
define unit  # its files, in a list
  UNITS += $(basename $(firstword $(1)))
  FILES_$(basename $(firstword $(1))) := $(1)
endef
UNITS :=
CUT   := $(if $(LIBRARY)$(TESTS),$(shell sh scripts/cut_units.sh $(LIBRARY) $(TESTS)))
$(foreach files,$(CUT),$(eval $(call unit,$(subst $(comma), ,$(files)))))

# The double build checks gradients: the folders that calculate, what they include, and their tests.
DOUBLE_FOLDERS := base system formats kernels text autograd ops model train
DOUBLE_TESTS   := base kernels autograd ops model train
OBJECTS_float  := $(patsubst %,$(BUILD)/float/unit/%.o,$(filter src/%,$(UNITS)))
OBJECTS_double := $(patsubst %,$(BUILD)/double/unit/%.o,$(filter $(DOUBLE_FOLDERS:%=src/%/%),$(UNITS)))
TESTS_float    := $(patsubst %,$(BUILD)/float/unit/%.o,$(filter tests/%,$(UNITS))) $(BUILD)/float/tests/main.o
TESTS_double   := $(patsubst %,$(BUILD)/double/unit/%.o,$(filter $(DOUBLE_TESTS:%=tests/%/%),$(UNITS)))
TESTS_double   += $(BUILD)/double/tests/main.o

# ---- kernels: one source, an object for each instruction set -------------------------------------------------------

MACHINE := $(firstword $(subst -, ,$(shell $(CXX) -dumpmachine 2>/dev/null)))
INSTRUCTION_SETS := portable $(if $(filter x86_64 amd64,$(MACHINE)),avx2 avx512 avx512bf16)

# No exceptions: the handlers would be functions that these objects share with others, see kernels/lanes.h. (What
# a workspace throws passes through them; they have nothing to clean up.)
KERNEL_FLAGS            := -fno-exceptions -fasynchronous-unwind-tables
KERNEL_FLAGS_portable   := $(KERNEL_FLAGS) $(if $(filter x86_64 amd64,$(MACHINE)),-Og)  # every such processor since 2013 has AVX2: compiled in a third of the time, and half as fast
KERNEL_FLAGS_avx2       := $(KERNEL_FLAGS) -mavx2 -mfma
KERNEL_FLAGS_avx512     := $(KERNEL_FLAGS) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma
KERNEL_FLAGS_avx512     += -mtune=skylake-avx512 -mprefer-vector-width=512  # g++ tuned for "generic" parks addresses in vector registers, which the tiles of tile.h need
KERNEL_FLAGS_avx512     += -Wno-unknown-warning-option -Wno-uninitialized -Wno-maybe-uninitialized  # g++ 12 suspects its own intrinsics
KERNEL_FLAGS_avx512bf16 := $(KERNEL_FLAGS_avx512) -mavx512bf16

ifneq ($(KERNELS),)
    # These take longest, so they come first.
    OBJECTS_float  := $(INSTRUCTION_SETS:%=$(BUILD)/float/src/kernels/instruction_set.%.o) $(OBJECTS_float)
    OBJECTS_double := $(BUILD)/double/src/kernels/instruction_set.portable.o $(OBJECTS_double)
endif

# ---- files that the program carries with it: the report's page and the words of the course ---------------------------

EMBEDDED := $(sort $(wildcard src/film/page/*.* data/course.*.md))
OBJECTS_float += $(BUILD)/float/embedded.o

# ---- which commit this is: linked anew when it changes -----------------------------------------------------------------

OBJECTS_float += $(if $(filter src/app/command_line.cpp,$(SOURCES)),$(BUILD)/float/version.o)
$(BUILD)/version.cpp: SAYS = $(shell git describe --always --dirty 2>/dev/null || echo unknown)
$(BUILD)/version.cpp: FORCE
	@mkdir -p $(BUILD)
	@{ echo '#include "app/help.h"'; echo 'const char* zhuyi::commit_of_build() { return "$(SAYS)"; }'; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/float/version.o: $(BUILD)/version.cpp $(BUILD)/flags
	$(DO)mkdir -p $(@D) && $(CXX) $(FLAGS) -c $< -o $@

# ---- build ---------------------------------------------------------------------------------------------------------

SAY := $(if $(V),@:,@echo)
DO  := $(if $(V),,@)

.PHONY: all program-and-tests compile test test-float gradcheck sanitize demo check format clean FORCE

PROGRAM := $(if $(FOLDERS),,$(BUILD)/zhuyi)  # some folders make no program
all: $(BUILD)/zhuyi
program-and-tests: $(PROGRAM) $(BUILD)/test_float
compile: program-and-tests $(BUILD)/test_double

# Of a function of the standard library that several objects have, the linker keeps the first: so what is optimized comes first.
in_order = $(foreach O,-O2 -O1 -O0,$(foreach o,$(1),$(if $(filter $(or $(call level,$(o:$(BUILD)/float/unit/%=%)),-O2),$(O)),$(o))))
$(BUILD)/zhuyi: $(BUILD)/float/src/main.o $(call in_order,$(OBJECTS_float)) $(BUILD)/sources
$(BUILD)/test_float: $(TESTS_float) $(BUILD)/float/support.a $(BUILD)/float/zhuyi.a
$(BUILD)/test_double: $(TESTS_double) $(BUILD)/double/support.a $(BUILD)/double/zhuyi.a
$(BUILD)/zhuyi $(BUILD)/test_float $(BUILD)/test_double:
	$(SAY) "link    $@"
	$(DO)$(CXX) $(FLAGS) $(filter %.o %.a,$^) -o $@

# Program and tests share the objects of zhuyi.a; the linker takes from an archive what is asked for.
$(BUILD)/float/zhuyi.a: $(OBJECTS_float) $(BUILD)/sources
$(BUILD)/double/zhuyi.a: $(OBJECTS_double) $(BUILD)/sources
$(BUILD)/float/support.a: $(SUPPORT:%.cpp=$(BUILD)/float/%.o) $(BUILD)/sources
$(BUILD)/double/support.a: $(SUPPORT:%.cpp=$(BUILD)/double/%.o) $(BUILD)/sources
%.a:
	$(DO)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# What a unit includes, in order; it changes only when its files do.
$(UNITS:%=$(BUILD)/unit/%.cpp): $(BUILD)/unit/%.cpp: $(BUILD)/sources
	@mkdir -p $(@D)
	@for file in $(FILES_$*); do echo "#include \"$$file\""; done > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# g++ alone: the standard headers that most files include. A precompiled header brings the -O it was made with along, whatever
# the command line says; so there is one for each.
LEVELS   := -O0 -O1 -O2
STANDARD := algorithm array cmath cstdint cstdio filesystem functional map memory optional span string string_view utility variant vector
ifeq ($(CLANG),)
    PRECOMPILED := $(LEVELS:%=$(BUILD)/standard%/standard.h.gch)
    precompiled  = -include $(BUILD)/standard$(or $(lastword $(filter -O0 -O1,$(1))),-O2)/standard.h
endif
.PRECIOUS: $(BUILD)/standard%/standard.h $(BUILD)/standard%/standard.h.gch
$(BUILD)/standard%/standard.h: $(BUILD)/flags
	@mkdir -p $(@D)
	@for header in $(STANDARD); do echo "#include <$$header>"; done > $@
$(BUILD)/standard%/standard.h.gch: $(BUILD)/standard%/standard.h
	$(DO)$(CXX) $(FLAGS) $* -x c++-header $< -o $@

number_double := -DZHUYI_REAL=double -O1

compile_to   = $(DO)mkdir -p $(@D) && $(CXX) $(FLAGS) $(1) -c $< -o $@
compile_unit = $(call compile_to,-I. $(call precompiled,$(1)) $(1))
define compile  # float or double, src or tests
$(BUILD)/$(1)/unit/$(2)/%.o: $(BUILD)/unit/$(2)/%.cpp $(BUILD)/flags $(PRECOMPILED)
	$(SAY) "$(1)  $(if $(filter float,$(1)), )$$(FILES_$(2)/$$*)"
	$$(call compile_unit,$(number_$(1)) $(if $(filter tests,$(2)),$(TEST_FLAGS),$$(call level,$(2)/$$*)))
$(BUILD)/$(1)/$(2)/%.o: $(2)/%.cpp $(BUILD)/flags
	$(SAY) "$(1)  $(if $(filter float,$(1)), )$$<"
	$$(call compile_to,$(number_$(1)) $(if $(filter tests,$(2)),$(TEST_FLAGS)))
endef
$(foreach number,float double,$(foreach part,src tests,$(eval $(call compile,$(number),$(part)))))
$(BUILD)/float/src/kernels/instruction_set.%.o: src/kernels/instruction_set.cpp $(BUILD)/flags
	$(SAY) "float   $< ($*)"
	$(call compile_to,$(KERNEL_FLAGS_$*) -DZHUYI_INSTRUCTION_SET=$*)
$(BUILD)/double/src/kernels/instruction_set.%.o: src/kernels/instruction_set.cpp $(BUILD)/flags
	$(SAY) "double  $< ($*)"
	$(call compile_to,-DZHUYI_REAL=double $(KERNEL_FLAGS_$*) -DZHUYI_INSTRUCTION_SET=$*)

# Each file becomes a raw string; compilers take any length in C++, and no file contains the closing )file".
$(BUILD)/embedded.cpp: $(EMBEDDED) $(BUILD)/sources
	$(SAY) "embed   src/film/page data/course.*.md"
	$(DO){ echo '#include "system/embedded.h"'; echo 'using namespace std::literals;'; echo 'namespace zhuyi {'; echo 'namespace {'; \
	  echo 'constexpr EmbeddedFile kFiles[] = {'; \
	  for file in $(EMBEDDED); do printf '{"%s", R"file(' "$$file"; cat "$$file"; echo ")file\"sv},"; done; \
	  echo '};'; echo '}'; echo 'std::span<const EmbeddedFile> embedded_files() { return kFiles; }'; echo '}'; } > $@
$(BUILD)/float/embedded.o: $(BUILD)/embedded.cpp $(BUILD)/flags
	$(DO)mkdir -p $(@D) && $(CXX) $(FLAGS) -c $< -o $@

# Another compiler or other flags rebuild everything, a file that came or went links anew: these two files change
# only when what they say does.
$(BUILD)/flags: SAYS = $(CXX) $(FLAGS) $(TEST_FLAGS)
$(BUILD)/sources: SAYS = $(foreach unit,$(UNITS),$(unit): $(FILES_$(unit))) $(KERNELS) $(SUPPORT) $(EMBEDDED)
$(BUILD)/flags $(BUILD)/sources: FORCE
	@mkdir -p $(BUILD)
	@echo '$(SAYS)' | cmp -s - $@ || echo '$(SAYS)' > $@

-include $(shell find $(BUILD)/float $(BUILD)/double $(BUILD)/read -name '*.d' 2>/dev/null)

# ---- tests ---------------------------------------------------------------------------------------------------------

# Tests below tests/app and tests/run run the program itself, which they find by ZHUYI_BINARY. They go beside all others, and
# those with double numbers: either half keeps about one processor busy.
OF_PROGRAM := *tests/app/*,*tests/run/*
run_float   = ZHUYI_BINARY="$$(cd $(BUILD) && pwd)/zhuyi" $(BUILD)/test_float $(ONLY)
define test_float  # what comes after the others
@status=0; \
$(run_float) -sf='$(OF_PROGRAM)' >$(BUILD)/test_program.log 2>&1 & program=$$!; \
$(run_float) -sfe='$(OF_PROGRAM)' || status=1; \
$(1) \
wait $$program || status=1; cat $(BUILD)/test_program.log; \
exit $$status
endef
test: $(PROGRAM) $(BUILD)/test_float $(BUILD)/test_double
	$(call test_float,$(BUILD)/test_double || status=1;)
test-float: $(PROGRAM) $(BUILD)/test_float
	$(call test_float)
gradcheck: $(BUILD)/test_double
	$(BUILD)/test_double

# Folders of their own, and no -Werror for g++, which suspects what is right where there are sanitizers. Only with float: double
# numbers go the same ways through the same sources, and half of the minutes are spent on compiling. Left out: the tests of
# scripts, which run no C++, the golden fingerprints, a hundred trainings about equal bits, and what is a matter of many
# starts of the program and not of its memory: resuming, recovery, verify, injected faults, the commands that `course` names,
# and wrong numbers for every option.
SANITIZED = BUILD=$(BUILD)/sanitize SANITIZE=address,undefined $(if $(CLANG),,WERROR=)
THREADS   = BUILD=$(BUILD)/threads FOLDERS="$(DOUBLE_FOLDERS)" SANITIZE=thread WERROR=
FUZZED    = BUILD=$(BUILD)/fuzz CXX="$(if $(findstring clang,$(CXX)),$(CXX),clang++)" SANITIZE=address,undefined,fuzzer-no-link WERROR=
NOT_SANITIZED := scripts/*,golden*,resume:*,recovery:*,verify*,inject*,course: every*,hostile: negative and huge*
sanitize:
	@$(MAKE) $(SANITIZED) ONLY='"-tce=$(NOT_SANITIZED)"' test-float
# A data race may never show in a result; here it is a finding. The parallel loops, and trainings with one thread and more.
.PHONY: sanitize-threads run-threads
sanitize-threads:
	@$(MAKE) $(THREADS) run-threads
$(BUILD)/test_threads: $(patsubst %,$(BUILD)/float/tests/%.o,main base/parallel_test train/threads_test) $(BUILD)/float/zhuyi.a
	$(SAY) "link    $@"
	$(DO)$(CXX) $(FLAGS) $(filter %.o %.a,$^) -o $@
run-threads: $(BUILD)/test_threads
	$<
# What the sanitizers and the fuzzers run, built and not run: `.ci/run` does so beside what waits.
.PHONY: sanitize-compile
sanitize-compile: all
	@$(MAKE) $(SANITIZED) program-and-tests
	@$(MAKE) $(THREADS) $(BUILD)/threads/test_threads
	@$(MAKE) $(FUZZED) link-fuzzers

# Counters of an earlier run are forgotten. A test that fails does not hide the count.
.PHONY: coverage
coverage:
	@if [ -d $(BUILD)/coverage ]; then find $(BUILD)/coverage -name '*.gcda' -delete; fi
	-$(MAKE) BUILD=$(BUILD)/coverage COVERAGE=1 WERROR= test-float
	python3 scripts/coverage.py $(BUILD)/coverage

# Only the objects that the readers need; the kernels are those of the program. What the fuzzers found interesting stays in
# $(BUILD)/fuzz/corpus, where the next run goes on; what they found wrong lies beside it.
FUZZ_SECONDS ?= 30
FUZZ_SEED    ?= 0  # 0: another one each time
FUZZERS := $(basename $(notdir $(wildcard tests/fuzz/*.cpp)))
READERS := $(addprefix unit/,$(filter $(addprefix src/,base/% system/% formats/% text/%),$(UNITS))) $(addprefix src/,\
    model/config model/parameters train/config train/optimizer train/muon train/checkpoint kernels/kernels kernels/past film/config film/stream film/stream_list film/history \
    interop/hugging_face_config interop/hugging_face_tokenizer_reader interop/foreign_tokenizer probe/question)
.PHONY: fuzz link-fuzzers run-fuzzers $(FUZZERS:%=run-fuzz-%)
fuzz: all
	@$(MAKE) $(FUZZED) run-fuzzers
link-fuzzers: $(FUZZERS:%=$(BUILD)/fuzz_%)
run-fuzzers: $(FUZZERS:%=run-fuzz-%)
$(FUZZERS:%=$(BUILD)/fuzz_%): $(BUILD)/fuzz_%: $(BUILD)/float/tests/fuzz/%.o $(wildcard $(dir $(BUILD))float/src/kernels/instruction_set.*.o) $(BUILD)/float/readers.a
	$(SAY) "link    $@"
	$(DO)$(CXX) $(FLAGS) -fsanitize=fuzzer $^ -o $@
$(BUILD)/float/readers.a: $(READERS:%=$(BUILD)/float/%.o)
$(FUZZERS:%=run-fuzz-%): run-fuzz-%: $(BUILD)/fuzz_%
	$(SAY) "fuzz    $*"
	$(DO)mkdir -p $(BUILD)/corpus/$*
	$(DO)$(BUILD)/fuzz_$* -seed=$(FUZZ_SEED) -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=1024 -use_value_profile=1 \
	  -artifact_prefix=$(BUILD)/$*- $(BUILD)/corpus/$* tests/fuzz/seeds/$* >$(BUILD)/$*.log 2>&1 \
	  || { tail -n 60 $(BUILD)/$*.log; exit 1; }
	$(DO)tail -n 1 $(BUILD)/$*.log

# The report in a headless Chromium; its screenshots stay in $(BUILD)/browser. `make pictures` takes those of the README.
.PHONY: browser pictures
browser: all
	python3 tests/browser/report_test.py $(BUILD)/zhuyi $(BUILD)/browser $(wildcard runs/village)
pictures: demo
	$(MAKE) browser
	cp $(BUILD)/browser/film_*.png data/pictures
	$(BUILD)/zhuyi attend runs/village --text 张明喂小猫，他拿来鱼 --layer 2 --head 1 --lang en --format svg --out data/pictures/attention.svg
	$(BUILD)/zhuyi attend runs/village --text 张明喂小猫，他拿来鱼 --layer 2 --head 1 --lang zh --format svg --out data/pictures/attention_zh.svg

# ---- install -------------------------------------------------------------------------------------------------------

# The program needs no file of this tree; the shells' completions and the pages of man are what it says of itself.
PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALLED = $(DESTDIR)$(PREFIX)/bin/zhuyi $(SHARE)/bash-completion/completions/zhuyi $(SHARE)/zsh/site-functions/_zhuyi \
    $(SHARE)/fish/vendor_completions.d/zhuyi.fish $(SHARE)/man/man1/zhuyi.1 $(SHARE)/man/zh_CN/man1/zhuyi.1
.PHONY: install uninstall
install: all
	@for file in $(INSTALLED); do mkdir -p "$${file%/*}"; done
	install -m 755 $(BUILD)/zhuyi $(word 1,$(INSTALLED))
	$(BUILD)/zhuyi completions bash > $(word 2,$(INSTALLED))
	$(BUILD)/zhuyi completions zsh > $(word 3,$(INSTALLED))
	$(BUILD)/zhuyi completions fish > $(word 4,$(INSTALLED))
	$(BUILD)/zhuyi completions man --lang en > $(word 5,$(INSTALLED))
	$(BUILD)/zhuyi completions man --lang zh > $(word 6,$(INSTALLED))
uninstall:
	rm -f $(INSTALLED)

# ---- demo ----------------------------------------------------------------------------------------------------------

# How much of what it writes keeps every rule is counted where Python is; the program needs none.
demo: all
	rm -rf runs/village
	$(BUILD)/zhuyi train configs/village.conf --out runs/village
	$(BUILD)/zhuyi sample runs/village --count 3
	@$(BUILD)/zhuyi sample runs/village --count 100 > runs/village/written.txt
	@if command -v python3 >/dev/null; then echo; python3 scripts/village.py --check runs/village/written.txt || :; fi
	$(BUILD)/zhuyi probe runs/village
	@echo; echo 'The film of this training, to be opened in a browser:  $(CURDIR)/runs/village/report.html'

# ---- check: every part says whether it passed, also after one that did not ------------------------------------------

CHECKS := format page layers sizes tidy g++ clang++ kernels readme
.PHONY: $(CHECKS:%=check-%)
check:
	@failed=; \
	for part in $(CHECKS); do \
	    if $(MAKE) check-$$part; then echo "check $$part: passed"; \
	    else echo "check $$part: FAILED"; failed="$$failed $$part"; fi; \
	done; test -z "$$failed"

check-format:
	@find src tests -name '*.h' -o -name '*.cpp' | sort | xargs clang-format --dry-run -Werror
	@! LC_ALL=C.UTF-8 grep -rnE '^.{101,}' src tests --include='*.h' --include='*.cpp'  # comments, which it leaves alone
# (That the page has one global name alone is tested in a browser, which runs it: tests/browser.)
check-page:
	@clang-format --dry-run -Werror src/film/page/*.js
	@! LC_ALL=C.UTF-8 grep -nE '^.{101,}' src/film/page/*.js
	@wc -l src/film/page/*.js | awk '$$2 != "total" && $$1 >= 250 { print $$2 " has " $$1 " lines"; bad = 1 } END { exit bad }'
check-layers:
	@sh scripts/check_layers.sh
check-sizes:
	@sh scripts/check_sizes.sh
# A short list of checks (.clang-tidy), where clang-tidy is installed.
check-tidy: $(filter $(BUILD)/unit/src/%,$(UNITS:%=$(BUILD)/unit/%.cpp))
	@if command -v clang-tidy >/dev/null; then \
	    printf '%s\n' $^ | xargs -n 1 -P $$(getconf _NPROCESSORS_ONLN) \
	        sh -c 'clang-tidy --quiet "$$0" -- -std=c++20 -Isrc -I. 2>/dev/null'; \
	else echo 'check tidy: clang-tidy is not installed, so nothing was checked'; fi
# Where warnings already are errors in $(BUILD), its objects are the proof; elsewhere a folder of its own.
check-g++:
	@$(MAKE) -k CXX=g++ WERROR=-Werror BUILD=$(BUILD)$(if $(WERROR),,/check_g++) compile
# The program as clang++ makes it, with the golden fingerprints; of the tests clang++ says what it thinks, and that is enough.
check-clang++: $(BUILD)/test_float
	@$(MAKE) -k CXX=clang++ WERROR=-Werror BUILD=$(BUILD)/check_clang++ all read-tests
	@ZHUYI_BINARY="$$(cd $(BUILD) && pwd)/check_clang++/zhuyi" $(BUILD)/test_float --test-case='golden fingerprint*'
.PHONY: read-tests
read-tests: $(patsubst %,$(BUILD)/read/%,$(filter tests/%,$(UNITS)))
$(BUILD)/read/%: $(BUILD)/unit/%.cpp $(BUILD)/flags
	$(SAY) "read    $(FILES_$*)"
	$(DO)mkdir -p $(@D) && $(CXX) $(FLAGS) -MF $@.d -MT $@ -I. $(TEST_FLAGS) -fsyntax-only $< && touch $@
# The kernels of different instruction sets must share no function.
check-kernels: all
	@sh scripts/check_instruction_sets.sh $(BUILD)
check-readme: all
	@BUILD=$(BUILD) sh scripts/check_readme.sh

# Each file as if it were compiled alone: what an editor wants to know.
.PHONY: compile_commands
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
