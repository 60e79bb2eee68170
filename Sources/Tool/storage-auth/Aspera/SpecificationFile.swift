// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CloudCredentials
internal import Foundation

/// A file, or standard input, that contains a transfer specification in JSON.
struct SpecificationFile {
  /// The maximum size of a specification in bytes, which is enough for more than 100,000 paths.
  private static let sizeLimit = 1 << 24

  /// The number of bytes that are read from standard input at a time.
  private static let pieceByteCount = 1 << 16

  let specification: TransferSpec

  /// Reads a specification, and prints a warning if it contains a secret and other users can read the file.
  ///
  /// - Parameter path: The path of the file, or `-` for standard input.
  /// - Throws: An `AsperaError` if the content is not a transfer specification, or the exit status for usage errors if
  ///   it cannot be read. The reason is printed first.
  init(_ path: String) throws {
    guard path != "-" else {
      specification = try TransferSpec(json: Self.standardInput())
      return
    }
    let contents: FileContents
    do {
      contents = try SystemFiles().read(path, limit: Self.sizeLimit)
    } catch FileReadError.tooLarge {
      throw Self.tooLarge(path)
    } catch {
      throw InputFile.unusable("\(path) cannot be read. Pass a file that exists and that you can read.")
    }
    specification = try TransferSpec(json: contents.bytes)
    if contents.isReadableByOthers, specification.withoutSecrets != specification {
      Terminal.warning("\(path) contains secrets and is readable by other users. Run chmod 600 \(path).")
    }
  }

  private static func standardInput() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try FileHandle.standardInput.read(upToCount: pieceByteCount), !piece.isEmpty {
      guard piece.count <= sizeLimit - bytes.count else { throw tooLarge("Standard input") }
      bytes.append(contentsOf: piece)
    }
    return bytes
  }

  private static func tooLarge(_ name: String) -> any Error {
    InputFile.unusable("\(name) is larger than \(sizeLimit) bytes. Divide the paths among several specifications.")
  }
}
