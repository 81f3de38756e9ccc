// SPDX-License-Identifier: Apache-2.0

// What apps test with is what the package's own tests use, under one import.
@_exported public import KithTestSupport
