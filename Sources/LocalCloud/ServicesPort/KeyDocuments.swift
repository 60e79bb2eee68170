internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// How a cloud's app server and the metadata of its instances hand out keys.
protocol KeyDocuments: Sendable {
  /// The service that the keys are for.
  var provider: LocalCloud.Provider { get }

  /// The path of the app server.
  var appServerPath: String { get }

  /// What may stand before the token in the `Authorization` header of its callers.
  var authorizationPrefixes: [String] { get }

  /// What the app server answers.
  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue

  /// What the app server answers instead of a key.
  func appServerDocument(for error: RefusalAnswer) -> JSONValue

  /// What stands before the name of a role in the paths of the metadata.
  var metadataPaths: [String] { get }

  /// The headers of the token that is got before; `nil` if the cloud has none.
  var metadataToken: MetadataToken? { get }

  /// What the metadata say about a role.
  func metadataDocument(_ key: IssuedKey) -> JSONValue
}

extension KeyDocuments {
  var authorizationPrefixes: [String] { ["Bearer "] }
}

/// The headers of a token of metadata.
struct MetadataToken: Sendable {
  /// The header that asks for a life in seconds.
  let lifeHeader: String

  /// The header that carries the token.
  let header: String

  /// The status of the answer to a request without a token where one is needed, or with one that has ended.
  var refusal = HTTPResponse.Status.forbidden
}
