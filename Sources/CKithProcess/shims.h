// SPDX-License-Identifier: Apache-2.0

// Linux changes what others may do with a process by a variadic function, which Swift cannot call.

#ifndef KITH_CPROCESS_SHIMS_H
#define KITH_CPROCESS_SHIMS_H

#include <sys/prctl.h>

static inline int kith_set_dumpable(int is_dumpable) {
  return prctl(PR_SET_DUMPABLE, (unsigned long)is_dumpable, 0UL, 0UL, 0UL);
}

#endif
