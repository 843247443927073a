/* SPDX-License-Identifier: MIT */
/* A libcurl that knows an answer's status alone. */
#ifndef FAKE_CURL_H
#define FAKE_CURL_H

#include <stdarg.h>

#include "CConnectivity/connectivity.h"

static long status;

static int tell_status(CURL *easy, int info, ...)
{
	va_list arguments;

	(void)easy;
	va_start(arguments, info);
	*va_arg(arguments, long *) = status;
	va_end(arguments);
	return 0;
}

static const struct curl curl = { .easy_getinfo = tell_status };

#endif
