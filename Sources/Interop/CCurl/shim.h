// libcurl's easy and multi interfaces. Its setters and getters are variadic, and Swift cannot call variadic functions,
// so each combination of types in use has a typed inline wrapper.
#ifndef RETENTION_CCURL_SHIM_H
#define RETENTION_CCURL_SHIM_H

#include <curl/curl.h>

// TLS 1.2 and no other version. The macros of libcurl are too much for Swift.
static const long rt_curl_tls12 = CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2;

static inline CURLcode rt_curl_setopt_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode rt_curl_setopt_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode rt_curl_setopt_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*rt_curl_write_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode rt_curl_setopt_write(CURL *handle, CURLoption option, rt_curl_write_function function) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode rt_curl_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode rt_curl_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode rt_curl_getinfo_pointer(CURL *handle, CURLINFO info, void *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode rt_curl_multi_setopt_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

static inline CURLcode rt_curl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
