// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The TC3-HMAC-SHA256 signature of Tencent Cloud's API, in steps for signing and verifying.
///
/// Page: "Signature v3" in the documentation of the Tencent Cloud API.
package struct TC3Signature: Sendable {
  /// The name of the algorithm in the `Authorization` header.
  package static let algorithm = "TC3-HMAC-SHA256"

  /// The service in the scope, such as `sts`.
  package let service: String

  /// The time of the signature, in whole seconds.
  package let date: Timestamp

  package init(service: String, date: Timestamp) {
    self.service = service
    self.date = date
  }

  private var day: String { String(date.iso8601.prefix(10)) }

  /// The scope that follows the access key ID in the `Authorization` header: `2026-11-20/sts/tc3_request`.
  package var scope: String { "\(day)/\(service)/tc3_request" }

  /// Returns the canonical request, which contains every signed part of the request; header values are lowercased.
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

  /// Returns the string to sign: the algorithm, the time, the scope and the hash of the canonical request.
  package func stringToSign(canonicalRequest: String) -> String {
    """
    \(Self.algorithm)
    \(date.unixSeconds)
    \(scope)
    \(SHA256.hash { $0.append(canonicalRequest) }.hex)
    """
  }

  /// Returns the signature in lowercase hexadecimal; its key is derived from the secret, the day and the service.
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

  /// Returns the signature that a valid request must carry.
  ///
  /// - Parameters:
  ///   - call: The request as it arrived.
  ///   - names: The header names included in the signature, in the order of the `Authorization` header.
  ///   - secret: The secret of the key that the `Authorization` header names.
  /// - Throws: A `SigningError` if the request has no canonical form.
  package func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    let canonical = try Self.canonicalRequest(of: call, signing: names)
    return signature(of: stringToSign(canonicalRequest: canonical), secret: secret)
  }
}
