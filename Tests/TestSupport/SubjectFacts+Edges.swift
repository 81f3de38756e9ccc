// SPDX-License-Identifier: Apache-2.0

package import KithRelationships
package import KithWriting

extension SubjectFacts {
  /// The own follow records of the account.
  package var follows: [OwnRecord]? {
    get { edges[.follow] }
    set { edges[.follow] = newValue }
  }

  /// The own block records of the account.
  package var blocks: [OwnRecord]? {
    get { edges[.block] }
    set { edges[.block] = newValue }
  }

  /// The own records that block the list.
  package var listBlocks: [OwnRecord]? {
    get { edges[.listblock] }
    set { edges[.listblock] = newValue }
  }

  /// Facts with records of some kinds; nil for those that are not known.
  package static func knowing(
    follows: [OwnRecord]? = nil, blocks: [OwnRecord]? = nil, listBlocks: [OwnRecord]? = nil,
    list: ListFacts? = nil, relationship: RelationshipInfo? = nil, mute: MuteState? = nil,
    listIsMuted: Bool? = nil, relationshipNotLearned: Bool = false
  ) -> SubjectFacts {
    var facts = SubjectFacts(
      list: list, relationship: relationship, mute: mute, listIsMuted: listIsMuted,
      relationshipNotLearned: relationshipNotLearned)
    (facts.follows, facts.blocks, facts.listBlocks) = (follows, blocks, listBlocks)
    return facts
  }
}
