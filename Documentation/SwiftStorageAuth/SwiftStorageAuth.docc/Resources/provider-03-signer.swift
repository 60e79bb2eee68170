import HTTPTypes
import StorageAuth

/// A signer of requests to Acme Storage, in their headers.
public struct AcmeSigner: Signer {
  /// Creates a signer.
  public init() {}

  /// Signs a request with a date and, for a temporary key, with its session token.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    var signed = request
    signed.headerFields[.date] = context.date.httpDate
    signed.headerFields[.acmeToken] = key.sessionToken?.reveal()
    let code = key.authenticationCode(for: try Self.text(of: signed), using: .hmacSHA256)
    signed.headerFields[.authorization] = "ACME \(key.id.string):\(code.base64)"
    request = signed
  }

  private static func text(of request: HTTPRequest) throws(SigningError) -> String {
    do throws(VerificationError) {
      return try AcmeStringToSign(of: request).text
    } catch {
      throw SigningError(.invalidRequest, error.message, remedy: error.remedy)
    }
  }
}
