public import HTTPTypes
internal import StorageAuth

/// Where the services differ in what they mean alike: the names of headers, the way to page, the spelling of values.
///
/// A provider of one's own starts from the prefix of its headers and sets what differs:
///
/// ```swift
/// var dialect = ServiceDialect(headerPrefix: "x-acme-", paging: .marker)
/// dialect.forbidOverwrite = HTTPField.Name("x-acme-forbid-overwrite").map { HTTPField(name: $0, value: "true") }
/// ```
public struct ServiceDialect: Sendable {
  /// The beginning of the names of metadata headers, in lower case, such as `x-oss-meta-`.
  public var metadataPrefix: String

  /// The header with the id of a request.
  public var requestID: HTTPField.Name

  /// The headers that carry the checksum of an object or a part; the first one's algorithm is that of uploads.
  public var checksums: [ChecksumHeader] = []

  /// Whether a range is answered with the checksum of the whole object.
  public var rangesTellChecksum = true

  /// The header with the version of an object.
  public var versionID: HTTPField.Name

  /// The header with the storage class of an object.
  public var storageClass: HTTPField.Name

  /// The header that names the source of a copy.
  public var copySource: HTTPField.Name

  /// The header that says whose attributes a copy takes.
  public var metadataDirective: HTTPField.Name

  /// The value that makes a copy take its attributes from the request.
  public var replaceMetadata: String

  /// The field that forbids to overwrite an object, or `nil` if the service has none.
  public var forbidOverwrite: HTTPField?

  /// Whether an upload can depend on the entity tag of the object that it replaces (`If-Match`).
  public var overwritesConditionally = false

  /// The header that carries the body of an error in Base64 where an answer has no body, or `nil` if the service has none.
  public var errorInHeader: HTTPField.Name?

  /// The header that carries a finer error code, or `nil` if the service has none.
  public var detailCode: HTTPField.Name?

  /// How a listing is continued.
  public var paging: Paging

  /// Whether a `+` in a listed name that the service percent-encoded stands for a space.
  public var encodesSpaceAsPlus: Bool

  /// The algorithm of the checksums that the client computes.
  var algorithm: ObjectChecksum.Algorithm { checksums.first?.algorithm ?? .crc64 }

  /// To which requests of an operation headers belong.
  package var scopes: HeaderScopes

  /// How a listing is continued.
  public enum Paging: Sendable, Hashable {
    /// By a token that the last page held (version 2 of the operation).
    case continuationToken
    /// By the last name of the last page.
    case marker
  }

  /// Creates the dialect of a service whose headers are named as those of the others, behind a prefix of its own.
  ///
  /// There is no checksum, no way to forbid overwriting and no error in a header until they are set.
  ///
  /// - Parameters:
  ///   - headerPrefix: The beginning of the service's own headers, in lower case, such as `x-oss-`; it has to be one that
  ///     the name of a header can begin with.
  ///   - paging: How a listing is continued.
  ///   - encodesSpaceAsPlus: Whether a `+` in a listed name that the service percent-encoded stands for a space.
  ///   - scopes: The requests that further headers belong to, by their names behind the prefix; one that is in none of the
  ///     client's tables goes with every request of an operation.
  ///   - standardScopes: The requests that headers without the prefix belong to, where the service takes them with other
  ///     requests than most services do; names are in lower case.
  public init(
    headerPrefix: String, paging: Paging, encodesSpaceAsPlus: Bool = false, scopes: [String: HeaderScope] = [:],
    standardScopes: [String: HeaderScope] = [:]
  ) {
    func name(_ suffix: String) -> HTTPField.Name {
      if let name = HTTPField.Name("\(headerPrefix)\(suffix)") { return name }
      assertionFailure("\"\(headerPrefix)\" begins no name of a header.")
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
  /// Forbids to overwrite an object.
  ///
  /// - Throws: ``StorageError/Code/invalidOption`` if the service has no way to.
  mutating func forbidOverwrite(in dialect: ServiceDialect) throws(StorageError) {
    guard let field = dialect.forbidOverwrite else {
      throw StorageError(
        .invalidOption, "The service has no way to forbid overwriting.",
        remedy: "Look whether there is an object of that key first, or choose a key that is used once.")
    }
    self[field.name] = field.value
  }
}
