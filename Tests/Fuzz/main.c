/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer's entry point, and a weak main() that replays the files in its
 * arguments. With libFuzzer, its main() replaces this one.
 */
#include "fuzz.h"
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* A script for the model begins with one of these. */
	static const uint8_t mark[4] = { 'm', 'o', 'd', 'e' };
	static const uint8_t deaf[4] = { 'd', 'e', 'a', 'f' };
	/* Aligned. */
	uint8_t *copy = fuzz_copy(bytes, size);

	if (size >= sizeof(mark) && memcmp(copy, mark, sizeof(mark)) == 0) {
		fuzz_model(copy + sizeof(mark), size - sizeof(mark), false);
	} else if (size >= sizeof(deaf) &&
		   memcmp(copy, deaf, sizeof(deaf)) == 0) {
		fuzz_model(copy + sizeof(deaf), size - sizeof(deaf), true);
	} else {
		fuzz_decoder(copy, size);
		fuzz_engine(copy, size);
	}
	free(copy);
	return 0;
}

static int replay(const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(path, "rbe");
	size_t size;

	if (file == NULL) {
		perror(path);
		return 1;
	}
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return LLVMFuzzerTestOneInput(bytes, size);
}

int main(int argc, char **argv);

__attribute__((weak)) int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: CReachFuzz FILE...\n", stderr);
		return 64;
	}
	for (int i = 1; i < argc; i++)
		if (replay(argv[i]) != 0)
			return 1;
	printf("replayed %d files\n", argc - 1);
	return 0;
}
