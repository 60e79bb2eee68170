// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The TC3-HMAC-SHA256 signature of Tencent Cloud's API, as separate steps for signing and verifying.
///
/// Page: "Signature v3" in the documentation of the Tencent Cloud API.
package struct TC3Signature: Sendable {
  /// The name of the signature algorithm in the `Authorization` header.
  package static let algorithm = "TC3-HMAC-SHA256"

  /// The service in the signature's scope, such as `sts`.
  package let service: String

  /// The signing time, in whole seconds.
  package let date: Timestamp

  package init(service: String, date: Timestamp) {
    self.service = service
    self.date = date
  }

  private var day: String { String(date.iso8601.prefix(10)) }

  /// The signature's scope, which follows the access key ID in the `Authorization` header.
  ///
  /// An example is `2026-11-20/sts/tc3_request`.
  package var scope: String { "\(day)/\(service)/tc3_request" }

  /// Returns the canonical request, which contains all components of the request that are signed.
  ///
  /// Header values are in lowercase.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or repeated.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names { headers += "\(name):\(try call.signedValue(of: name).asciiLowercased)\n" }
    return """
      \(call.request.method.rawValue)
      \(call.path)
      \(call.query)
      \(headers)
      \(names.joined(separator: ";"))
      \(call.bodyHash)
      """
  }

  /// Returns the string to sign for a canonical request.
  ///
  /// It consists of the algorithm name, the time, the scope and the hash of the canonical request.
  package func stringToSign(canonicalRequest: String) -> String {
    """
    \(Self.algorithm)
    \(date.unixSeconds)
    \(scope)
    \(SHA256.hash { $0.append(canonicalRequest) }.hex)
    """
  }

  /// Returns the signature of a string to sign, in lowercase hexadecimal.
  ///
  /// The signing key is derived from the secret, the day and the service.
  package func signature(of stringToSign: String, secret: Secret) -> String {
    let first = HMACKey<SHA256> { writer in
      writer.append("TC3")
      secret.bytes.withBytes { writer.append($0) }
    }
    let dayKey = first.derivedKey { $0.append(day) }
    let serviceKey = dayKey.derivedKey { $0.append(service) }
    let key = serviceKey.derivedKey { $0.append("tc3_request") }
    return key.authenticationCode(for: stringToSign).hex
  }

  /// Returns the expected signature for a received request.
  ///
  /// - Parameters:
  ///   - call: The request as it was received.
  ///   - names: The header names included in the signature, in their order in the `Authorization` header.
  ///   - secret: The secret of the access key that the `Authorization` header specifies.
  /// - Throws: A `SigningError` if the canonical request cannot be created.
  package func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    let canonical = try Self.canonicalRequest(of: call, signing: names)
    return signature(of: stringToSign(canonicalRequest: canonical), secret: secret)
  }
}
