// libpng's simplified interface (libpng-manual(3), section "The simplified API"). It reports errors by its return value,
// so that no setjmp is needed, and it writes nothing to standard error.
#ifndef RETENTION_CPNG_SHIM_H
#define RETENTION_CPNG_SHIM_H

#include <png.h>
#include <string.h>

// Decodes a PNG in memory to rows of 8-bit R, G, B and A, from the top, without gaps. Returns 1 when the image has exactly
// `width` and `height` pixels and all of it could be decoded. Otherwise returns 0, and `message` has libpng's words. This
// is in C because libpng's names for the version and the format are macros of casts and other macros.
static inline int rt_png_decode_rgba(
    const void *bytes, size_t count, unsigned int width, unsigned int height, unsigned char *pixels, char message[64]
) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    int done = png_image_begin_read_from_memory(&image, bytes, count);
    if (done && (image.width != width || image.height != height)) {
        strcpy(image.message, "other dimensions than in the header");
        done = 0;
    }
    if (done) {
        image.format = PNG_FORMAT_RGBA;
        done = png_image_finish_read(&image, NULL, pixels, 0, NULL);
    }
    memcpy(message, image.message, 64);
    message[63] = 0;
    png_image_free(&image);
    return done;
}

#endif
