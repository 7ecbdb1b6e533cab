// libfcgi's multi-request interface. fcgi_stdio.h is never included: it redefines printf and FILE.
#ifndef RETENTION_CFASTCGI_SHIM_H
#define RETENTION_CFASTCGI_SHIM_H

#include <fcgiapp.h>
#include <fastcgi.h>
#include <fcgi_config.h>

// libfcgi cannot say at run time what it is; this is what it was built against.
static inline const char *rt_fcgi_version(void) { return PACKAGE_VERSION; }

#endif
