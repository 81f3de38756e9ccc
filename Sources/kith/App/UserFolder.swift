// SPDX-License-Identifier: Apache-2.0

/// A folder for the files of kith, by the XDG base directory specification.
enum UserFolder: Sendable {
  /// Sessions.
  case state
  /// History and jobs.
  case data
  /// Data that can be fetched again.
  case cache
  /// Settings.
  case config

  /// The folder's path; it need not exist.
  ///
  /// A relative path in a variable is ignored, as the specification requires.
  /// - Throws: ``CommandFault`` if no variable names a home directory.
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
    case .config: "XDG_CONFIG_HOME"
    }
  }

  private var standard: String {
    switch self {
    case .state: ".local/state"
    case .data: ".local/share"
    case .cache: ".cache"
    case .config: ".config"
    }
  }
}
