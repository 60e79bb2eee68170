// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import CredentialSources
internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The AWS4-HMAC-SHA256 signature of Amazon's services other than S3, as separate steps for signing and verifying.
///
/// The path, always `/`, needs no encoding. Page: "Create a signed AWS API request" in the IAM User Guide.
package struct SigV4Signature: ScopedSignature {
  package static let algorithm = "AWS4-HMAC-SHA256"
  package static let secretPrefix = "AWS4"

  package let time: String
  package let scopeParts: [String]

  package init(region: String, service: String, date: Timestamp) {
    time = date.iso8601Basic
    scopeParts = [String(time.prefix(8)), region, service, "aws4_request"]
  }

  package static func signedHeaders(of call: ServiceCall) -> [String] { call.signedHeaders(prefixed: "x-amz-") }

  package static func canonicalRequest(of call: ServiceCall, signing names: [String]) throws(SigningError) -> String {
    try call.canonicalRequest(query: try canonicalQuery(call.query), signing: names, value: collapsingSpaces)
  }

  private static func collapsingSpaces(_ value: String) -> String { value.words(between: " ").joined(separator: " ") }

  /// Returns the encoded query, sorted by the bytes of its encoded names and values.
  private static func canonicalQuery(_ query: String) throws(SigningError) -> String {
    guard let pairs = FormPair.read(query) else { throw SigningError.unreadablePath }
    let encodedPairs = pairs.map { FormPair($0.name.percentEncoded(), $0.value.percentEncoded()) }
    return FormPair.sorted(encodedPairs).map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }
}

/// A signer of requests to Amazon's services other than S3, which adds the date and the session token.
package struct SigV4Signer: ServiceSigner {
  let region: String
  let service: String

  package func sign(_ call: inout ServiceCall, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check(idWithout: .comma)
    var signed = call
    signed.request.headerFields[.amzDate] = context.date.iso8601Basic
    signed.setToken(of: key, named: .amzSecurityToken)
    let signature = SigV4Signature(region: region, service: service, date: context.date)
    signed.request.headerFields[.authorization] = try signature.authorization(
      of: signed, signing: SigV4Signature.signedHeaders(of: signed), with: key)
    call = signed
  }
}

extension HTTPField.Name {
  fileprivate static let amzDate = known("X-Amz-Date")
  fileprivate static let amzSecurityToken = known("X-Amz-Security-Token")
}
