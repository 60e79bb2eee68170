// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The formats in which a vendor's app server and instance metadata service return temporary credentials.
struct KeyDocuments: Sendable {
  let provider: LocalCloud.Provider
  let appServerPath: String
  /// The accepted prefixes of the app token in the `Authorization` header of requests to the app server.
  var authorizationPrefixes = ["Bearer "]
  /// The paths of the vendor's instance metadata with credentials, without the role name that follows.
  let metadataPaths: [String]
  /// The headers for metadata tokens (IMDSv2), or `nil` if the vendor's metadata service has no tokens.
  var metadataToken: MetadataToken?
  let appServerDocument: @Sendable (_ key: RevealedKey, _ requestID: String) -> JSONValue
  let errorDocument: @Sendable (ErrorResponse) -> JSONValue
  let metadataDocument: @Sendable (RevealedKey) -> JSONValue
}

/// The headers that a vendor's instance metadata service uses for metadata tokens (IMDSv2).
struct MetadataToken: Sendable {
  /// The name of the header that requests the lifetime of a new token, in seconds.
  let lifetimeHeader: String
  let header: String
  /// The status of the response to a request with a missing, invalid or expired token.
  var rejectionStatus = HTTPResponse.Status.forbidden
}
