/* SPDX-License-Identifier: MIT */
#include "connectivity.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

size_t connectivity_header_value(const char *line, size_t size,
				 const char *name, const char **ret)
{
	size_t name_size = strlen(name);

	if (size < name_size || strncasecmp(line, name, name_size) != 0)
		return 0;
	line += name_size;
	size -= name_size;
	while (size > 0 && is_space(line[0])) {
		line++;
		size--;
	}
	while (size > 0 && is_space(line[size - 1]))
		size--;
	*ret = line;
	return size;
}

/* strchr() finds the terminating NUL, too. */
static bool is_delimiter(char c)
{
	return c && strchr("/?#", c);
}

static bool is_absolute(const char *location, size_t size)
{
	for (size_t i = 0; i < size && !is_delimiter(location[i]); i++)
		if (location[i] == ':')
			return i > 0;
	return false;
}

/* How many bytes of base to keep in front of the location. */
static size_t kept(const char *base, const char *location, size_t size)
{
	const char *authority = strstr(base, "//");
	const char *path;
	size_t length;

	if (is_absolute(location, size) || !authority)
		return 0;
	if (size > 1 && location[0] == '/' && location[1] == '/')
		return (size_t)(authority - base);
	path = authority + 2 + strcspn(authority + 2, "/?#");
	if (location[0] == '/')
		return (size_t)(path - base);
	if (location[0] == '#')
		return strcspn(base, "#");
	length = strcspn(path, "?#");
	while (location[0] != '?' && length > 0 && path[length - 1] != '/')
		length--;
	return (size_t)(path - base) + length;
}

int connectivity_redirect_resolve(const char *base, const char *location,
				  size_t size, char *ret, size_t ret_size)
{
	size_t length = kept(base, location, size);
	bool needs_slash = length > 0 && !is_delimiter(location[0]) &&
			   base[length - 1] != '/';

	if (length + needs_slash + size >= ret_size)
		return -EMSGSIZE;
	memcpy(ret, base, length);
	if (needs_slash)
		ret[length++] = '/';
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)location[i];
		bool is_plain = byte > 0x20 && byte < 0x7f;

		if (length + (is_plain ? 1 : 3) >= ret_size)
			return -EMSGSIZE;
		if (is_plain)
			ret[length++] = (char)byte;
		else
			length += (size_t)snprintf(ret + length, 4, "%%%02X",
						   byte);
	}
	ret[length] = '\0';
	return 0;
}
