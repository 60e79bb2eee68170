// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A digest that can verify a customer's encryption key (SSE-C), but not decrypt data.
struct CustomerKey: Sendable, Codable, Equatable {
  /// The names of the headers for a customer-provided encryption key, without the service's prefix.
  static let headers = [algorithmHeader, keyHeader, md5Header]
  static let algorithmHeader = "server-side-encryption-customer-algorithm"
  static let keyHeader = "server-side-encryption-customer-key"
  static let md5Header = "server-side-encryption-customer-key-md5"
  static let algorithm = "AES256"
  private static let byteCount = 32

  /// The MD5 digest of the encryption key in Base64, as the client sent it.
  let md5: String
  private let digest: String

  /// Creates the digest of the key in headers, whose names omit the prefix, or returns `nil` if all of them are absent.
  init?(_ value: (String) -> String?) throws(ErrorResponse) {
    let (algorithm, key, md5) = (value(Self.algorithmHeader), value(Self.keyHeader), value(Self.md5Header))
    if algorithm == nil, key == nil, md5 == nil { return nil }
    guard let algorithm, let key, let md5 else {
      throw .invalidArgument("A customer's key needs three headers: its algorithm, the key and the key's MD5.")
    }
    guard algorithm == Self.algorithm else {
      throw .invalidArgument("The algorithm of a customer's key can only be \(Self.algorithm).")
    }
    guard let bytes = [UInt8](base64: key), bytes.count == Self.byteCount else {
      throw .invalidArgument("A customer's key is the Base64 of \(Self.byteCount) bytes.")
    }
    guard let expected = [UInt8](base64: md5), expected == MD5.hash(bytes).bytes else {
      throw .invalidArgument("The MD5 of the customer's key is not that of the key.")
    }
    self.md5 = md5
    digest = SHA256.hash(bytes).hex
  }

  static func check(_ given: CustomerKey?, against stored: CustomerKey?) throws(ErrorResponse) {
    switch (given, stored) {
    case (nil, nil): return
    case (nil, .some):
      throw .invalidRequest("The object was stored with a customer's key; send its algorithm, the key and its MD5.")
    case (.some, nil):
      throw .invalidRequest("The object was stored without a customer's key; send the request without one.")
    case (let given?, let stored?):
      guard constantTimeEqual(given.digest, stored.digest) else {
        throw .accessDenied("The customer's key is not the one that the object was stored with.")
      }
    }
  }
}
