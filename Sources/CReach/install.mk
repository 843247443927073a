# SPDX-License-Identifier: MIT
# Installs and removes files, for the Makefiles of libreach and reachctl. They define `what`, and
# `files`: shell commands that print each file's mode or "link", its source, and its place.
prefix ?= /usr/local
PREFIX ?= $(prefix)
libdir ?= $(PREFIX)/lib
LIBDIR ?= $(libdir)
export DESTDIR LIBDIR PREFIX
# PREFIX without a slash at its end.
export root := $(PREFIX:/=)
version := $(shell awk '/^.define REACH_VERSION /{printf "%d.%d.%d", $$3/10000, $$3/100%100, $$3%100}' ../../include/reach/reach.h)
# The day of the release, for the manual; empty before it.
CHANGELOG ?= ../../.github/CHANGELOG.md
date := $(shell sed -n 's/^## $(version) - \([0-9-]*\)$$/\1/p' $(CHANGELOG))
fail = { echo "$(1)" >&2; exit 1; }
need = command -v $(firstword $(1)) >/dev/null || $(call fail,no '$(firstword $(1))': $(2) (or set $(3)))
list = { $(files); } >$(BUILD)/files
each = while read -r mode from to; do to=$$DESTDIR$$to; $(1); done <$(BUILD)/files
update_linker = [ -n "$$DESTDIR" ] || [ "$$(id -u)" -ne 0 ] || ! command -v ldconfig >/dev/null || \
	ldconfig || echo "ldconfig failed; run it by hand" >&2

paths:
	@for folder in "$$PREFIX" "$$LIBDIR" "$${DESTDIR:-/}"; do \
		case $$folder in (/*) ;; (*) $(call fail,'$$folder' must be an absolute path) ;; esac; done
	@# pkg-config and sed would interpret these characters.
	@case $$PREFIX$$LIBDIR in (*[[:space:]\(\)\\\&\|\$$\#\"\']*) \
		$(call fail,'$$PREFIX' or '$$LIBDIR' has a character that reach.pc cannot hold) ;; esac
	@mkdir -p $(BUILD)

# Copies everything next to its place first, and renames it at the end. So a full disk or a missing
# permission leaves what was there untouched, and a running program keeps the library that it has
# mapped. Everyone can read the new folders, whatever the umask. install(1) follows no symbolic link.
install: all paths
	@umask go+rx; $(list); undo() { $(call each,rm -f "$$to.new"); }; trap undo EXIT; trap 'exit 1' HUP INT TERM; \
	$(call each,mkdir -p "$${to%/*}" || $(call fail,cannot create $${to%/*}: choose another PREFIX or run as root); \
		rm -f "$$to.new"; \
		case $$mode in (link) ln -s "$$from" "$$to.new" ;; (*) install -m $$mode "$$from" "$$to.new" ;; esac || \
		$(call fail,cannot write $$to: nothing was replaced)); \
	$(call each,mv -f "$$to.new" "$$to" || $(call fail,cannot replace $$to))
	@$(update_linker); echo "$(what) is in $$DESTDIR$$PREFIX"

# Removes the files, then the folders above them that are empty. The prefix stays. In /usr and
# /usr/local, only folders named reach or reachctl are removed.
uninstall: paths
	@removable() { case $$DESTDIR$$root in \
		(/usr | /usr/local) case $$1 in (*/reach | */reachctl) ;; (*) false ;; esac ;; \
		(*) [ "$${1#"$$DESTDIR$$root"/}" != "$$1" ] ;; esac; }; $(list); \
	$(call each,rm -f "$$to" || $(call fail,cannot remove $$to: run as its owner); \
		while to=$${to%/*} && removable "$$to" && rmdir "$$to" 2>/dev/null; do :; done)
	@$(update_linker); echo "$(what) is no longer in $$DESTDIR$$PREFIX"

.DELETE_ON_ERROR:
.PHONY: all check clean install paths tools uninstall
