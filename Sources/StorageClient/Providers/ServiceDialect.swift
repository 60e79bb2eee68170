package import HTTPTypes
internal import StorageAuth

/// Where the services differ in what they mean alike: the names of headers, the way to page, the spelling of values.
public struct ServiceDialect: Sendable {
  /// What stands before the name of a metadata header, such as `x-oss-meta-`.
  package var metadataPrefix: String
  package var requestID: HTTPField.Name
  /// The header that carries the CRC-64 of an object or a part, in decimal.
  package var checksum: HTTPField.Name
  package var versionID: HTTPField.Name
  package var storageClass: HTTPField.Name
  package var copySource: HTTPField.Name
  package var metadataDirective: HTTPField.Name
  /// The value that makes a copy take its attributes from the request.
  package var replaceMetadata: String
  package var forbidOverwrite: HTTPField.Name
  /// The header that carries the body of an error in Base64 where an answer has no body.
  package var errorInHeader: HTTPField.Name?
  /// The header that carries a finer error code.
  package var detailCode: HTTPField.Name?
  package var paging: Paging
  /// Whether a `+` in a listed name that the service percent-encoded stands for a space.
  package var encodesSpaceAsPlus: Bool

  /// To which requests of an operation headers belong.
  package var scopes: HeaderScopes

  /// How a listing is continued.
  package enum Paging: Sendable {
    /// By a token that the last page held (version 2 of the operation).
    case continuationToken
    /// By the last name of the last page.
    case marker
  }

  /// The dialect of OSS.
  package static let oss = ServiceDialect(
    metadataPrefix: "x-oss-meta-", requestID: .known("x-oss-request-id"), checksum: .known("x-oss-hash-crc64ecma"),
    versionID: .known("x-oss-version-id"), storageClass: .known("x-oss-storage-class"),
    copySource: .known("x-oss-copy-source"), metadataDirective: .known("x-oss-metadata-directive"),
    replaceMetadata: "REPLACE", forbidOverwrite: .known("x-oss-forbid-overwrite"),
    errorInHeader: .known("x-oss-err"), detailCode: .known("x-oss-ec"), paging: .continuationToken,
    encodesSpaceAsPlus: true,
    scopes: HeaderScopes(
      vendor: "x-oss-",
      more: [
        "object-acl": .publication, "server-side-data-encryption": .creation, "range-behavior": .get,
        "complete-all": .complete,
      ]))

  /// The dialect of COS.
  package static let cos = ServiceDialect(
    metadataPrefix: "x-cos-meta-", requestID: .known("x-cos-request-id"), checksum: .known("x-cos-hash-crc64ecma"),
    versionID: .known("x-cos-version-id"), storageClass: .known("x-cos-storage-class"),
    copySource: .known("x-cos-copy-source"), metadataDirective: .known("x-cos-metadata-directive"),
    replaceMetadata: "Replaced", forbidOverwrite: .known("x-cos-forbid-overwrite"),
    errorInHeader: nil, detailCode: nil, paging: .marker, encodesSpaceAsPlus: false,
    scopes: HeaderScopes(
      vendor: "x-cos-",
      more: [
        "acl": .publication, "object-type": .creation, "content-sha1": .put, "return-body": [.put, .complete],
      ]))
}
