// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

/// The window in which a COS signature is valid, including both ends (`q-sign-time`, `q-key-time`).
///
/// Source: KeyTime in "Request Signature", <https://www.tencentcloud.com/document/product/436/7778>.
public struct COSKeyTime: Sendable, Hashable {
  /// The first second of the window, as Unix time.
  public let start: Timestamp
  /// The last second of the window, as Unix time.
  public let end: Timestamp

  /// The characters that an access key ID must not contain, because the authorization has the form of a query.
  static let idDelimiters: IDDelimiters = [.ampersand, .equals, .semicolon, .percent]

  /// Creates a window, rounding both times down to whole seconds; the parameters are the properties.
  public init(from start: Timestamp, until end: Timestamp) {
    self.start = start.wholeSeconds
    self.end = end.wholeSeconds
  }

  /// Creates a window from the format of an authorization, such as `1700000000;1700003600`.
  package init?(_ text: String) {
    let parts = text.parts(between: ";")
    guard parts.count == 2, let start = Self.seconds(parts[0]), let end = Self.seconds(parts[1]) else { return nil }
    self.init(from: Timestamp(unixSeconds: start), until: Timestamp(unixSeconds: end))
  }

  /// Parses a number of seconds with at most 12 digits, so that a `Timestamp` can represent the time.
  private static func seconds(_ text: Substring) -> Int64? {
    (1...12).contains(text.utf8.count) ? Int64(digits: text) : nil
  }

  /// Appends the window; in a URL, the separator is percent-encoded.
  func append(to writer: inout ByteWriter, separator: StaticString = ";") {
    writer.append(start.unixSeconds)
    writer.append(separator)
    writer.append(end.unixSeconds)
  }

  /// Returns the signing key ("SignKey"), which is derived once from an access key: an HMAC as 40 hexadecimal digits.
  func signingKey(of key: AccessKey) -> HMACKey<SHA1> {
    let scope = KeyScope(from: start.unixSeconds, to: end.unixSeconds)
    return key.signingKey(for: scope) { secret in
      HMACKey<SHA1>(secret).withAuthenticationCode(writing: { append(to: &$0) }) { signKey in
        HMACKey(writing: { $0.append(hex: signKey) })
      }
    }
  }

  /// Returns the signing key after it has hashed the string to sign up to the hash of the HTTP string.
  func startedSigningKey(of key: AccessKey) -> HMACKey<SHA1> {
    signingKey(of: key).startingMessages { $0.append(headOfCOSStringToSignIn: self) }
  }

  /// Returns the signature of an HTTP string with the given hash.
  func signature(of hash: Digest, with key: AccessKey) -> Digest {
    signingKey(of: key).authenticationCode { $0.append(cosStringToSign: hash, in: self) }
  }
}
