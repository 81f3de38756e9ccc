// SPDX-License-Identifier: Apache-2.0

public import ATProtoLexicons

extension App.Bsky.Actor.Defs {
  /// The catalog refers to this definition, which no method of Kith does: what stands here only has to compile.
  public typealias Preferences = [Com.Atproto.Label.Defs.SelfLabel]
}
