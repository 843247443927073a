/* SPDX-License-Identifier: MIT */
/* The objects of a service. */
#include "bus.h"

#include <stdlib.h>
#include <string.h>

struct object *system_bus_service_find(const struct service *s,
				       const char *path)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->objects[i]->path, path) == 0)
			return s->objects[i];
	return NULL;
}

/* Makes room for one more object; the room is 0 or a power of two. */
static bool grow(struct service *s)
{
	const uint32_t room = s->count ? s->count * 2 : 1;
	struct object **objects;

	if (s->count & (s->count - 1))
		return true;
	objects = realloc(s->objects, room * sizeof(struct object *));
	if (objects)
		s->objects = objects;
	return objects;
}

struct object *system_bus_service_add(struct service *s, const char *path)
{
	struct object *object = NULL;

	if (strlen(path) >= sizeof(object->path))
		return NULL;
	if (s->count < s->type->most && grow(s))
		object = calloc(1, s->type->object_size);
	if (!object) {
		s->is_truncated = true;
		return NULL;
	}
	strcpy(object->path, path);
	s->objects[s->count++] = object;
	s->is_changed = true;
	return object;
}

void system_bus_service_drop(struct service *s, struct object *object)
{
	uint32_t i = 0;

	while (s->objects[i] != object)
		i++;
	if (s->type->release)
		s->type->release(s, object);
	s->objects[i] = s->objects[--s->count];
	free(object);
	s->is_changed = true;
}

void system_bus_service_free(struct service *s)
{
	while (s->count)
		free(s->objects[--s->count]);
	free(s->objects);
	s->objects = NULL;
}
