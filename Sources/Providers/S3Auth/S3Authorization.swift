// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The components of an authorization in a header or a URL, from the pages that ``S3Signer`` lists.
struct S3Authorization: Sendable {
  let accessKeyID: AccessKeyID
  let day: String
  let region: String
  let service: String
  /// The names of the signed headers: lowercase, sorted, without duplicates, and including `host`.
  let signedHeaders: [String]
  let signature: String

  /// Creates an authorization from the value of an `Authorization` header.
  init(_ text: String) throws(VerificationError) {
    let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
    let scheme = text[..<space]
    guard scheme.isIdentical(to: S3Text.algorithm.description) else { throw Self.unsupportedScheme(scheme) }
    var fields: [String: Substring] = [:]
    for item in text[space...].parts(between: ",") {
      let pair = item.trimmingSpaces.parts(between: "=", maxSplits: 1)
      guard pair.count == 2, let name = ["Credential", "SignedHeaders", "Signature"].first(where: { $0 == pair[0] }),
        fields.updateValue(pair[1], forKey: name) == nil
      else { throw Self.malformed("The authorization header is malformed; a part is unknown, or occurs twice.") }
    }
    func required(_ name: String) throws(VerificationError) -> Substring {
      if let value = fields[name], !value.isEmpty { return value }
      throw Self.malformed("The authorization header is malformed; missing \(name).")
    }
    try self.init(
      credential: required("Credential"), signedHeaders: required("SignedHeaders"), signature: required("Signature"),
      as: "AuthorizationHeaderMalformed")
  }

  /// Creates an authorization from its components; `code` is the service's error code for a malformed one.
  init(
    credential: Substring, signedHeaders: Substring, signature: Substring, as code: String
  ) throws(VerificationError) {
    let credentialParts = credential.parts(between: "/")
    guard credentialParts.count >= 5,
      credentialParts[credentialParts.count - 1].isIdentical(to: S3Text.scopeTerminator.description)
    else {
      throw Self.malformed(
        "The Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".", as: code)
    }
    // The ID can contain slashes, so it extends to the scope.
    let scope = credentialParts.suffix(4).map { String($0) }
    do throws(VerificationError) {
      accessKeyID = try AccessKeyID(claimed: credentialParts.dropLast(4).joined(separator: "/"))
    } catch { throw error.with(serviceCode: code) }
    (day, region, service) = (scope[0], scope[1], scope[2])
    guard region.isAmazonScopePart, service.isAmazonScopePart else {
      throw Self.malformed("The region or the service of the Credential is malformed.", as: code)
    }
    if service == "s3express" {
      throw Self.notImplemented("Directory buckets (S3 Express One Zone) are not supported.")
    }
    let names = signedHeaders.parts(between: ";").map { String($0) }
    guard names.areSortedAndDistinct, names.containsSorted("host"),
      names.allSatisfy({ !$0.isEmpty && $0 == $0.asciiLowercased })
    else {
      throw Self.malformed(
        "The signed headers are not different names in lower case, sorted, with the host among them.", as: code)
    }
    guard String(signature).isLowerHex(byteCount: SHA256.digestByteCount) else {
      throw Self.malformed("The signature is not 64 hexadecimal digits in lower case.", as: code)
    }
    self.signedHeaders = names
    self.signature = String(signature)
  }

  static func malformed(_ message: String, as code: String = "AuthorizationHeaderMalformed") -> VerificationError {
    VerificationError.malformed(message).with(serviceCode: code)
  }

  /// Returns the error for a signature scheme that S3 supports but this verifier does not.
  static func notImplemented(_ message: String) -> VerificationError {
    .s3("NotImplemented", .unsupported, message, remedy: "Sign with AWS4-HMAC-SHA256.")
  }

  static let expressNotImplemented = notImplemented("S3 Express sessions are not supported.")
  static let version4ANotImplemented = notImplemented("Signature Version 4A is not supported.")

  static let unsupportedVersion2 = VerificationError.s3(
    "InvalidRequest", .unsupported,
    "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.",
    remedy: "Sign with AWS4-HMAC-SHA256; Signature Version 2 is not verified.")

  static func unsupportedScheme(_ scheme: some StringProtocol) -> VerificationError {
    if scheme.isIdentical(to: "AWS") { return unsupportedVersion2 }
    if scheme.isIdentical(to: "AWS4-ECDSA-P256-SHA256") { return version4ANotImplemented }
    if scheme.isIdentical(to: "GOOG4-HMAC-SHA256") { return notImplemented("GOOG4-HMAC-SHA256 is not supported.") }
    return .s3(
      "InvalidArgument", .unsupported, "The scheme of the authorization is not AWS4-HMAC-SHA256.",
      remedy: "Sign with AWS4-HMAC-SHA256.")
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = droppingBlanks
    while let shorterText = text.removingByteSuffix(" ") { text = shorterText }
    return text
  }
}

extension VerificationError {
  static func s3(_ serviceCode: String, _ code: Code, _ message: String, remedy: String) -> VerificationError {
    VerificationError(code, message, remedy: remedy).with(serviceCode: serviceCode)
  }
}
