#ifndef RETENTION_CJANSSON_SHIM_H
#define RETENTION_CJANSSON_SHIM_H

#include <jansson.h>

#endif
