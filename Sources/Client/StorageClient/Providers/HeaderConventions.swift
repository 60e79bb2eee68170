// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The service-specific parts of the protocol that services share: header names, paging, values, and documents.
///
/// A custom provider starts from the prefix of its headers and sets what differs from the common conventions:
///
/// ```swift
/// var conventions = HeaderConventions(headerPrefix: "x-acme-", paging: .marker)
/// conventions.forbidOverwrite = HTTPField.Name("x-acme-forbid-overwrite").map { HTTPField(name: $0, value: "true") }
/// ```
public struct HeaderConventions: Sendable {
  /// The prefix of the metadata header names, in lowercase, such as `x-oss-meta-`.
  public var metadataPrefix: String
  /// The name of the response header that contains the request ID.
  public var requestID: HTTPField.Name
  /// The response headers with the checksum of an object or a part; the first one determines the algorithm for uploads.
  public var checksums: [ChecksumHeader] = []
  /// Whether the response to a range request contains the checksum of the whole object.
  public var rangesTellChecksum = true
  /// The name of the response header that contains the version of an object.
  public var versionID: HTTPField.Name
  /// The name of the header that contains the storage class of an object.
  public var storageClass: HTTPField.Name
  /// The name of the request header that specifies the source of a copy.
  public var copySource: HTTPField.Name
  /// The name of the request header that selects whether a copy takes its attributes from the source or the request.
  public var metadataDirective: HTTPField.Name
  /// The value of the ``metadataDirective`` header that makes a copy take its attributes from the request.
  public var replaceMetadata: String
  /// The request header that forbids overwriting an object, or `nil` if the service has no such header.
  public var forbidOverwrite: HTTPField?
  /// Whether the service ignores ``forbidOverwrite`` in a bucket whose versioning is enabled or suspended.
  public var overwritesWithVersioning = false
  /// Whether the service supports uploads that are conditional on the entity tag of the replaced object (`If-Match`).
  public var overwritesConditionally = false
  /// The name of the header with an error document in Base64 if a response has no body, or `nil` if there is none.
  public var errorInHeader: HTTPField.Name?
  /// The name of the header that contains a more specific error code, or `nil` if the service has no such header.
  public var detailCode: HTTPField.Name?

  /// The name of the request header that makes the service call a server of the app after an upload, or `nil`.
  ///
  /// The service responds to such an upload with the body of the server's response.
  public var callback: HTTPField.Name?

  /// The names of further request headers that replace the service's document in the response to an upload.
  var documentReplacingHeaders: [HTTPField.Name] = []
  /// The suffixes of bucket aliases; documents contain the name of the bucket itself.
  var aliasSuffixes: [String] = []
  /// Whether documents can contain the bucket name without the account number at its end.
  var omitsAccountNumber = false
  /// The method by which a request for the next page of a listing continues the previous page.
  public var paging: Paging
  /// Whether a `+` in a percent-encoded name of a listing represents a space.
  public var encodesSpaceAsPlus: Bool
  /// The format of the service's documents, or `nil` for the XML that most services share.
  public var documents: (any DocumentFormat)?

  /// The format of the documents, with which the client reads and writes bodies.
  var format: any DocumentFormat { documents ?? XMLDocuments(conventions: self) }
  /// The algorithm of the checksums that the client computes.
  var algorithm: ObjectChecksum.Algorithm { checksums.first?.algorithm ?? .crc64 }

  /// The suffixes of the service's hosts, on all of which the name of a bucket means the same bucket.
  package var domains: [String] = []
  var scopes: HeaderScopes

  /// A method by which a request for the next page of a listing continues the previous page.
  public enum Paging: Sendable, Hashable {
    /// The request contains a continuation token from the previous page (version 2 of the list operation).
    case continuationToken
    /// The request contains the last name of the previous page.
    case marker
  }

  /// Creates the conventions of a service that uses the common header names with a service-specific prefix.
  ///
  /// Until the properties are set, there are no checksum headers, no error header, and none that forbids overwriting.
  ///
  /// - Parameters:
  ///   - headerPrefix: The lowercase prefix of the service's own headers, such as `x-oss-`, valid in a header name.
  ///   - paging: The method by which a request for the next page of a listing continues the previous page.
  ///   - encodesSpaceAsPlus: Whether a `+` in a percent-encoded name of a listing represents a space.
  ///   - scopes: The kinds of requests that additional headers apply to, by header name without the prefix. A header
  ///     that is in none of the client's tables is sent with every request of an operation.
  ///   - standardScopes: The same for headers without the prefix, by lowercase name, if they differ from those of most
  ///     services.
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
    self.scopes = HeaderScopes(prefix: headerPrefix, additional: scopes, standard: standardScopes)
  }
}

/// An HTTP header in which a service reports the checksum of an object or a part.
public struct ChecksumHeader: Sendable, Hashable {
  /// The name of the header that contains the checksum.
  public let name: HTTPField.Name
  /// The algorithm of the checksum in the header.
  public let algorithm: ObjectChecksum.Algorithm
  /// The encoding of the checksum in the header.
  public let spelling: Spelling

  /// An encoding of a checksum in a header.
  public enum Spelling: Sendable, Hashable {
    /// The checksum is encoded as decimal digits.
    case decimal
    /// The checksum is encoded as the Base64 of its bytes, most significant byte first.
    case base64
  }

  /// Creates the description of a checksum header; the parameters are the properties.
  public init(_ name: HTTPField.Name, _ algorithm: ObjectChecksum.Algorithm, spelling: Spelling = .decimal) {
    self.name = name
    self.algorithm = algorithm
    self.spelling = spelling
  }

  func field(with checksum: ObjectChecksum) -> HTTPField {
    HTTPField(name: name, value: spelling == .decimal ? "\(checksum.value)" : checksum.base64)
  }

  /// Parses a header value, or returns `nil` for another format, such as the checksum of the parts' checksums.
  func checksum(parsing text: String) -> ObjectChecksum? {
    switch spelling {
    case .decimal: return UInt64(text, radix: 10).map { ObjectChecksum(algorithm, $0) }
    case .base64:
      guard let bytes = [UInt8](base64: text), bytes.count == algorithm.crc.byteCount else { return nil }
      return ObjectChecksum(algorithm, bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}

extension HTTPFields {
  func checksum(in headers: [ChecksumHeader]) -> ObjectChecksum? {
    headers.lazy.compactMap { header in value(of: header.name).flatMap(header.checksum(parsing:)) }.first
  }
}
