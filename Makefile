# SPDX-License-Identifier: GPL-2.0
#
# memprobe: finds out by measurement how the memory of a machine is built.
# 'make help' lists what can be made.

PREFIX ?= /usr/local
bindir := $(PREFIX)/bin
datadir := $(PREFIX)/share
includedir := $(PREFIX)/include

ifeq ($(origin CC),default)
CC := gcc
endif
AR ?= ar
INSTALL ?= install
NPROC := $(shell nproc 2>/dev/null || echo 1)

# Objects and programs lie under $(O); those with sanitizers apart from the rest.
O := build
ifdef SAN
O := build-san
# Amid the code that they add gcc sees overflows and unset values that are none.
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -Wno-format-truncation -Wno-maybe-uninitialized
endif

# What the compiler is told. CFLAGS, CPPFLAGS, LDFLAGS and WERROR are the
# user's: 'make CFLAGS=-O1', 'make WERROR='.
CFLAGS ?= -O2 -g
WERROR ?= -Werror
MP_CPPFLAGS := -D_GNU_SOURCE -I. -Iuser -Imodule/core
MP_CFLAGS := -std=gnu11 -Wall -Wextra -Wshadow -Wmissing-prototypes \
	-Wstrict-prototypes -Wvla $(WERROR) $(SAN_FLAGS)
LIBS := -lnuma -lhwloc -ljansson -lzstd -lm

# module/core is shared with the kernel: no libc behind it. Timed loops are
# alone in their objects, and nothing may be put between their loads: no
# sanitizer, no profiling and no stack protector, whatever other objects get.
CORE_CFLAGS := -ffreestanding -fno-tree-loop-distribute-patterns
CHASE_CFLAGS := -fno-stack-protector -fcf-protection=none -fno-sanitize=all \
	-fno-profile-arcs -fno-test-coverage -fno-instrument-functions
own_cflags = $(if $(filter module/core/%,$<),$(CORE_CFLAGS)) \
	$(if $(filter module/core/chase.c module/core/steps.c,$<),$(CHASE_CFLAGS)) \
	$(if $(filter $(O)/bare/%,$@),-fno-sanitize=all)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n' $(1) $(2)
endif

# One job a CPU, unless the caller has said how many.
JOBS = $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(NPROC))
SUBMAKE = $(MAKE) --no-print-directory $(JOBS)

