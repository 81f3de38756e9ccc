// SPDX-License-Identifier: Apache-2.0

/// A method that only reads: sent as GET, safe to repeat.
public protocol XRPCQuery: XRPCMethod {}
