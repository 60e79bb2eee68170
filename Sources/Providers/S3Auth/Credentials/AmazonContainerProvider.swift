// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys for the ECS task or the EKS pod in which the process runs.
///
/// The URL is specified by `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, a path at `http://169.254.170.2`, or else by
/// `AWS_CONTAINER_CREDENTIALS_FULL_URI`: with `https`, or with `http` to this machine or to the platform's addresses.
///
/// The header `Authorization` is read for each credential from the file in `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE`, or
/// from `AWS_CONTAINER_AUTHORIZATION_TOKEN`. Up to three requests are sent. The transport must not send them through a
/// proxy. Page: "Container credential provider",
/// <https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html>.
public struct AmazonContainerProvider: CredentialProvider {
  private static let relativeURIVariable = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
  private static let fullURIVariable = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
  private static let tokenFileVariable = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
  private static let tokenVariable = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
  /// The hosts of the container platform, to which requests may be sent without encryption.
  private static let platformHosts = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]
  private static let platformURL = "http://169.254.170.2"
  /// The maximum number of requests, without pauses between them: the platform is on this machine.
  private static let attemptLimit = 3
  /// The timeout of an attempt: the platform is on this machine, and a chain has other sources to try.
  private static let timeout = Duration.seconds(2)

  /// The provider's name, for error messages.
  public let source = "Amazon container"

  /// Creates a provider for the task or the pod in which the process runs.
  public init() {}

  /// Requests a temporary key from the container platform and returns it with the platform's time.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if the environment specifies no URL; `failed` if the URL is not
  ///   allowed or cannot be reached; `rejected` if the platform refuses the request; `malformedResponse` if the
  ///   response has no usable key; `timeout` if the platform does not respond in time.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let call = try configuredURL(in: context).call(.get, headers: try authorizationHeader(in: context))
    let exchange = try ServiceExchange(source: source, in: context, timeout: Self.timeout)
    let reader = CredentialReader(source: source, remedy: "Check that the address is that of the platform.")
    var remainingAttempts = Self.attemptLimit
    while true {
      remainingAttempts -= 1
      do throws(CredentialError) {
        let response = try await exchange.send { () async throws(CredentialError) in
          PreparedCall(call, masks: call.confidentialValues)
        }
        guard response.isSuccess else {
          throw RefusalRules.amazon.error(
            for: response, response.containerRefusal, source: source,
            fallbackRemedy: "Check the role of the task or of the pod.")
        }
        return try reader.amazonKey(in: try reader.object(response), tokenField: "Token", at: response.issuerTime)
      } catch {
        // A second response would be as unreadable as the first.
        guard error.isRetryable, error.code != .malformedResponse, remainingAttempts > 0 else { throw error }
      }
    }
  }

  private var environmentLocation: SettingLocation {
    SettingLocation(
      source: source, name: "The environment", remedy: "Let the platform set \(Self.relativeURIVariable).")
  }

  /// Returns the URL in the environment, to which the request and its token may be sent.
  private func configuredURL(in context: ProviderContext) throws(CredentialError) -> ServiceURL {
    if let path = context.variable(Self.relativeURIVariable) {
      guard path.hasBytePrefix("/"), let url = ServiceURL(Self.platformURL + path) else {
        throw environmentLocation.error(
          .failed, "sets \(Self.relativeURIVariable) to an invalid path", remedy: "Begin it with a slash.")
      }
      return url
    }
    guard let text = context.variable(Self.fullURIVariable) else {
      throw environmentLocation.error(
        .notConfigured, "sets neither \(Self.relativeURIVariable) nor \(Self.fullURIVariable)")
    }
    guard let url = ServiceURL(text) else {
      throw environmentLocation.error(
        .failed, "sets \(Self.fullURIVariable) to an invalid URL",
        remedy: "Write it like http://169.254.170.23/v1/credentials.")
    }
    guard url.isConfidential || Self.platformHosts.contains(hostWithoutPort(url.authority)) else {
      throw environmentLocation.error(
        .failed, "names \(url.visible) in \(Self.fullURIVariable), which is neither encrypted nor the platform's",
        remedy: "Use https, this machine, or an address of the platform.")
    }
    return url
  }

  private func authorizationHeader(in context: ProviderContext) throws(CredentialError) -> HTTPFields {
    guard let (token, tokenLocation) = try configuredToken(in: context) else { return [:] }
    // A line break would start another header.
    guard !token.isEmpty, HTTPField.isValidValue(token) else {
      throw tokenLocation.error(
        .failed, "is not valid as the value of a header", remedy: "Write it without a line break.")
    }
    return [.authorization: token]
  }

  /// Returns the token in the file or the variable; a file that is named must exist.
  private func configuredToken(
    in context: ProviderContext
  ) throws(CredentialError) -> (text: String, location: SettingLocation)? {
    if let path = context.variable(Self.tokenFileVariable) {
      let location = SettingLocation(
        source: source, name: "The token file \(path)", remedy: "See whether the platform has mounted it.")
      guard let absolute = context.absolute(path), let contents = try context.files.read(absolute, at: location) else {
        throw location.error(.failed, "is not there")
      }
      guard let text = String(utf8: contents.bytes) else { throw location.malformed("holds no text") }
      return (text, location)
    }
    // A variable of blanks counts as unset. Other blanks are kept, because the platform compares the token as it is.
    guard let text = context.environment(Self.tokenVariable), text.trimmed != nil else { return nil }
    let location = SettingLocation(
      source: source, name: "The variable \(Self.tokenVariable)", remedy: environmentLocation.remedy)
    return (text, location)
  }
}

extension ServiceResponse {
  /// The refusal of the container platform, with the fields `code` and `message`, or `Code` and `Message`.
  fileprivate var containerRefusal: ServiceRefusal? {
    guard let object, let code = object["code"]?.string ?? object["Code"]?.string else { return nil }
    return ServiceRefusal(code: code, message: object["message"]?.string ?? object["Message"]?.string ?? "")
  }
}
