// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// The older signature of Alibaba Cloud's API (RPC style, HMAC-SHA1), which is sent as a request parameter.
///
/// It is used to verify requests of older SDKs.
///
/// Page: "Request syntax and signature method V2 for RPC APIs"
/// (https://www.alibabacloud.com/help/en/sdk/product-overview/rpc-mechanism).
package enum RPCSignature {
  /// Returns the string to sign for a request.
  ///
  /// - Parameters:
  ///   - method: The HTTP method of the request.
  ///   - parameters: The decoded parameters of the query and of the form body. A parameter `Signature` is ignored.
  package static func stringToSign(method: String, parameters: [FormPair]) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)&%2F&\(FormPair.written(signed).percentEncoded())"
  }

  /// Returns the signature of a string to sign, in Base64.
  ///
  /// The HMAC key is the secret followed by an ampersand.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    let key = HMACKey<SHA1> { writer in
      secret.bytes.withBytes { writer.append($0) }
      writer.append(UInt8(ascii: "&"))
    }
    return key.authenticationCode(for: stringToSign).base64
  }
}
