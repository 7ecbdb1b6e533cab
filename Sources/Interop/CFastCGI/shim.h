// libfcgi's multi-request interface. fcgi_stdio.h is never included: it redefines printf and FILE.
#ifndef RETENTION_CFASTCGI_SHIM_H
#define RETENTION_CFASTCGI_SHIM_H

#include <fcgiapp.h>
#include <fastcgi.h>

#endif
