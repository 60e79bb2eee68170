// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension AsperaToken {
  /// Returns the kind of a token based on its form, and a note if the form is irregular.
  ///
  /// A transfer token starts with `AT`, `B` or `M`, a version and an underscore, and ends with an underscore and the
  /// reversed header. A basic or bearer token starts with the name of its scheme and a space.
  static func form(of text: String) -> (kind: Kind, note: String?) {
    if text.hasBytePrefix("Basic ") { return (.basic, nil) }
    if text.hasPrefix(BearerText.prefix) { return (.bearer, nil) }
    if let header = transferHeader(of: text) {
      let footer = "_" + String(header.reversed())
      // The underscores of the header and the footer are distinct, because the payload between them has at least one
      // byte.
      if text.hasSuffix(footer), text.utf8.count > header.utf8.count + 1 + footer.utf8.count { return (.transfer, nil) }
      return (
        .other,
        "It begins like a transfer token and does not end with \(footer): it was probably truncated when it was copied."
      )
    }
    if BearerText.expiration(of: text) != nil {
      return (.other, "It looks like a bearer token without the word Bearer before it, which the server requires.")
    }
    return (.other, nil)
  }

  /// Returns the first four characters of a transfer token, or `nil` if the text is not a transfer token.
  ///
  /// They are `AT`, a letter that distinguishes tokens for one session from tokens for several sessions, and the
  /// version.
  private static func transferHeader(of text: String) -> String? {
    let header = Array(text.utf8.prefix(5))
    let isTransfer =
      header.count == 5 && header[0...1] == [UInt8(ascii: "A"), UInt8(ascii: "T")]
      && [UInt8(ascii: "B"), UInt8(ascii: "M")].contains(header[2])
      && (UInt8(ascii: "2")...UInt8(ascii: "4")).contains(header[3]) && header[4] == UInt8(ascii: "_")
    return isTransfer ? String(text.prefix(4)) : nil
  }
}
