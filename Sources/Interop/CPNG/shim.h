// libpng's simplified interface (libpng-manual(3), section "The simplified API"). It reports errors by its return value,
// so that no setjmp is needed, and it writes nothing to standard error. These functions are in C because libpng's names for
// the version, the formats and the greatest size are macros of casts and other macros.
#ifndef RETENTION_CPNG_SHIM_H
#define RETENTION_CPNG_SHIM_H

#include <png.h>
#include <string.h>

// Decodes a PNG in memory to rows of 8-bit R, G, B and A, from the top, without gaps. Returns 1 when the image has exactly
// `width` and `height` pixels and all of it could be decoded. Otherwise returns 0, and `message` has libpng's words.
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

// Describes rows of 8-bit R, G and B. `is_srgb` is 0 when their colours are those of a profile that the caller adds.
static inline png_image rt_png_rgb(unsigned int width, unsigned int height, int is_srgb) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    image.flags = is_srgb ? 0 : PNG_IMAGE_FLAG_COLORSPACE_NOT_sRGB;
    return image;
}

// Returns the most bytes that `rt_png_encode_rgb` writes for these dimensions.
static inline size_t rt_png_rgb_bound(unsigned int width, unsigned int height) {
    png_image image = rt_png_rgb(width, height, 1);
    return PNG_IMAGE_PNG_SIZE_MAX(image);
}

// Writes rows of 8-bit R, G and B, from the top, without gaps, as a PNG to `bytes`. `count` is the room there, and
// afterwards the length of the PNG. Returns 1, or 0 and libpng's words in `message`.
static inline int rt_png_encode_rgb(
    const unsigned char *pixels, unsigned int width, unsigned int height, int is_srgb, void *bytes, size_t *count,
    char message[64]
) {
    png_image image = rt_png_rgb(width, height, is_srgb);
    int done = png_image_write_to_memory(&image, bytes, count, 0, pixels, 0, NULL);
    memcpy(message, image.message, 64);
    message[63] = 0;
    png_image_free(&image);
    return done;
}

#endif
