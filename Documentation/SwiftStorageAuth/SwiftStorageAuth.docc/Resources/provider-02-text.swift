import HTTPTypes
import StorageAuth

extension HTTPField.Name {
  /// The header with the session token of a temporary key.
  static let acmeToken: HTTPField.Name = {
    guard let name = HTTPField.Name("x-acme-security-token") else { preconditionFailure("not the name of a header") }
    return name
  }()
}

/// The string to sign of Acme Storage.
struct AcmeStringToSign {
  /// The bucket, the key and the parameters of the request.
  let target: RequestTarget
  let text: String

  init(of request: HTTPRequest) throws(VerificationError) {
    target = try RequestTarget(of: request, style: .path)
    var lines = [request.method.rawValue, request.authority ?? "", request.path ?? "/"]
    for name in [HTTPField.Name.date, .contentType, .acmeToken] {
      lines.append(try request.headerFields.uniqueValue(for: name) ?? "")
    }
    text = lines.joined(separator: "\n")
  }
}
