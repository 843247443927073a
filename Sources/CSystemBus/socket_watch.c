/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* IN_ATTRIB: dbus-daemon changes the mode of its socket once it listens. */
#define EVENTS                                                                 \
	(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | \
	 IN_ONLYDIR)

/* The value of a hexadecimal digit, or -1. */
static int digit(char c)
{
	static const char DIGITS[] = "0123456789abcdef";
	const char *found = c ? strchr(DIGITS, c | 0x20) : NULL;

	return found ? (int)(found - DIGITS) : -1;
}

/* Copies a value of a D-Bus address, and decodes bytes given as %xx. */
static bool copy_value(char *to, size_t size, const char *value)
{
	size_t length = 0;

	while (*value && *value != ',' && *value != ';') {
		char c = *value++;

		if (c == '%') {
			int high = digit(value[0]);
			int low = high < 0 ? -1 : digit(value[1]);

			if (low < 0)
				return false;
			c = (char)(high << 4 | low);
			value += 2;
		}
		if (length + 1 == size)
			return false;
		to[length++] = c;
	}
	to[length] = '\0';
	return length > 0;
}

/* The first path in "unix:KEY=VALUE,...;unix:...". */
static bool find_path(char *to, size_t size, const char *address)
{
	static const char KEY[] = "path=";

	for (const char *at = strchr(address, ':'); at;
	     at = strpbrk(at + 1, ",:"))
		if (strncmp(at + 1, KEY, sizeof(KEY) - 1) == 0)
			return copy_value(to, size, at + sizeof(KEY));
	return false;
}

/* Watches the deepest existing folder. Goes from the root down, so that a
 * folder created in the meantime isn't missed. */
static void arm(struct socket_watch *w)
{
	char folder[sizeof(w->path)];

	for (const char *end = w->path; end; end = strchr(end + 1, '/')) {
		int id;

		snprintf(folder, sizeof(folder), "%.*s", (int)(end - w->path),
			 w->path);
		id = inotify_add_watch(w->fd, folder[0] ? folder : "/", EVENTS);
		if (id < 0)
			continue;
		if (w->folder >= 0 && w->folder != id)
			inotify_rm_watch(w->fd, w->folder);
		w->folder = id;
		w->awaited = (uint32_t)(end - w->path) + 1;
	}
}

int system_bus_socket_watch_open(struct socket_watch *w, const char *address)
{
	struct socket_watch new = { .folder = -1 };

	if (!find_path(new.path, sizeof(new.path), address) ||
	    new.path[0] != '/')
		return -EINVAL;
	new.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (new.fd < 0)
		return -errno;
	arm(&new);
	*w = new;
	return 0;
}

static bool is_awaited(const struct socket_watch *w,
		       const struct inotify_event *event)
{
	const char *name = w->path + w->awaited;
	size_t length = strcspn(name, "/");

	if (event->mask & IN_Q_OVERFLOW)
		return true;
	if (event->wd != w->folder)
		return false;
	/* An event without a name is about the folder itself: it was moved or
	 * deleted, or its mode changed. */
	return event->len == 0 || (strncmp(event->name, name, length) == 0 &&
				   event->name[length] == '\0');
}

bool system_bus_socket_watch_read(struct socket_watch *w)
{
	_Alignas(struct inotify_event) char buffer[4096];
	bool is_due = false;
	ssize_t size;

	while (w->fd >= 0 && (size = read(w->fd, buffer, sizeof(buffer))) > 0) {
		const char *at = buffer;

		while (at < buffer + size) {
			const struct inotify_event *event = (const void *)at;

			is_due |= is_awaited(w, event);
			at += sizeof(*event) + event->len;
		}
	}
	if (is_due)
		arm(w);
	return is_due;
}

void system_bus_socket_watch_close(struct socket_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}
