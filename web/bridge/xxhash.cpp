// Compiles xxHash, whose header contains its source; native builds link its library instead.
#define XXH_STATIC_LINKING_ONLY
#define XXH_IMPLEMENTATION
#include <xxhash.h>
