/* SPDX-License-Identifier: MIT */
#include "connectivity.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

#define SYMBOL(member) { "curl_" #member, offsetof(struct curl, member) }

static const struct {
	const char *name;
	size_t offset;
} SYMBOLS[] = {
	SYMBOL(global_init),	  SYMBOL(easy_init),
	SYMBOL(easy_cleanup),	  SYMBOL(easy_setopt),
	SYMBOL(easy_getinfo),	  SYMBOL(easy_strerror),
	SYMBOL(multi_init),	  SYMBOL(multi_cleanup),
	SYMBOL(multi_add_handle), SYMBOL(multi_remove_handle),
	SYMBOL(multi_perform),	  SYMBOL(multi_wait),
	SYMBOL(multi_info_read),  SYMBOL(slist_append),
	SYMBOL(slist_free_all),
};

/* Debian's names of libcurl: with OpenSSL, and with GnuTLS. */
static const char *const NAMES[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

/* Before 7.84, only one thread at a time may call curl_global_init(). */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct curl shared;

/* At exit, OpenSSL's handler frees locks that the threads of running requests
 * use: 26 of 100 processes crashed, none without it. GnuTLS has a destructor
 * instead, and none of 2,100 crashed (Tests/CParsers/http.c, may_exit()). */
static void leave_out_exit_handler(void *library)
{
	const uint64_t no_atexit = 0x00080000; /* OPENSSL_INIT_NO_ATEXIT */
	int (*initialize)(uint64_t options, const void *settings) = NULL;
	/* Of libcrypto, if libcurl depends on it. */
	void *symbol = dlsym(library, "OPENSSL_init_crypto");

	memcpy(&initialize, &symbol, sizeof(symbol));
	if (initialize)
		initialize(no_atexit, NULL);
}

/* A static executable has no interpreter, so AT_BASE is 0. A library would
 * bring a second libc into the process. */
bool connectivity_can_load(void)
{
	return getauxval(AT_BASE) != 0;
}

static int load(struct curl *curl)
{
	if (!connectivity_can_load())
		return -ENOEXEC;
	/* Never unloaded: its TLS library has exit handlers. */
	for (size_t i = 0; !curl->library && i < sizeof(NAMES) / sizeof(*NAMES);
	     i++)
		curl->library =
			dlopen(NAMES[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!curl->library)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(SYMBOLS) / sizeof(SYMBOLS[0]); i++) {
		void *symbol = dlsym(curl->library, SYMBOLS[i].name);

		if (!symbol) {
			dlclose(curl->library);
			return -ENOENT;
		}
		memcpy((char *)curl + SYMBOLS[i].offset, &symbol,
		       sizeof(symbol));
	}
	leave_out_exit_handler(curl->library);
	return curl->global_init(CURL_GLOBAL_DEFAULT) == CODE_OK ? 0 : -ENOMEM;
}

int connectivity_curl_load(const struct curl **ret)
{
	int result = 0;

	pthread_mutex_lock(&lock);
	if (!shared.library) {
		struct curl loaded = { 0 };

		result = load(&loaded);
		if (result == 0)
			shared = loaded;
	}
	pthread_mutex_unlock(&lock);
	if (result == 0)
		*ret = &shared;
	return result;
}

/* Any other code means an answer that libcurl does not understand. */
static const struct {
	int code;
	enum connectivity_result result;
} RESULTS[] = {
	{ CODE_COULDNT_RESOLVE_HOST, CONNECTIVITY_NAME },
	{ CODE_COULDNT_CONNECT, CONNECTIVITY_CONNECT },
	{ CODE_OPERATION_TIMEDOUT, CONNECTIVITY_TIMEOUT },
	{ CODE_INTERFACE_FAILED, CONNECTIVITY_INTERFACE },
	{ CODE_GOT_NOTHING, CONNECTIVITY_CLOSED },
	{ CODE_PARTIAL_FILE, CONNECTIVITY_CLOSED },
	{ CODE_SEND_ERROR, CONNECTIVITY_CLOSED },
	{ CODE_RECV_ERROR, CONNECTIVITY_CLOSED },
	{ CODE_OUT_OF_MEMORY, CONNECTIVITY_SYSTEM },
	{ CODE_SSL_CONNECT_ERROR, CONNECTIVITY_TLS },
	{ CODE_SSL_CERTPROBLEM, CONNECTIVITY_TLS },
	{ CODE_SSL_CIPHER, CONNECTIVITY_TLS },
	{ CODE_PEER_FAILED_VERIFICATION, CONNECTIVITY_TLS },
	{ CODE_SSL_CACERT_BADFILE, CONNECTIVITY_CA_FILE },
	{ CODE_SSL_ISSUER_ERROR, CONNECTIVITY_TLS },
};

enum connectivity_result connectivity_curl_result(int code)
{
	for (size_t i = 0; i < sizeof(RESULTS) / sizeof(RESULTS[0]); i++)
		if (RESULTS[i].code == code)
			return RESULTS[i].result;
	return CONNECTIVITY_MALFORMED;
}
