// Counts what a thread allocates, in whatever program this is linked into: it defines malloc and its relatives, which
// go on to glibc's own.
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

// Whether anything is counted: the sanitizers have a malloc of their own, and leave none to this one.
bool allocations_are_counted(void);

// The allocations of this thread since it began, those that only changed the size among them.
uint64_t allocations_of_this_thread(void);

#endif
