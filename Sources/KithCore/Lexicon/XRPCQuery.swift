// SPDX-License-Identifier: Apache-2.0

/// A method that only reads: sent as GET, safe to retry.
public protocol XRPCQuery: XRPCMethod {}
