// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

extension [UInt8] {
  /// Decodes unpadded Base64 in the URL-safe alphabet (RFC 7515, section 2), or returns `nil` if the text is invalid.
  init?(base64URL text: Substring) {
    guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    self.init(base64: standard + padding)
  }

  /// The bytes in unpadded Base64 with the URL-safe alphabet (RFC 7515, section 2).
  package var base64URL: String {
    let standard = String(writing: { $0.append(base64: span) })
    return standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
