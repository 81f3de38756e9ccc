// SPDX-License-Identifier: Apache-2.0

/// The profile of a generated account, computed from its number on demand.
struct GeneratedProfile {
  private let traits: UInt64
  private var givenName: Int { Int(traits % UInt64(Self.givenNames.count)) }
  private var familyName: Int { Int((traits >> 16) % UInt64(Self.familyNames.count)) }

  init(index: Int, seed: UInt64) {
    traits = SplitMix64.mix(SplitMix64.mix(seed) &+ UInt64(index))
  }

  var displayName: String { "\(Self.givenNames[givenName]) \(Self.familyNames[familyName])" }

  /// Whether one of the names starts with this lower-case text. Uses names that are lower-cased in advance,
  /// because a search asks every account.
  func isNamed(_ text: Substring) -> Bool {
    Self.lowercasedGivenNames[givenName].hasPrefix(text)
      || Self.lowercasedFamilyNames[familyName].hasPrefix(text)
  }

  /// The description; one in three has none.
  var biography: String {
    let interest = Self.interests[Int((traits >> 32) % UInt64(Self.interests.count))]
    return (traits >> 40) % 3 == 0 ? "" : "Mostly \(interest)."
  }

  /// The status: two in a hundred are deactivated, one is taken down.
  var status: SandboxAccount.Status {
    switch (traits >> 48) % 100 {
    case 0: .takenDown
    case 1, 2: .deactivated
    default: .active
    }
  }

  private static let givenNames = [
    "Ada", "Amina", "Anouk", "Bruno", "Chidi", "Dalia", "Elif", "Emil", "Farid", "Freya", "Hana", "Ines",
    "Jonas", "Kenji", "Lucía", "Mateo", "Mei", "Nadia", "Noor", "Oskar", "Priya", "Ravi", "Sami", "Zoë",
  ]
  private static let familyNames = [
    "Abe", "Berg", "Costa", "Diallo", "Eriksen", "Fischer", "Garcia", "Haddad", "Ito", "Jansen", "Kaya",
    "Lindqvist", "Moreau", "Novak", "Okafor", "Park", "Quispe", "Rossi", "Singh", "Tanaka", "Varga", "Wood",
  ]
  private static let lowercasedGivenNames = givenNames.map { $0.lowercased() }
  private static let lowercasedFamilyNames = familyNames.map { $0.lowercased() }
  private static let interests = [
    "birds", "bread", "compilers", "football", "gardens", "maps", "old films", "trains",
  ]
}
