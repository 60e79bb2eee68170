// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The ACS3-HMAC-SHA256 signature of Alibaba Cloud's API, in steps for signing and verifying.
///
/// Page: "Request syntax and signature method V3"
/// (https://www.alibabacloud.com/help/en/sdk/product-overview/v3-request-structure-and-signature).
package enum ACS3Signature {
  /// The name of the algorithm in the `Authorization` header.
  package static let algorithm = "ACS3-HMAC-SHA256"

  /// Returns the header names that must be included in the signature, in lowercase and sorted: `host`, `content-type`
  /// and every `x-acs-` header.
  package static func signedHeaders(of call: ServiceCall) -> [String] {
    var names: Set = ["host"]
    for field in call.request.headerFields {
      let name = field.name.canonicalName
      if name == "content-type" || name.hasBytePrefix("x-acs-") { names.insert(name) }
    }
    return names.sorted()
  }

  /// Returns the canonical request, which contains every signed part of the request.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or repeated, or the query has an invalid
  ///   percent-encoding.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names { headers += "\(name):\(try call.signedValue(of: name))\n" }
    return """
      \(call.request.method.rawValue)
      \(call.path)
      \(try canonicalQuery(call.query))
      \(headers)
      \(names.joined(separator: ";"))
      \(call.bodyHash)
      """
  }

  /// Returns the string to sign: the algorithm and the hash of the canonical request.
  package static func stringToSign(canonicalRequest: String) -> String {
    "\(algorithm)\n\(SHA256.hash { $0.append(canonicalRequest) }.hex)"
  }

  /// Returns the signature in lowercase hexadecimal; the HMAC key is the secret itself, without derivation.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    secret.bytes.withBytes { HMACKey<SHA256>($0) }.authenticationCode(for: stringToSign).hex
  }

  /// Returns the signature that a valid request must carry.
  ///
  /// - Parameters:
  ///   - call: The request as it arrived.
  ///   - names: The header names included in the signature, in the order of the `Authorization` header.
  ///   - secret: The secret of the key that the `Authorization` header names.
  /// - Throws: A `SigningError` if the request has no canonical form.
  package static func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    signature(of: stringToSign(canonicalRequest: try canonicalRequest(of: call, signing: names)), secret: secret)
  }

  private static func canonicalQuery(_ query: String) throws(SigningError) -> String {
    guard let pairs = FormPair.read(query) else { throw SigningError.unreadablePath }
    return FormPair.sorted(pairs).map(\.encoded).joined(separator: "&")
  }
}
