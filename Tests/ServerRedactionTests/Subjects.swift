// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import StorageClient
import StorageDiagnosis

/// An instance of every public type of the client and the servers that can hold a secret, built with recognizable ones.
///
/// `Tests/RedactionTests/check-redaction-coverage.py` compares the names with the symbol graphs: a public type that is
/// missing here fails.
enum Subjects {
  /// The mark that must not appear in any encoding; it consists of characters that no encoding changes.
  static let mark = "M4RK"
  static let secret = "\(mark)/secret+key="
  static let token = "\(mark)-token-of-the-session"

  static let date = Timestamp(unixSeconds: 1_795_161_600)
  static let key = AccessKey(
    id: "AKIDexample", secret: secret, sessionToken: token, expiration: date.advanced(by: .seconds(3_600)))

  /// The key for types that use the real clock.
  static let lasting = AccessKey(id: "AKIDexample", secret: secret, sessionToken: token)

  /// Returns the instances, each under the name of its type.
  static func all() async throws -> [(name: String, value: Any)] {
    try await diagnosis() + client() + transfers() + server() + cloud()
  }

  /// Types of StorageDiagnosis whose instances hold no secret, with the reason.
  static let holdsNothingOfDiagnosis: [String: String] = [
    "StorageDiagnosis.SignatureDiagnosis.Cause": "an enumeration without payload",
    "StorageDiagnosis.CopiedTextKind": "an enumeration without payload",
    "StorageDiagnosis.RefusalMeaning": "an enumeration without payload",
    "StorageDiagnosis.SignedPart": "names of headers and parameters",
    "StorageDiagnosis.SignedService": "names of a bucket and a region",
  ]

  /// Returns a request with a token, and the response of a service that echoes the complete request.
  static func refusal() throws -> (request: HTTPRequest, response: HTTPResponse, document: String) {
    var request = HTTPRequest(
      method: .put, scheme: "https", authority: "photos.oss-cn-hangzhou.aliyuncs.com", path: "/a")
    let signer = OSSSigner(.v1, bucket: "photos")
    let text = try signer.prepare(request, as: key.identity, in: .at(date)).stringToSign
    try signer.sign(&request, with: key, in: .at(date))
    let document = """
      <Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message>\
      <StringToSign>\(text.replacing("PUT\n\n\n", with: "PUT\n\ntext/plain\n"))</StringToSign></Error>
      """
    var response = HTTPResponse(status: .forbidden)
    response.headerFields[.contentType] = "application/xml"
    return (request, response, document)
  }

  private static func diagnosis() throws -> [(String, Any)] {
    let (request, response, document) = try refusal()
    let answer = RejectedResponse(response, body: Array(document.utf8))
    let diagnosis = SignatureDiagnosis(of: answer, to: request, signedFor: .oss(bucket: "photos"))
    let url = try OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou").presign(
      HTTPRequest(method: .get, scheme: "https", authority: request.authority, path: "/a"), with: key,
      validFor: .seconds(60), in: .at(date))
    var parts = SignedParts()
    parts.add(.header("x-oss-security-token"), token)
    return [
      ("StorageDiagnosis.RejectedResponse", answer), ("StorageDiagnosis.RejectedResponse", RejectedResponse(document)),
      ("StorageDiagnosis.RejectedResponse", RejectedResponse("SignatureDoesNotMatch for \(url.url)")),
      ("StorageDiagnosis.SignatureDiagnosis", try present(diagnosis)),
      ("StorageDiagnosis.RejectedResponse.Reading", answer.reading(by: SignedService.oss().reader)),
      ("StorageDiagnosis.SignatureFinding", SignatureFinding(.headerChanged, line: "a", sent: secret, received: token)),
      ("StorageDiagnosis.SignatureReading", try present(SignedService.oss().reader.signature(of: request))),
      ("StorageDiagnosis.SignedParts", parts),
    ]
  }

  /// Returns a value that a test requires.
  static func present<Value>(_ value: Value?) throws -> Value {
    guard let value else {
      throw CredentialError(.failed, source: "the test", "The value is missing.", remedy: "Check the test.")
    }
    return value
  }
}
