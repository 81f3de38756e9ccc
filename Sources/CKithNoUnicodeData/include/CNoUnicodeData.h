// SPDX-License-Identifier: Apache-2.0
// Nothing to call: to link this is all there is to it. See empty.c.
