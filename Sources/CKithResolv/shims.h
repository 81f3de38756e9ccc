// SPDX-License-Identifier: Apache-2.0

// The system's resolver keeps its state in a structure of bit fields and unions, and names its functions by macros:
// Swift sees neither. Nothing else belongs into this file.

#ifndef KITH_CRESOLV_SHIMS_H
#define KITH_CRESOLV_SHIMS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <string.h>

#define KITH_NO_RECORDS 0
#define KITH_NOT_LEARNED -1

// Asks for the TXT records of a name, which is taken as it is: no search domains are tried.
//
// server: the IPv4 address of a name server, and its port; NULL for those of the system.
// seconds: how long one name server has for one answer. Each is asked twice at most.
// Returns the length of the answer, KITH_NO_RECORDS or KITH_NOT_LEARNED.
static inline int kith_text_records(
    const char *name, const char *server, unsigned short port, int seconds, unsigned char *answer, int size) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state) != 0) return KITH_NOT_LEARNED;
  state.retrans = seconds;
  state.retry = 2;
  if (server) {
    state.nscount = 1;
    state.nsaddr_list[0].sin_family = AF_INET;
    state.nsaddr_list[0].sin_port = htons(port);
    if (inet_pton(AF_INET, server, &state.nsaddr_list[0].sin_addr) != 1) {
      res_nclose(&state);
      return KITH_NOT_LEARNED;
    }
  }
  int length = res_nquery(&state, name, ns_c_in, ns_t_txt, answer, size);
  int reason = state.res_h_errno;
  res_nclose(&state);
  if (length > 0) return length <= size ? length : KITH_NOT_LEARNED;
  return reason == HOST_NOT_FOUND || reason == NO_DATA ? KITH_NO_RECORDS : KITH_NOT_LEARNED;
}

#endif
