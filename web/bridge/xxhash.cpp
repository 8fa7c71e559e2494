// xxHash is a header that holds its own source: this is the library that native builds link.
#define XXH_STATIC_LINKING_ONLY
#define XXH_IMPLEMENTATION
#include <xxhash.h>
