package import HTTPTypes

/// The requests of an operation that a header belongs to.
public struct HeaderScope: OptionSet, Sendable, Hashable {
  /// A bit for each kind of request.
  public let rawValue: UInt8

  /// Creates a set of requests from their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// An upload with one request.
  public static let put = HeaderScope(rawValue: 1)
  /// The beginning of an upload in parts.
  public static let initiate = HeaderScope(rawValue: 1 << 1)
  /// A part.
  public static let part = HeaderScope(rawValue: 1 << 2)
  /// The end of an upload in parts.
  public static let complete = HeaderScope(rawValue: 1 << 3)
  /// An upload in parts that is given up.
  public static let abort = HeaderScope(rawValue: 1 << 4)
  /// A download, or a range of one.
  public static let get = HeaderScope(rawValue: 1 << 5)
  /// A question about an object.
  public static let head = HeaderScope(rawValue: 1 << 6)
  /// A copy inside the service.
  public static let copy = HeaderScope(rawValue: 1 << 7)

  /// Every request: what the table of a dialect does not know belongs to all of them, because nothing says where it may
  /// be left out.
  public static let all: HeaderScope = [.put, .initiate, .part, .complete, .abort, .get, .head, .copy]

  /// The requests that make an object.
  public static let creation: HeaderScope = [.put, .initiate, .copy]
  /// The requests that make an object visible.
  public static let publication: HeaderScope = [.put, .initiate, .complete, .copy]
  /// The requests that carry bytes of an object.
  public static let content: HeaderScope = [.put, .part, .get, .copy]
  /// The requests that need a customer's key: those that encrypt, decrypt, or show what is derived from the bytes.
  static let customerKey: HeaderScope = [.put, .initiate, .part, .get, .head, .copy]
  /// The requests of an upload, the question after a lost answer included.
  static let upload: HeaderScope = [.put, .initiate, .part, .complete, .abort, .head]
  /// The requests of a download.
  static let download: HeaderScope = .get
}

/// To which requests the headers of a service belong, by the beginnings of their names.
///
/// The sources are the request structures of the vendors' SDKs for Go and their multipart uploads:
/// `InitiateMultipartUploadRequest` and its likes in alibabacloud-oss-go-sdk-v2, `ChoiceTransferPartOption` and its likes
/// in aliyun-oss-go-sdk, `ObjectUploadPartOptions` and its likes in cos-go-sdk-v5; and the pages
/// [UploadPart](https://www.alibabacloud.com/help/en/oss/developer-reference/uploadpart),
/// [CompleteMultipartUpload](https://www.alibabacloud.com/help/en/oss/developer-reference/completemultipartupload) and
/// [Upload Part](https://www.tencentcloud.com/document/product/436/7750).
package struct HeaderScopes: Sendable {
  private let names: [String: HeaderScope]
  private let prefixes: [(prefix: String, scope: HeaderScope)]

  /// Creates the table of a service: what services have in common, behind the prefix of its headers, and what is its own.
  init(prefix: String, more: [String: HeaderScope], standard: [String: HeaderScope]) {
    var names: [String: HeaderScope] = [
      "content-type": .creation, "cache-control": .creation, "content-disposition": .creation,
      "content-encoding": .creation, "content-language": .creation, "expires": .creation,
      "content-md5": .put, "range": .get, "if-match": [.get, .head], "if-none-match": [.get, .head],
      "if-modified-since": [.get, .head], "if-unmodified-since": [.get, .head],
    ]
    let own: [String: HeaderScope] = [
      "request-payer": .all, "storage-class": .creation, "tagging": .creation, "tagging-directive": .copy,
      "metadata-directive": .copy, "copy-source": .copy, "copy-source-range": .copy,
      "server-side-encryption": .creation,
    ]
    for (name, scope) in own.merging(more, uniquingKeysWith: { $1 }) { names[prefix + name] = scope }
    names.merge(standard) { $1 }
    self.names = names
    prefixes = [
      (prefix + "server-side-encryption-customer-", .customerKey), (prefix + "server-side-encryption-", .creation),
      (prefix + "copy-source-", .copy), (prefix + "meta-", .creation), (prefix + "grant-", .publication),
    ]
  }

  /// The requests that a header belongs to.
  package subscript(name: HTTPField.Name) -> HeaderScope {
    let name = name.canonicalName
    return names[name] ?? prefixes.first { name.utf8.starts(with: $0.prefix.utf8) }?.scope ?? .all
  }
}

extension HTTPFields {
  /// The headers that belong to a request.
  func belonging(to request: HeaderScope, _ scopes: HeaderScopes) -> HTTPFields {
    HTTPFields(filter { scopes[$0.name].contains(request) })
  }

  /// Refuses headers that belong to no request of an operation: none is left out without a word.
  func check(for operation: HeaderScope, named name: String, _ scopes: HeaderScopes) throws(StorageError) {
    for field in self where scopes[field.name].isDisjoint(with: operation) {
      throw StorageError(
        .invalidOption, "The header \(field.name.rawName) belongs to no request of \(name).",
        remedy: "Leave it out, or give it to the operation that it is for.")
    }
  }
}
