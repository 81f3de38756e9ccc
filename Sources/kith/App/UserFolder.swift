// SPDX-License-Identifier: Apache-2.0

/// A folder of the user for files of kith, by the XDG base directory specification.
enum UserFolder: Sendable {
  /// Sessions.
  case state
  /// History and jobs.
  case data
  /// What can be learned again.
  case cache

  /// The folder's path; it need not exist.
  ///
  /// A variable that holds a relative path is ignored, as the specification wants it.
  /// - Throws: ``CommandFault`` where no variable tells of a home.
  func path(in environment: [String: String]) throws(CommandFault) -> String {
    if let base = environment[variable], base.hasPrefix("/") { return base + "/kith" }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandFault(.fileTrouble, .noHome(variable))
    }
    return "\(home)/\(standard)/kith"
  }

  private var variable: String {
    switch self {
    case .state: "XDG_STATE_HOME"
    case .data: "XDG_DATA_HOME"
    case .cache: "XDG_CACHE_HOME"
    }
  }

  private var standard: String {
    switch self {
    case .state: ".local/state"
    case .data: ".local/share"
    case .cache: ".cache"
    }
  }
}
