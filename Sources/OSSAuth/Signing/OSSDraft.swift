internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A request with everything that its signature covers, and the way to that signature.
struct OSSDraft {
  /// The request; only the signature is missing.
  var request: HTTPRequest
  /// The path with what the signature covers in a URL; nothing for a signature in the headers.
  var path: String?
  /// Where the bucket comes from.
  let resource: OSSResource
  /// When it is signed.
  let date: Timestamp
  /// The line that stands for the date in V1.
  let dateLine: String
  /// When the authorization ends.
  let expiration: Timestamp?

  /// Names of parameters that the request must not have; those of a URL were looked at before its own were added.
  var refused: NameTable? { path == nil ? OSSSigner.signatureParameters : nil }
}

extension OSSSigner {
  /// Makes everything of a header signature but the signature.
  func draft(
    _ original: HTTPRequest, token: HTTPField?, date: Timestamp
  ) throws(SigningError) -> OSSDraft {
    let resource = try resource(of: original)
    var request = original
    request.headerFields.reserveCapacity(original.headerFields.count + 4)
    var dateLine = ""
    switch version {
    case .v4:
      request.headerFields.replace(HTTPField(name: .ossDate, value: date.iso8601Basic))
      request.headerFields.replace(OSSText.unsignedPayloadField)
    case .v1:
      dateLine = try setDate(of: &request, to: date)
    }
    if let token {
      request.headerFields.replace(token)
    } else if request.headerFields.contains(.ossSecurityToken) {
      request.headerFields[.ossSecurityToken] = nil
    }
    return OSSDraft(
      request: request, resource: resource, date: date, dateLine: dateLine, expiration: nil)
  }

  /// Sets the date of a V1 request; one that the caller chose with `x-oss-date` wins, as it does at the service.
  private func setDate(of request: inout HTTPRequest, to date: Timestamp) throws(SigningError) -> String {
    guard let chosen = request.headerFields[.ossDate] else {
      let text = date.httpDate
      request.headerFields.replace(HTTPField(name: .date, value: text))
      return text
    }
    guard Timestamp(httpDate: chosen) != nil else {
      throw SigningError(
        .invalidHeader, "The header x-oss-date is not a date as HTTP writes it.",
        remedy: "Write it like Fri, 20 Nov 2026 08:00:00 GMT, or leave it out: the signer sets Date.")
    }
    if request.headerFields.contains(.date) { request.headerFields.replace(HTTPField(name: .date, value: chosen)) }
    return chosen
  }

  /// What carries a signature in a URL.
  static let signatureParameters = NameTable([
    "Signature", "OSSAccessKeyId", "Expires", "x-oss-signature", "x-oss-credential", "x-oss-signature-version",
  ])
}
