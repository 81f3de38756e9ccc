// SPDX-License-Identifier: Apache-2.0

public import KithLexicons

extension App.Bsky.Actor.Defs {
  /// The catalog refers to this definition, but no method used here does: it only has to compile.
  public typealias Preferences = [Com.Atproto.Label.Defs.SelfLabel]
}