# Sources are found, not listed. main.c stays out of the archive, so that
# tests can link everything else.
LIB_SRC := $(sort $(wildcard module/core/*.c user/*.c \
	$(foreach room,backend probe analysis report,user/$(room)/*.c)))
LIB_SRC := $(filter-out user/main.c,$(LIB_SRC))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)

# A test program is a test_*.c; what else lies in those folders helps them.
TEST_SUITES := unit conform sim replay
TEST_SRC := $(sort $(foreach suite,$(TEST_SUITES),$(wildcard tests/$(suite)/test_*.c)))
TEST_BIN := $(TEST_SRC:%.c=$(O)/%)
UNIT_BIN := $(filter $(O)/tests/unit/%,$(TEST_BIN))
# The module's validators are pure: they are tested here too.
HELP_SRC := $(sort $(filter-out $(TEST_SRC),$(wildcard tests/*.c \
	$(foreach suite,$(TEST_SUITES),tests/$(suite)/*.c)))) module/check.c
# Benches: what measures the tool itself. zoo.c has the main().
HELP_SRC += $(filter-out tests/bench/zoo.c,$(sort $(wildcard tests/bench/*.c)))
HELP_OBJ := $(HELP_SRC:%.c=$(O)/%.o)

# With sanitizers a simulated machine is half as fast: its own tests have it
# so, and those of what measures it, which are most of the work, have it bare.
SIM_OBJ := $(patsubst %.c,$(O)/bare/%.o,$(wildcard user/backend/sim*.c))
OF_SIM := $(addprefix $(O)/tests/unit/,test_sim% test_zoo%)

# Tests, and the unit tests once more with sanitizers. Those that measure the
# machine that they are on, or keep all of its CPUs busy, run by themselves.
TEST_RUN = $(TEST_BIN) $(if $(SAN),,$(UNIT_BIN:$(O)/%=build-san/%))
ALONE := $(foreach o,$(O) build-san,$(o)/tests/unit/test_user%) \
	$(foreach suite,conform sim,$(O)/tests/$(suite)/%)

# Checks that are scripts; one that is not there is not run.
CHECKS := $(wildcard tests/run-units-test tests/cli/run tests/cli/run-kmod \
	scripts/check-layers scripts/check-style scripts/check-freestanding \
	scripts/check-docs scripts/check-schema scripts/check-cppcheck)

# Simulated machines of known facts: the published cores, and random ones: no
# answer may be wrong.
ZOO_CHECKS := \
	'$(O)/zoo --machines-dir tests/sim/published --depth quick --max-wrong 0' \
	'$(O)/zoo --machines-dir tests/sim/traps --seed 700174 --max-wrong 0' \
	'$(O)/zoo --machines 12 --seed 1 --max-size 256K --depth quick --max-wrong 0' \
	'$(O)/zoo --machines 12 --seed 4711 --max-size 512K --budget-ms 4000 --max-wrong 0' \
	'$(O)/zoo --machines 10 --seed 2 --max-size 32M --max-wrong 0'

# The kernel module, in guests; each says what it lacks where it lacks it.
VM_CHECKS := $(wildcard tests/vm/run-kunit tests/vm/run-rig1)
# What takes longer, or more packages: 'make check-kernel'.
KERNEL_CHECKS := $(wildcard scripts/check-module scripts/check-dkms) \
	$(if $(wildcard tests/fuzz/run),'tests/fuzz/run 60') \
	'tests/vm/ktap --self-test' tests/vm/run-rig1-test \
	'tests/vm/run-um-steps $(O)/memprobe' 'tests/vm/run-rig1 --slow'
KERNEL_LIMIT_S := 1500
# A guard against a hang, for the longest of the tests: run-rig1, which takes
# two minutes on two quiet CPUs, and may have three kernels to fetch before.
TEST_LIMIT_S := 900

# Of the running kernel, or of another that the module is to be built for.
KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: all module run run-vm check check-kernel um-kernel test programs \
	unit-programs san-programs install \
	uninstall clean format-check help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(O)/memprobe ## build build/memprobe (the default)

$(O)/memprobe: $(O)/user/main.o $(O)/libmp.a
	$(call say,LD,$@)
	$(Q)$(CC) $(MP_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/libmp.a: $(LIB_OBJ) $(O)/.objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

$(O)/tests/libtest.a: $(HELP_OBJ) $(O)/.objects
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(HELP_OBJ)

# Objects come before archives, which are left what is in none of them.
$(TEST_BIN): %: %.o $(O)/tests/libtest.a $(O)/libmp.a
	$(call say,LD,$@)
	$(Q)$(CC) $(MP_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) \
		$(filter %.a,$^) -lcmocka $(LIBS)
ifdef SAN
$(filter-out $(OF_SIM),$(UNIT_BIN)): $(SIM_OBJ)
endif

# Random machines, and how fast the simulator is.
$(O)/zoo: $(O)/tests/bench/zoo.o $(O)/tests/libtest.a $(O)/libmp.a
	$(call say,LD,$@)
	$(Q)$(CC) $(MP_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/sim-hops $(O)/infer-time: $(O)/%: $(O)/tests/bench/%.o $(O)/libmp.a
	$(call say,LD,$@)
	$(Q)$(CC) $(MP_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

define compile
$(call say,CC,$@)
@mkdir -p $(@D)
$(Q)$(CC) $(MP_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(MP_CFLAGS) \
	$(own_cflags) -MMD -MP -c -o $@ $<
endef

$(O)/%.o: %.c $(O)/.flags | $(O)/.libraries
	$(compile)

$(O)/bare/%.o: %.c $(O)/.flags | $(O)/.libraries
	$(compile)

# Feature tests: asked once, and again when the question changes.
$(O)/.libraries: scripts/check-libraries $(O)/.flags
	@mkdir -p $(O)/features
	@scripts/check-libraries $(O)/features $(CC) $(CPPFLAGS) $(LDFLAGS)
	@touch $@

# Other flags or other sources make other objects.
$(O)/.flags: FORCE
	@mkdir -p $(O)
	@echo '$(CC) $(MP_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(MP_CFLAGS) $(CORE_CFLAGS) $(CHASE_CFLAGS) $(LDFLAGS)' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(O)/.objects: FORCE
	@mkdir -p $(O)
	@echo '$(LIB_OBJ) $(HELP_OBJ) $(if $(SAN),$(SIM_OBJ))' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# O is where the kernel's make would put things, if it heard of ours.
module: ## build module/memprobe.ko for the running kernel, or for KDIR=
	@[ -e '$(KDIR)/Makefile' ] || { \
		echo 'memprobe: no kernel headers in $(KDIR): have them installed (linux-headers-'"$$(uname -r)"'), or give KDIR=' >&2; \
		exit 3; \
	}
	+$(Q)$(MAKE) -C '$(KDIR)' M='$(CURDIR)' O= modules

run: ## install what is missing, build, measure; ARGS="--quick" adds options
	@scripts/bootstrap build
	@$(SUBMAKE) all
ifneq ($(filter-out 0,$(KMOD)),)
	@MEMPROBE=$(O)/memprobe KDIR='$(KDIR)' MAKE='$(MAKE)' scripts/run-kmod $(ARGS)
else
	$(O)/memprobe run -o memprobe-report.json $(ARGS)
endif

# Packages without which tests are skipped, no more: the system may not know
# one of them, or root may have to install them. $(1): the group; $(2): the tests
bootstrap_more = scripts/bootstrap $(1) || \
	echo '$@: not all packages are here: $(2) may be skipped' >&2

run-vm: ## the same as KMOD=1, in an emulated guest
	@scripts/bootstrap build
	@$(call bootstrap_more,vm,the guest)
	@$(SUBMAKE) all
	@MEMPROBE=$(O)/memprobe tests/vm/run-vm $(ARGS)

check: ## install what is missing, build, run the tests, those in guests too
	@scripts/bootstrap build check
	@$(call bootstrap_more,vm,tests in guests)
	@$(SUBMAKE) test

check-kernel: ## install what is missing; every check of the kernel module
	@scripts/bootstrap build check
	@$(call bootstrap_more,vm,tests in guests)
	@$(call bootstrap_more,fuzz,the longer checks)
	@$(SUBMAKE) all um-kernel
	$(Q)tests/run-units -t $(KERNEL_LIMIT_S) $(VM_CHECKS) $(KERNEL_CHECKS)

test: programs san-programs um-kernel ## the tests of 'make check', installing nothing
	$(Q)MEMPROBE=$(O)/memprobe CC='$(CC)' tests/run-units -t $(TEST_LIMIT_S) \
		-j $(NPROC) $(filter-out $(ALONE),$(TEST_RUN)) \
		--alone $(filter $(ALONE),$(TEST_RUN)) $(CHECKS) \
		'scripts/check-layers --self-test' $(ZOO_CHECKS) $(VM_CHECKS)

# Once, before any test waits for it. Whether it is lacking, broken or slow:
# run-kunit goes on with it, and says what came of it.
UM_LIMIT_S := 400
um-kernel:
	$(Q)timeout --foreground -k 5 $(UM_LIMIT_S) tests/vm/um-build -k >/dev/null || :

programs: all $(TEST_BIN) $(O)/zoo
unit-programs: $(UNIT_BIN)

# The unit tests once more, with sanitizers.
san-programs:
ifndef SAN
	+$(Q)$(MAKE) --no-print-directory SAN=1 unit-programs
endif

install: all ## install under PREFIX=/usr/local; DESTDIR is put before it
	$(INSTALL) -D -m 755 $(O)/memprobe '$(DESTDIR)$(bindir)/memprobe'
	$(INSTALL) -D -m 644 Documentation/memprobe.1 \
		'$(DESTDIR)$(datadir)/man/man1/memprobe.1'
	$(INSTALL) -D -m 644 -t '$(DESTDIR)$(datadir)/memprobe/schema' \
		$(wildcard Documentation/schema/*.json)
	$(INSTALL) -D -m 644 ioctl/memprobe.h '$(DESTDIR)$(includedir)/memprobe.h'

uninstall: ## take away what install has put there
	rm -f '$(DESTDIR)$(bindir)/memprobe' \
		'$(DESTDIR)$(datadir)/man/man1/memprobe.1' \
		'$(DESTDIR)$(includedir)/memprobe.h'
	rm -rf '$(DESTDIR)$(datadir)/memprobe'

clean: ## remove everything that was built
	rm -rf build build-san
	[ ! -e module/memprobe.ko ] || [ ! -e '$(KDIR)/Makefile' ] || \
		$(MAKE) -s -C '$(KDIR)' M='$(CURDIR)' O= clean

format-check: ## say what clang-format would change (for information)
	@if command -v clang-format >/dev/null; then \
		find gpu ioctl module tests user -name '*.[ch]' -exec clang-format --dry-run {} +; \
	else \
		echo 'memprobe: no clang-format here: nothing was compared' >&2; \
	fi

help: ## this list
	@sed -n -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24
	@echo '  KMOD=1                run: load memprobe.ko if that is possible, and compare with it'
	@echo '  SAN=1                 with address and undefined-behaviour sanitizers, in build-san'
	@echo '  V=1                   show the commands'

-include $(LIB_OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(HELP_OBJ:.o=.d) $(TEST_BIN:=.d) $(O)/user/main.d \
	$(O)/tests/bench/zoo.d $(O)/tests/bench/sim-hops.d \
	$(O)/tests/bench/infer-time.d
