internal import HTTPTypes
public import StorageAuth

/// Temporary keys from an address that answers with `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`,
/// as `ALIBABA_CLOUD_CREDENTIALS_URI` names one.
///
/// The `Date` header of the answer tells the server's time.
public struct CredentialsURIProvider: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let url: String
  private let allowsPlainHTTP: Bool
  private let exchange: ServiceExchange

  /// Names the address.
  ///
  /// - Parameters:
  ///   - url: The address; `https`, or `http` on this machine.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed: whoever listens on the way has the keys then.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the request.
  ///   - time: The clocks.
  public init(
    _ url: String, allowsPlainHTTP: Bool = false, timeout: Duration = .seconds(10), transport: any HTTPTransport,
    time: any SigningClock = .system
  ) {
    source = ServiceURL(url).map { "credentials URI \($0.visible)" } ?? "credentials URI"
    self.url = url
    self.allowsPlainHTTP = allowsPlainHTTP
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
  }

  /// Asks the address.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses, `malformedAnswer` if it answers with something
  ///   else, `failed` and `timeout` if it cannot be reached.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Asks the address, and hears the server's time.
  ///
  /// - Returns: A temporary key, with the server's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let address = try RequestCheck(source: source).address(url, allowsPlainHTTP: allowsPlainHTTP)
    let call = address.call(.get)
    let answer = try await exchange.send { () async throws(CredentialError) in
      PreparedCall(call, masks: call.confidentialWords)
    }
    let refusal = answer.alibabaRefusal
    guard answer.isSuccess, refusal == nil else {
      throw RefusalRules.alibaba.error(
        for: answer, refusal, source: source, fallback: "Check the address, and what serves it.")
    }
    let reader = AnswerReader(
      source: source, remedy: "Let it answer with AccessKeyId, AccessKeySecret, SecurityToken and Expiration.")
    return try reader.alibabaKey(in: try reader.object(answer), at: answer.issuerTime)
  }
}

extension CredentialsURIProvider: CustomStringConvertible, CustomReflectable {
  /// The address without its query, which may hold a login.
  public var description: String { "CredentialsURIProvider(\(source))" }

  /// A mirror without the query.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
