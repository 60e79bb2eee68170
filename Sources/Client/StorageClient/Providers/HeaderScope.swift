// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A set of the kinds of requests that a header applies to.
public struct HeaderScope: OptionSet, Sendable, Hashable {
  /// The bits of the set, one for each kind of request.
  public let rawValue: UInt8

  /// Creates a set of request kinds from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A request that uploads a whole object.
  public static let put = HeaderScope(rawValue: 1)
  /// A request that initiates a multipart upload.
  public static let initiate = HeaderScope(rawValue: 1 << 1)
  /// A request that uploads a part of a multipart upload.
  public static let part = HeaderScope(rawValue: 1 << 2)
  /// A request that completes a multipart upload.
  public static let complete = HeaderScope(rawValue: 1 << 3)
  /// A request that aborts a multipart upload.
  public static let abort = HeaderScope(rawValue: 1 << 4)
  /// A request that downloads an object or a range of its bytes.
  public static let get = HeaderScope(rawValue: 1 << 5)
  /// A request for the description of an object.
  public static let head = HeaderScope(rawValue: 1 << 6)
  /// A request that copies an object inside the service.
  public static let copy = HeaderScope(rawValue: 1 << 7)
  /// All kinds of requests, which is the scope of headers that a service's table does not contain.
  public static let all: HeaderScope = [.put, .initiate, .part, .complete, .abort, .get, .head, .copy]
  /// The requests that create an object: uploads of whole objects, initiations of multipart uploads, and copies.
  public static let creation: HeaderScope = [.put, .initiate, .copy]
  /// The requests that create an object, or complete a multipart upload.
  public static let publication: HeaderScope = [.put, .initiate, .complete, .copy]
  /// The requests that transfer or copy the bytes of an object.
  public static let content: HeaderScope = [.put, .part, .get, .copy]
  /// The requests that need a customer-provided key for encryption; S3 needs it for ``complete`` as well.
  static let customerKey: HeaderScope = [.put, .initiate, .part, .get, .head, .copy]
  /// The requests of an upload, without the `HEAD` request after a lost response, on which the upload does not depend.
  static let upload: HeaderScope = [.put, .initiate, .part, .complete, .abort]
}

/// A table of the kinds of requests to which a service's headers apply, by header name or by prefix.
///
/// The sources are the request types of the vendors' SDKs for Go: `InitiateMultipartUploadRequest` and similar types in
/// alibabacloud-oss-go-sdk-v2, `ChoiceTransferPartOption` and similar functions in aliyun-oss-go-sdk,
/// `ObjectUploadPartOptions` and similar types in cos-go-sdk-v5; and the pages
/// [UploadPart](https://www.alibabacloud.com/help/en/oss/developer-reference/uploadpart),
/// [CompleteMultipartUpload](https://www.alibabacloud.com/help/en/oss/developer-reference/completemultipartupload) and
/// [Upload Part](https://www.tencentcloud.com/document/product/436/7750).
struct HeaderScopes: Sendable {
  private let names: [String: HeaderScope]
  private let prefixes: [(prefix: String, scope: HeaderScope)]

  /// Creates a table from the headers that services have in common, and the service's additional headers.
  ///
  /// The names in `additional` have no prefix. `standard` replaces scopes of the common headers without the prefix.
  init(prefix: String, additional: [String: HeaderScope], standard: [String: HeaderScope]) {
    var names: [String: HeaderScope] = [
      "content-type": .creation, "cache-control": .creation, "content-disposition": .creation,
      "content-encoding": .creation, "content-language": .creation, "expires": .creation,
      "content-md5": .put, "range": .get, "if-match": [.get, .head], "if-none-match": [.get, .head],
      "if-modified-since": [.get, .head], "if-unmodified-since": [.get, .head],
    ]
    let prefixedNames: [String: HeaderScope] = [
      "request-payer": .all, "storage-class": .creation, "tagging": .creation, "tagging-directive": .copy,
      "metadata-directive": .copy, "copy-source": .copy, "copy-source-range": .copy,
      "server-side-encryption": .creation,
    ]
    for (name, scope) in prefixedNames.merging(additional, uniquingKeysWith: { $1 }) { names[prefix + name] = scope }
    names.merge(standard) { $1 }
    self.names = names
    // The longer of two matching prefixes is first.
    prefixes = [
      (prefix + "server-side-encryption-customer-", .customerKey), (prefix + "server-side-encryption-", .creation),
      (prefix + "copy-source-", .copy), (prefix + "meta-", .creation), (prefix + "grant-", .publication),
    ]
  }

  subscript(name: HTTPField.Name) -> HeaderScope {
    let name = name.canonicalName
    return names[name] ?? prefixes.first { name.utf8.starts(with: $0.prefix.utf8) }?.scope ?? .all
  }
}

extension HTTPFields {
  func applying(to request: HeaderScope, _ scopes: HeaderScopes) -> HTTPFields {
    HTTPFields(filter { scopes[$0.name].contains(request) })
  }

  /// Throws an error if a header applies to no request of an operation, so that no header is silently dropped.
  func requireApplicable(to operation: HeaderScope, named name: String, in scopes: HeaderScopes) throws(StorageError) {
    for field in self where scopes[field.name].isDisjoint(with: operation) {
      throw StorageError(
        .invalidOption, "The header \(field.name.rawName) does not apply to \(name).",
        remedy: "Leave it out, or pass it to the operation that it applies to.")
    }
  }

  /// Replaces the fields that have a name in common with new fields, and adds the other new fields.
  ///
  /// Several new fields with the same name are all kept.
  mutating func replaceFields(with newFields: HTTPFields) {
    for field in newFields { self[fields: field.name] = newFields[fields: field.name] }
  }

  mutating func forbidOverwrite(in conventions: HeaderConventions) throws(StorageError) {
    guard let field = conventions.forbidOverwrite else {
      throw StorageError(
        .invalidOption, "The service has no way to forbid overwriting.",
        remedy: "Check whether the object exists first, or choose a key that is used only once.")
    }
    self[field.name] = field.value
  }

  /// Sets a header field to a value, or throws an error if the value would be changed in transit.
  mutating func set(_ name: HTTPField.Name, to value: String?) throws(StorageError) {
    guard let value else { return }
    guard HTTPField.isValidValue(value) else {
      throw StorageError(
        .invalidOption, "The value for \(name.rawName) cannot be sent as a header.",
        remedy: "Use one line without control characters and without blanks at its ends.")
    }
    self[name] = value
  }
}
