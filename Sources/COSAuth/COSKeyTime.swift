public import StorageAuth
internal import StorageCrypto

/// The stretch of time in which a COS signature is valid, both ends included (`q-sign-time`, `q-key-time`).
public struct COSKeyTime: Sendable, Hashable {
  /// The first second, in Unix time.
  public let start: Timestamp

  /// The last second, in Unix time.
  public let end: Timestamp

  /// Makes a window; fractions of seconds are dropped.
  ///
  /// - Parameters:
  ///   - start: The first second.
  ///   - end: The last second.
  public init(from start: Timestamp, until end: Timestamp) {
    self.start = start.wholeSeconds
    self.end = end.wholeSeconds
  }

  /// Reads a window as it stands in an authorization: `1700000000;1700003600`.
  package init?(_ text: String) {
    let parts = text.parts(between: ";")
    guard parts.count == 2, let start = Self.seconds(parts[0]), let end = Self.seconds(parts[1]) else { return nil }
    self.init(from: Timestamp(unixSeconds: start), until: Timestamp(unixSeconds: end))
  }

  /// Digits only: no sign, no blank, and few enough to be a time.
  private static func seconds(_ text: Substring) -> Int64? {
    guard (1...12).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int64(text)
  }

  /// Appends the window: `1700000000;1700003600`.
  func append(to writer: inout ByteWriter, separator: StaticString = ";") {
    writer.append(start.unixSeconds)
    writer.append(separator)
    writer.append(end.unixSeconds)
  }

  /// The key that signs in this window, derived once from an access key.
  func signingKey(of key: AccessKey) -> HMACKey<SHA1> {
    let scope = KeyScope(from: start.unixSeconds, to: end.unixSeconds)
    return key.signingKey(for: scope) { secret in
      HMACKey<SHA1>(secret).withAuthenticationCode(writing: { append(to: &$0) }) { signKey in
        HMACKey(writing: { $0.append(hex: signKey) })
      }
    }
  }
}
