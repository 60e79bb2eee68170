// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth

/// The service-specific names and formats of operations that the services share: header names, paging, and values.
///
/// A custom provider starts from the prefix of its headers and sets what differs:
///
/// ```swift
/// var dialect = ServiceDialect(headerPrefix: "x-acme-", paging: .marker)
/// dialect.forbidOverwrite = HTTPField.Name("x-acme-forbid-overwrite").map { HTTPField(name: $0, value: "true") }
/// ```
public struct ServiceDialect: Sendable {
  /// The prefix of the names of metadata headers, in lower case, such as `x-oss-meta-`.
  public var metadataPrefix: String

  /// The header with the id of a request.
  public var requestID: HTTPField.Name

  /// The headers that carry the checksum of an object or a part; the first one determines the algorithm of uploads.
  public var checksums: [ChecksumHeader] = []

  /// Whether the response to a range request carries the checksum of the whole object.
  public var rangesTellChecksum = true

  /// The header with the version of an object.
  public var versionID: HTTPField.Name

  /// The header with the storage class of an object.
  public var storageClass: HTTPField.Name

  /// The header that names the source of a copy.
  public var copySource: HTTPField.Name

  /// The header that selects whether a copy takes its attributes from the source or from the request.
  public var metadataDirective: HTTPField.Name

  /// The value of ``metadataDirective`` that makes a copy take its attributes from the request.
  public var replaceMetadata: String

  /// The header field that forbids overwriting an object, or `nil` if the service has none.
  public var forbidOverwrite: HTTPField?

  /// Whether an upload can be conditional on the entity tag of the object that it replaces (`If-Match`).
  public var overwritesConditionally = false

  /// The header that carries an error's body in Base64 if a response has no body, or `nil` if the service has none.
  public var errorInHeader: HTTPField.Name?

  /// The header that carries a more specific error code, or `nil` if the service has none.
  public var detailCode: HTTPField.Name?

  /// The way in which a listing is continued.
  public var paging: Paging

  /// Whether a `+` in a percent-encoded name of a listing represents a space.
  public var encodesSpaceAsPlus: Bool

  /// The algorithm of the checksums that the client computes.
  var algorithm: ObjectChecksum.Algorithm { checksums.first?.algorithm ?? .crc64 }

  /// The requests of an operation that headers apply to.
  package var scopes: HeaderScopes

  /// A way of continuing a listing.
  public enum Paging: Sendable, Hashable {
    /// A token from the previous page (version 2 of the operation).
    case continuationToken
    /// The last name of the previous page.
    case marker
  }

  /// Creates the dialect of a service that uses the common header names with its own prefix.
  ///
  /// The dialect has no checksum, no way to forbid overwriting and no error header until they are set.
  ///
  /// - Parameters:
  ///   - headerPrefix: The prefix of the service's own headers, in lower case, such as `x-oss-`; it must be valid at
  ///     the start of a header name.
  ///   - paging: The way in which a listing is continued.
  ///   - encodesSpaceAsPlus: Whether a `+` in a percent-encoded name of a listing represents a space.
  ///   - scopes: The requests that additional headers apply to, by their names without the prefix; a header that is in
  ///     none of the client's tables is sent with every request of an operation.
  ///   - standardScopes: The requests that headers without the prefix apply to, if they differ from those of most
  ///     services; names are in lower case.
  public init(
    headerPrefix: String, paging: Paging, encodesSpaceAsPlus: Bool = false, scopes: [String: HeaderScope] = [:],
    standardScopes: [String: HeaderScope] = [:]
  ) {
    func name(_ suffix: String) -> HTTPField.Name {
      if let name = HTTPField.Name("\(headerPrefix)\(suffix)") { return name }
      assertionFailure("\"\(headerPrefix)\" cannot begin the name of a header.")
      return .known("x-mistyped-name")
    }
    metadataPrefix = "\(headerPrefix)meta-"
    requestID = name("request-id")
    versionID = name("version-id")
    storageClass = name("storage-class")
    copySource = name("copy-source")
    metadataDirective = name("metadata-directive")
    replaceMetadata = "REPLACE"
    self.paging = paging
    self.encodesSpaceAsPlus = encodesSpaceAsPlus
    self.scopes = HeaderScopes(prefix: headerPrefix, more: scopes, standard: standardScopes)
  }
}

extension HTTPFields {
  /// Adds the field that forbids overwriting an object.
  ///
  /// - Throws: ``StorageError/Code/invalidOption`` if the service has none.
  mutating func forbidOverwrite(in dialect: ServiceDialect) throws(StorageError) {
    guard let field = dialect.forbidOverwrite else {
      throw StorageError(
        .invalidOption, "The service has no way to forbid overwriting.",
        remedy: "Check whether the object exists first, or choose a key that is used only once.")
    }
    self[field.name] = field.value
  }
}
