// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The template of a callback's body: text with variables such as `${object}`.
package struct CallbackTemplate: Sendable {
  /// A part of a template.
  package enum Piece: Sendable, Equatable {
    case text(String)
    case variable(String)
  }

  /// The names of the variables that OSS sets.
  ///
  /// Page: "Callback".
  package static let systemVariables: Set<String> = [
    "bucket", "object", "etag", "size", "mimeType", "imageInfo.height", "imageInfo.width", "imageInfo.format", "crc64",
    "contentMd5", "vpcId", "clientIp", "reqId", "operation",
  ]

  /// The parts of the template in their order.
  package let pieces: [Piece]

  /// The names of the variables in the template.
  package var variables: [String] {
    pieces.compactMap { piece in
      if case .variable(let name) = piece { name } else { nil }
    }
  }

  /// Parses a template, or returns `nil` if a variable has no end.
  package init?(_ text: String) {
    var pieces: [Piece] = []
    var rest = text.utf8[...]
    while let start = rest.firstRange(of: "${".utf8) {
      guard let end = rest[start.upperBound...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
      if start.lowerBound > rest.startIndex { pieces.append(.text(Self.text(rest[..<start.lowerBound]))) }
      pieces.append(.variable(Self.text(rest[start.upperBound..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { pieces.append(.text(Self.text(rest))) }
    self.pieces = pieces
  }

  private static func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)) }
}
