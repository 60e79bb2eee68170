internal import HTTPTypes
public import StorageAuth
internal import StorageJSON

/// Temporary keys of the task or the pod that the program runs in (ECS, EKS Pod Identity), from the address that the
/// platform names in the environment.
///
/// `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` is a path at `http://169.254.170.2` and goes before
/// `AWS_CONTAINER_CREDENTIALS_FULL_URI`, which may be `https` to any host, and `http` to this machine and to the addresses
/// of the platform alone. The header `Authorization` comes from the file that `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE`
/// names, read anew each time, or from `AWS_CONTAINER_AUTHORIZATION_TOKEN`. The service is asked up to three times. The
/// transport must not send these requests through a proxy. Page: "Container credential provider" of the SDK reference.
public struct AmazonContainerProvider: CredentialProvider {
  private static let relativeName = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
  private static let fullName = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
  private static let fileName = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
  private static let tokenName = "AWS_CONTAINER_AUTHORIZATION_TOKEN"

  /// The addresses of the platform that may be asked without encryption.
  private static let platformHosts = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]

  private static let tries = 3

  /// The name of the source.
  public let source = "Amazon container"

  private let machine: ProviderContext
  private let exchange: ServiceExchange

  /// Sets up a provider.
  ///
  /// - Parameters:
  ///   - machine: What may be touched.
  ///   - timeout: The most time for each answer.
  public init(machine: ProviderContext, timeout: Duration = .seconds(2)) {
    self.machine = machine
    exchange = ServiceExchange(source: source, transport: machine.transport, time: machine.time, timeout: timeout)
  }

  /// Asks the service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `notConfigured` if the environment names no address, `failed` if it names one that may
  ///   not be asked or cannot be reached, `rejected` if the service refuses, `malformedAnswer`, `timeout`.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Asks the service, and hears its time.
  ///
  /// - Returns: A temporary key, with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let call = try address().call(.get, headers: try headers())
    let reader = AnswerReader(source: source, remedy: "Check that the address is that of the platform.")
    var tries = Self.tries
    while true {
      tries -= 1
      do throws(CredentialError) {
        let answer = try await exchange.send { () async throws(CredentialError) in
          PreparedCall(call, masks: call.confidentialWords)
        }
        guard answer.isSuccess else {
          throw RefusalRules.amazon.error(
            for: answer, answer.containerRefusal, source: source,
            fallback: "Check the role of the task or of the pod.")
        }
        return try reader.amazonKey(in: try reader.object(answer), token: "Token", at: answer.issuerTime)
      } catch {
        guard error.isRetryable, error.code != .malformedAnswer, tries > 0 else { throw error }
      }
    }
  }

  private var place: SettingLocation {
    SettingLocation(source: source, name: "The environment", remedy: "Let the platform set \(Self.relativeName).")
  }

  private func address() throws(CredentialError) -> ServiceURL {
    if let path = machine.variable(Self.relativeName) {
      guard path.hasBytePrefix("/"), let address = ServiceURL("http://169.254.170.2\(path)") else {
        throw place.error(.failed, "sets \(Self.relativeName) to what is no path", remedy: "Begin it with a slash.")
      }
      return address
    }
    guard let url = machine.variable(Self.fullName) else {
      throw place.error(.notConfigured, "sets neither \(Self.relativeName) nor \(Self.fullName)")
    }
    guard let address = ServiceURL(url) else {
      throw place.error(
        .failed, "sets \(Self.fullName) to what is no URL",
        remedy: "Write it like http://169.254.170.23/v1/credentials.")
    }
    guard address.isPrivate || Self.platformHosts.contains(hostWithoutPort(address.authority)) else {
      throw place.error(
        .failed, "names \(address.visible) in \(Self.fullName), which is not encrypted and no address of the platform",
        remedy: "Use https, this machine, or an address of the platform.")
    }
    return address
  }

  /// The header that tells the platform which task or pod asks.
  private func headers() throws(CredentialError) -> HTTPFields {
    guard let (token, place) = try token() else { return [:] }
    // A line break would begin another header.
    guard !token.isEmpty, HTTPField.isValidValue(token) else {
      throw place.error(.failed, "holds what cannot be the value of a header", remedy: "Write it without a line break.")
    }
    return [.authorization: token]
  }

  private func token() throws(CredentialError) -> (text: String, place: SettingLocation)? {
    guard let path = machine.variable(Self.fileName) else {
      guard let text = machine.environment(Self.tokenName), text.trimmed != nil else { return nil }
      return (text, SettingLocation(source: source, name: "The variable \(Self.tokenName)", remedy: place.remedy))
    }
    let file = SettingLocation(
      source: source, name: "The token file \(path)", remedy: "See whether the platform has mounted it.")
    guard let absolute = machine.absolute(path), let contents = try machine.read(absolute, at: file) else {
      throw file.error(.failed, "is not there")
    }
    guard let text = String(validating: contents.bytes, as: UTF8.self) else { throw file.malformed("holds no text") }
    return (text, file)
  }
}

extension ServiceAnswer {
  /// The code and the message of a refusal of the platform: `{"code", "message"}`.
  fileprivate var containerRefusal: ServiceRefusal? {
    guard let object, let code = object["code"]?.string ?? object["Code"]?.string else { return nil }
    return ServiceRefusal(code: code, message: object["message"]?.string ?? object["Message"]?.string ?? "")
  }
}
