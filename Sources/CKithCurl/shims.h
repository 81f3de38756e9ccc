// SPDX-License-Identifier: Apache-2.0

// libcurl sets options and reads facts through variadic functions, which Swift cannot call: one typed
// function stands here for each kind of argument. Nothing else belongs into this file.

#ifndef KITH_CCURL_SHIMS_H
#define KITH_CCURL_SHIMS_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or newer is needed (CURLOPT_QUICK_EXIT, CURLOPT_PROTOCOLS_STR)"
#endif

static inline CURLcode kith_curl_easy_setopt_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode kith_curl_easy_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode kith_curl_easy_setopt_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode kith_curl_easy_setopt_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode kith_curl_easy_setopt_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

// CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION share this type.
static inline CURLcode kith_curl_easy_setopt_write(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode kith_curl_easy_setopt_read(CURL *easy, curl_read_callback value) {
  return curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}

static inline CURLcode kith_curl_easy_setopt_open_socket(CURL *easy, curl_opensocket_callback value) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode kith_curl_easy_setopt_close_socket(CURL *easy, curl_closesocket_callback value) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode kith_curl_easy_setopt_progress(CURL *easy, curl_xferinfo_callback value) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode kith_curl_easy_setopt_before_request(CURL *easy, curl_prereq_callback value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode kith_curl_easy_getinfo_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode kith_curl_easy_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode kith_curl_easy_getinfo_private(CURL *easy, void **value) {
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}

static inline CURLcode kith_curl_easy_getinfo_socket(CURL *easy, curl_socket_t *value) {
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLMcode kith_curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode kith_curl_multi_setopt_socket(CURLM *multi, curl_socket_callback value, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return code ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode kith_curl_multi_setopt_timer(CURLM *multi, curl_multi_timer_callback value, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

#endif
