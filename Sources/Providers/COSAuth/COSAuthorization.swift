// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The seven fields of a COS authorization, from the page that ``COSSigner`` names.
struct COSAuthorization {
  static let fieldNames = [
    "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list", "q-signature",
  ]

  let id: String
  let window: COSKeyTime
  /// The decoded, lowercase names of the signed headers.
  let listedHeaders: [String]
  /// The decoded, lowercase names of the signed query parameters.
  let listedParameters: [String]
  let signature: String

  /// Creates an authorization from the value of an `Authorization` header, or of the query parameter `sign`.
  init(_ text: String) throws(VerificationError) {
    var fields: [String: String] = [:]
    for item in text.parts(between: "&") {
      let pair = item.parts(between: "=", maxSplits: 1)
      guard pair.count == 2, Self.fieldNames.contains(String(pair[0])),
        fields.updateValue(String(pair[1]), forKey: String(pair[0])) == nil
      else { throw .malformed("The authorization has a field that is unknown or occurs twice.") }
    }
    try self.init(fields)
  }

  /// Creates an authorization from its fields, of which only the two lists may be empty.
  init(_ fields: [String: String]) throws(VerificationError) {
    guard fields.count == Self.fieldNames.count, let id = fields["q-ak"], !id.isEmpty,
      let signature = fields["q-signature"], !signature.isEmpty, let headerList = fields["q-header-list"],
      let parameterList = fields["q-url-param-list"]
    else { throw .malformed("The authorization lacks one of its seven fields.") }
    guard fields["q-sign-algorithm"] == "sha1" else {
      throw VerificationError(.unsupported, "The algorithm is not sha1.", remedy: "Sign with q-sign-algorithm=sha1.")
    }
    guard let signTime = fields["q-sign-time"], let window = COSKeyTime(signTime) else {
      throw .malformed("The sign time is not two times in seconds, separated by a semicolon.")
    }
    guard fields["q-key-time"] == signTime else { throw .malformed("The key time is not the sign time.") }
    guard window.start <= window.end else { throw .malformed("The sign time ends before it starts.") }
    self.id = id
    self.window = window
    self.signature = signature
    listedHeaders = try Self.names(inList: headerList)
    listedParameters = try Self.names(inList: parameterList)
  }

  /// Parses a list of names, which some SDKs percent-encode and others do not.
  private static func names(inList text: String) throws(VerificationError) -> [String] {
    try text.words(between: ";").map { (name) throws(VerificationError) in
      guard let decoded = name.percentDecoded() else {
        throw .malformed("A list of signed names contains a malformed escape.")
      }
      return decoded.asciiLowercased
    }
  }
}
