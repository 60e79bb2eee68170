// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The formats in which a vendor's app server and instance metadata return temporary credentials.
protocol KeyDocuments: Sendable {
  /// The service that the credentials are for.
  var provider: LocalCloud.Provider { get }

  /// The path of the app server.
  var appServerPath: String { get }

  /// The accepted prefixes of the token in the `Authorization` header of requests to the app server.
  var authorizationPrefixes: [String] { get }

  /// Returns the app server's document with a credential.
  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue

  /// Returns the app server's document for an error.
  func appServerDocument(for error: RefusalAnswer) -> JSONValue

  /// The paths of the instance metadata, to which the name of a role is appended.
  var metadataPaths: [String] { get }

  /// The headers of metadata tokens (IMDSv2), or `nil` if the vendor has none.
  var metadataToken: MetadataToken? { get }

  /// Returns the instance metadata's document with a credential.
  func metadataDocument(_ key: IssuedKey) -> JSONValue
}

extension KeyDocuments {
  var authorizationPrefixes: [String] { ["Bearer "] }
}

/// The headers of metadata tokens.
struct MetadataToken: Sendable {
  /// The header that requests the lifetime of a token, in seconds.
  let lifeHeader: String

  /// The header that carries the token.
  let header: String

  /// The status of the response to a request without a required token, or with an expired token.
  var refusal = HTTPResponse.Status.forbidden
}
