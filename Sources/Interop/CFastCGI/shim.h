// libfcgi's multi-request interface. fcgi_stdio.h is never included, because it redefines printf and FILE.
#ifndef RETENTION_CFASTCGI_SHIM_H
#define RETENTION_CFASTCGI_SHIM_H

#include <fcgiapp.h>
#include <fastcgi.h>
#include <fcgi_config.h>

// Returns the libfcgi version that the build found. libfcgi itself cannot tell its version at run time.
static inline const char *rt_fcgi_version(void) { return PACKAGE_VERSION; }

#endif
