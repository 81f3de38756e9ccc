// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// Opens a browser with an address that has a secret in it: by a file that only the user can read, because arguments of a process can
/// be seen by all.
struct BrowserDoor: Sendable {
  private let program: ChildProgram
  private let folder: SecureFolder
  /// Of this process: two dashboards may be opened at once.
  private let name = "enter-\(getpid()).html"

  /// - Returns: nil if this machine has no display, or no program that opens a browser.
  init?(in environment: [String: String]) {
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    guard hasDisplay,
      let program = ChildProgram(
        "xdg-open", in: environment,
        passing: [
          "PATH", "HOME", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
          "XDG_CURRENT_DESKTOP",
          "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS", "BROWSER", "LANG",
        ]), let path = try? UserFolder.state.path(in: environment)
    else { return nil }
    (self.program, folder) = (program, SecureFolder(path: path))
  }

  /// Opens the browser; if that fails, the address that was printed is enough.
  func open(_ address: String) {
    let page = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">\
      <meta http-equiv="refresh" content="0;url=\(address)"><title>Kith</title></head>
      <body><p><a href="\(address)">Go on to Kith</a></p></body></html>

      """
    guard (try? folder.write(Array(page.utf8), to: name)) != nil else { return }
    Task {
      _ = try? await program.run([folder.path(of: name)], atMost: .seconds(60)) { _ in CancellationError() }
    }
  }

  /// Removes the file: its address is used up, or the dashboard ends.
  func close() { try? folder.remove(name) }
}
