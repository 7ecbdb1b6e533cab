// Splits a request body with as little work as possible.
#define _GNU_SOURCE
#include <string.h>

#include "baseline.h"

static int value_of(uint8_t character) {
    if (character >= 'A' && character <= 'Z') return character - 'A';
    if (character >= 'a' && character <= 'z') return character - 'a' + 26;
    if (character >= '0' && character <= '9') return character - '0' + 52;
    if (character == '-' || character == '+') return 62;
    if (character == '_' || character == '/') return 63;
    return -1;
}

long baseline_decode(const uint8_t *text, size_t length, uint8_t *output) {
    uint32_t bits = 0;
    int held = 0;
    long written = 0;
    for (size_t i = 0; i < length; i++) {
        int value = value_of(text[i]);
        if (value < 0) return -1;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        output[written++] = (uint8_t)(bits >> held);
    }
    return written;
}

// Encodes r and s, 32 bytes each, as SEQUENCE { INTEGER r, INTEGER s }.
static size_t encode_der(const uint8_t raw[64], uint8_t output[72]) {
    size_t position = 2;
    for (int half = 0; half < 2; half++) {
        const uint8_t *number = raw + 32 * half;
        size_t length = 32;
        while (length > 1 && *number == 0) {
            number++;
            length--;
        }
        int zero = *number >= 0x80;
        output[position++] = 0x02;
        output[position++] = (uint8_t)(length + zero);
        if (zero) output[position++] = 0;
        memcpy(output + position, number, length);
        position += length;
    }
    output[0] = 0x30;
    output[1] = (uint8_t)(position - 2);
    return position;
}

int baseline_split(const uint8_t *body, size_t length, struct baseline_compact *parts) {
    static const char name[] = "\"signedPayload\":\"";
    const uint8_t *start = memmem(body, length, name, sizeof name - 1);
    if (!start) return 0;
    start += sizeof name - 1;
    const uint8_t *end = memchr(start, '"', (size_t)(body + length - start));
    const uint8_t *first = end ? memchr(start, '.', (size_t)(end - start)) : NULL;
    const uint8_t *second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;
    if (!second || end - second - 1 != 86) return 0;
    uint8_t raw[66];
    if (baseline_decode(second + 1, 86, raw) != 64) return 0;
    parts->input = parts->header = start;
    parts->input_length = (size_t)(second - start);
    parts->header_length = (size_t)(first - start);
    parts->signature_length = encode_der(raw, parts->signature);
    return 1;
}
