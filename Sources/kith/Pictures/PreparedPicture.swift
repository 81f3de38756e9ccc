// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithPosts

/// A file with a picture, prepared for publishing.
struct PreparedPicture {
  /// The file.
  let path: String
  /// The picture without metadata.
  let picture: Picture
  /// Why it was converted; nil if its pixels are those of the file.
  let conversion: String?

  init(path: String, picture: Picture, conversion: String?) {
    (self.path, self.picture, self.conversion) = (path, picture, conversion)
  }

  /// Files are read up to this size; no camera makes larger ones.
  private static let mostBytes = 100 << 20

  /// Reads a file, removes its metadata, and converts it if it has to be.
  ///
  /// - Parameters:
  ///   - most: the most bytes of the result.
  ///   - kinds: the types that may be published.
  /// - Throws: ``CommandFault`` for a file that cannot be read or is no picture, and `unavailable` if no program of this
  ///   machine can convert it; `CancellationError`.
  init(
    _ path: String, atMost most: Int, kinds: Set<Picture.Kind> = Set(Picture.Kind.allCases),
    in process: RunContext
  ) async throws {
    let source = try process.file(path)
    var bytes: [UInt8] = []
    while case let piece = try await source.next(), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= Self.mostBytes else {
        throw CommandFault(.badInput, .unusablePicture(path, "it is larger than \(Self.mostBytes >> 20) MiB"))
      }
    }
    self.path = path
    let reason: String
    do throws(PictureError) {
      let picture = try Picture(bytes)
      if !kinds.contains(picture.kind) {
        reason = "it has to be a JPEG or a PNG"
      } else if picture.bytes.count > most {
        reason = "it is larger than \(most) bytes"
      } else {
        (self.picture, conversion) = (picture, nil)
        return
      }
    } catch {
      guard error.code == .otherType || error.code == .turned else {
        throw CommandFault(.badInput, .unusablePicture(path, error.description))
      }
      reason = error.description
    }
    let converter = try PhotoConverter(
      for: bytes, named: path, because: reason, in: process.environment)
    picture = try await converter.photo(atMost: most)
    conversion = reason
  }
}

extension PreparedPicture {
  /// What would be published of it.
  ///
  /// - Parameter alt: what it shows, empty for nothing; nil for the picture of an account.
  func preview(alt: String?) -> Message {
    .picturePreview(path, picture, conversion: conversion, alt: alt)
  }
}
