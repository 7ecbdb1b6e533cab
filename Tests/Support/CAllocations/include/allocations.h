// Counts the allocations of each thread of a program. The library defines malloc and its relatives for the program that
// it is linked into; they count the call and then call glibc's functions.
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

// Returns true when allocations are counted. In a build with a sanitizer they are not, because sanitizers bring their
// own malloc.
bool allocations_are_counted(void);

// Returns the number of allocations of this thread since it began. Each call of realloc counts as one.
uint64_t allocations_of_this_thread(void);

#endif
