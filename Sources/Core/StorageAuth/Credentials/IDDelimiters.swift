// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Characters with which a signature scheme can end an access key ID in an authorization.
///
/// The services that define a scheme issue IDs of letters and digits. Compatible services have others, such as
/// `user@example.test/sub=1`, so that each scheme refuses only the IDs that its authorizations cannot carry.
package struct IDDelimiters: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let comma = IDDelimiters(rawValue: 1 << 0)
  package static let semicolon = IDDelimiters(rawValue: 1 << 1)
  package static let colon = IDDelimiters(rawValue: 1 << 2)
  package static let ampersand = IDDelimiters(rawValue: 1 << 3)
  package static let equals = IDDelimiters(rawValue: 1 << 4)
  package static let percent = IDDelimiters(rawValue: 1 << 5)
  package static let quote = IDDelimiters(rawValue: 1 << 6)
  package static let slash = IDDelimiters(rawValue: 1 << 7)

  /// The delimiters of all schemes, for a scheme that is not known here.
  static let all = IDDelimiters(rawValue: .max)

  init(in id: AccessKeyID) {
    self = id.utf8.reduce(into: []) { found, byte in
      switch byte {
      case UInt8(ascii: ","): found.insert(.comma)
      case UInt8(ascii: ";"): found.insert(.semicolon)
      case UInt8(ascii: ":"): found.insert(.colon)
      case UInt8(ascii: "&"): found.insert(.ampersand)
      case UInt8(ascii: "="): found.insert(.equals)
      case UInt8(ascii: "%"): found.insert(.percent)
      case UInt8(ascii: "\""): found.insert(.quote)
      case UInt8(ascii: "/"): found.insert(.slash)
      default: break
      }
    }
  }
}
