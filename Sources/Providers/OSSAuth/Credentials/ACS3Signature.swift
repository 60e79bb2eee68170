// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The ACS3-HMAC-SHA256 signature of Alibaba Cloud's API, as separate steps for signing and verifying.
///
/// Page: "Request syntax and signature method V3"
/// (https://www.alibabacloud.com/help/en/sdk/product-overview/v3-request-structure-and-signature).
package enum ACS3Signature {
  /// The name of the signature algorithm in the `Authorization` header.
  package static let algorithm = "ACS3-HMAC-SHA256"

  /// Returns the header names that the signature must include, in lowercase and sorted.
  ///
  /// They are `host`, `content-type` and every `x-acs-` header.
  package static func signedHeaders(of call: ServiceCall) -> [String] {
    var names: Set = ["host"]
    for field in call.request.headerFields {
      let name = field.name.canonicalName
      if name == "content-type" || name.hasBytePrefix("x-acs-") { names.insert(name) }
    }
    return names.sorted()
  }

  /// Returns the canonical request, which contains all components of the request that are signed.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or repeated, or if the query has an invalid
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

  /// Returns the string to sign for a canonical request: the algorithm name and the hash of the canonical request.
  package static func stringToSign(canonicalRequest: String) -> String {
    "\(algorithm)\n\(SHA256.hash { $0.append(canonicalRequest) }.hex)"
  }

  /// Returns the signature of a string to sign, in lowercase hexadecimal.
  ///
  /// The HMAC key is the secret itself, without key derivation.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    secret.bytes.withBytes { HMACKey<SHA256>($0) }.authenticationCode(for: stringToSign).hex
  }

  /// Returns the expected signature for a received request.
  ///
  /// - Parameters:
  ///   - call: The request as it was received.
  ///   - names: The header names included in the signature, in their order in the `Authorization` header.
  ///   - secret: The secret of the access key that the `Authorization` header specifies.
  /// - Throws: A `SigningError` if the canonical request cannot be created.
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
