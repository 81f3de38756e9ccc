// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import kith

/// A pipe that output goes into instead of stdout, for less than a pipe's buffer of it.
final class Capture {
  let descriptor: OutputDescriptor
  private let reader: FileHandle
  private let writer: FileHandle

  init() {
    let pipe = Pipe()
    (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    descriptor = OutputDescriptor(number: writer.fileDescriptor, name: "capture")
  }

  /// Everything that was written; nothing may be written after it.
  func text() throws -> String {
    try writer.close()
    return String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
  }
}
