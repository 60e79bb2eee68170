// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// The older signature of Tencent Cloud's API, which is sent as a request parameter.
///
/// It is used to verify requests of the vendor's SDKs for temporary keys. Source: the SDKs' code (qcloud-cos-sts-sdk,
/// all languages).
package enum TencentV1Signature {
  /// Returns the string to sign for a request, which contains the parameters unencoded.
  ///
  /// - Parameters:
  ///   - method: The HTTP method of the request.
  ///   - host: The host of the request.
  ///   - path: The path of the request without the query.
  ///   - parameters: The parameters of the query and of the form body, decoded once. A parameter `Signature` is
  ///     ignored.
  package static func stringToSign(
    method: String, host: String, path: String = "/", parameters: [FormPair]
  ) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)\(host)\(path)?" + signed.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Returns the signature of a string to sign, in Base64.
  ///
  /// - Parameters:
  ///   - stringToSign: The string to sign.
  ///   - secret: The secret of the access key.
  ///   - method: The value of the parameter `SignatureMethod`. `HmacSHA256` selects HMAC-SHA256, and any other value or
  ///     `nil` selects HMAC-SHA1.
  package static func signature(of stringToSign: String, secret: Secret, method: String? = nil) -> String {
    secret.bytes.withBytes { secret in
      method == "HmacSHA256"
        ? HMACKey<SHA256>(secret).authenticationCode(for: stringToSign).base64
        : HMACKey<SHA1>(secret).authenticationCode(for: stringToSign).base64
    }
  }
}
