/* SPDX-License-Identifier: MIT */
/* The objects of a service. */
#include "service.h"

#include <stdlib.h>
#include <string.h>

struct object *system_bus_service_find(const struct service *s,
				       const char *path)
{
	struct object *object = s->objects;

	while (object && strcmp(object->path, path) != 0)
		object = object->next;
	return object;
}

struct object *system_bus_service_add(struct service *s, const char *path)
{
	struct object *object = NULL;

	if (strlen(path) >= sizeof(object->path))
		return NULL;
	if (s->count < s->type->most)
		object = calloc(1, s->type->object_size);
	if (!object) {
		s->is_truncated = true;
		return NULL;
	}
	strcpy(object->path, path);
	object->next = s->objects;
	s->objects = object;
	s->count++;
	s->is_changed = true;
	return object;
}

void system_bus_service_drop(struct service *s, struct object *object)
{
	struct object **at = &s->objects;

	while (*at != object)
		at = &(*at)->next;
	if (s->type->release)
		s->type->release(s, object);
	*at = object->next;
	free(object);
	s->count--;
	s->is_changed = true;
}

void system_bus_service_free(struct service *s)
{
	while (s->objects) {
		struct object *next = s->objects->next;

		free(s->objects);
		s->objects = next;
	}
	s->count = 0;
}
