// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The pattern of the requests for an operation: method, resource level and query parameters.
struct OperationRoute: Sendable {
  /// The level of a resource, with its name in error messages.
  enum Level: String, Sendable {
    case service = "the service"
    case bucket = "a bucket"
    case object = "an object"
  }

  let operation: Operation
  let method: HTTPRequest.Method
  let level: Level
  /// The names of the query parameters that a request must have.
  let selectors: Set<String>
  /// The names of the optional query parameters that the operation has in every service.
  let options: Set<String>
  /// Whether a header must, or must not, specify the source object of a copy; `nil` if it makes no difference.
  let isCopy: Bool?

  init(
    _ operation: Operation, _ method: HTTPRequest.Method, _ level: Level, _ selectors: Set<String> = [],
    taking options: Set<String> = [], isCopy: Bool? = nil
  ) {
    (self.operation, self.method, self.level) = (operation, method, level)
    (self.selectors, self.options, self.isCopy) = (selectors, options, isCopy)
  }

  func taking(_ moreOptions: Set<String>) -> OperationRoute {
    OperationRoute(operation, method, level, selectors, taking: options.union(moreOptions), isCopy: isCopy)
  }

  /// The HTTP methods that the operations use; other methods are rejected.
  static let methods: Set<HTTPRequest.Method> = [.get, .head, .put, .post, .delete]
  private static let filters: Set<String> = ["prefix", "delimiter", "encoding-type"]
  private static let overrides = Set(Call.overrides.map(\.parameter.string))

  static let shared: [OperationRoute] = [
    .init(.listBuckets, .get, .service, taking: ["prefix", "marker", "max-keys"]),

    .init(.createBucket, .put, .bucket),
    .init(.deleteBucket, .delete, .bucket),
    .init(.headBucket, .head, .bucket),
    .init(.readBucketAccess, .get, .bucket, ["acl"]),
    .init(.changeBucketAccess, .put, .bucket, ["acl"]),
    .init(.bucketLocation, .get, .bucket, ["location"]),
    .init(.listVersions, .get, .bucket, ["versions"], taking: filters.union(["key-marker", "max-keys"])),
    .init(.listObjects, .get, .bucket, taking: filters.union(["marker", "max-keys"])),
    .init(
      .listObjectsV2, .get, .bucket, ["list-type"],
      taking: filters.union(["max-keys", "continuation-token", "start-after", "fetch-owner"])),
    .init(
      .listUploads, .get, .bucket, ["uploads"],
      taking: filters.union(["key-marker", "upload-id-marker", "max-uploads"])),
    .init(.deleteObjects, .post, .bucket, ["delete"], taking: ["encoding-type"]),

    .init(.putObject, .put, .object, isCopy: false),
    .init(.copyObject, .put, .object, isCopy: true),
    .init(.getObject, .get, .object, taking: overrides.union(["versionId"])),
    .init(.headObject, .head, .object, taking: overrides.union(["versionId"])),
    .init(.deleteObject, .delete, .object, taking: ["versionId"]),
    .init(.readObjectAccess, .get, .object, ["acl"], taking: ["versionId"]),
    .init(.changeObjectAccess, .put, .object, ["acl"], taking: ["versionId"]),

    .init(.readTags, .get, .object, ["tagging"], taking: ["versionId"]),
    .init(.changeTags, .put, .object, ["tagging"], taking: ["versionId"]),
    .init(.deleteTags, .delete, .object, ["tagging"], taking: ["versionId"]),

    .init(.initiateUpload, .post, .object, ["uploads"], taking: ["encoding-type"]),
    .init(.uploadPart, .put, .object, ["uploadId"], taking: ["partNumber"], isCopy: false),
    .init(.copyPart, .put, .object, ["uploadId"], taking: ["partNumber"], isCopy: true),
    .init(.completeUpload, .post, .object, ["uploadId"], taking: ["encoding-type"]),
    .init(.abortUpload, .delete, .object, ["uploadId"]),
    .init(.listParts, .get, .object, ["uploadId"], taking: ["max-parts", "part-number-marker", "encoding-type"]),
  ]

  /// The operations on objects that can be appended to and on symbolic links, which not every service has.
  static let appending: [OperationRoute] = [
    .init(.appendObject, .post, .object, ["append"], taking: ["position"]),
    .init(.putSymlink, .put, .object, ["symlink"], isCopy: false),
    .init(.getSymlink, .get, .object, ["symlink"], taking: ["versionId"]),
  ]
}

/// The routes of a storage service, among which a request's operation is found.
struct OperationTable: Sendable {
  /// A route with the names of all query parameters that its operation supports.
  struct Entry: Sendable {
    let route: OperationRoute
    let parameters: Set<String>
  }

  let names: ParameterNames
  /// The routes by method and level, so that a request is compared only with those that it can match.
  let entries: [HTTPRequest.Method: [OperationRoute.Level: [Entry]]]
  /// The spelling of the query parameters in the request patterns, by lowercase name.
  private let spellings: [String: String]

  /// Creates a table; all operations support the common parameters, and those on an object's bytes the transfer ones.
  init(
    _ routes: [OperationRoute], _ names: ParameterNames, commonParameters: Set<String> = [],
    transferParameters: Set<String> = []
  ) {
    self.names = names
    entries = routes.reduce(into: [:]) { entries, route in
      var parameters = route.selectors.union(route.options).union(commonParameters)
      if route.operation.isTransfer { parameters.formUnion(transferParameters) }
      entries[route.method, default: [:]][route.level, default: []].append(Entry(route: route, parameters: parameters))
    }
    let spelled = routes.reduce(into: Set<String>()) { $0.formUnion($1.selectors.union($1.options)) }
    spellings = Dictionary(spelled.map { ($0.asciiLowercased, $0) }) { first, _ in first }
  }

  func spelling(of name: String) -> String {
    guard names.ignoresCase else { return name }
    let lowercased = name.asciiLowercased
    return spellings[lowercased] ?? lowercased
  }
}

/// A classification of query parameter names for a storage service.
///
/// A request with a parameter that any service knows is rejected unless its operation supports the parameter.
struct ParameterNames: Sendable {
  enum Meaning {
    /// At least one of the services knows the parameter with this spelling.
    case known
    /// The parameter differs from a known one only in letter case, which the service distinguishes.
    case misspelled
    /// The parameter belongs to the signature; the verifier handles it.
    case signature
    case unknown
  }

  /// The names of the parameters that belong to the signature, in lowercase if the service ignores case.
  let signature: Set<String>
  var ignoresCase = false

  func meaning(of name: String) -> Meaning {
    if !ignoresCase, signature.contains(name) { return .signature }
    let lowercased = name.asciiLowercased
    if ignoresCase, signature.contains(lowercased) { return .signature }
    guard Self.isKnown(lowercased, in: Self.lowercasedNames) else { return .unknown }
    let isSpelledRight = ignoresCase || Self.isKnown(name, in: ParameterCatalog.names)
    // A service that compares names case-sensitively ignores a listing parameter in a different case.
    if !isSpelledRight, Self.listingNames.contains(lowercased) { return .unknown }
    // Letters that only look like ASCII are rejected: the Kelvin sign, for example, has the lowercase form `k`.
    return isSpelledRight && name.utf8.allSatisfy { $0 < 0x80 } ? .known : .misspelled
  }

  /// Returns whether a query parameter only filters or pages a listing, and does not select another operation.
  static func isListingParameter(_ name: String) -> Bool { listingNames.contains(name.asciiLowercased) }

  private static let listingNames: Set<String> = [
    "prefix", "delimiter", "marker", "max-keys", "encoding-type", "key-marker", "upload-id-marker", "max-uploads",
    "part-number-marker", "max-parts", "start-after", "fetch-owner",
  ]

  /// Returns whether a name is one of the names, or starts with a prefix that the services reserve.
  private static func isKnown(_ name: String, in names: Set<String>) -> Bool {
    // Image processing parameters contain their arguments in the parameter name: `imageMogr2/thumbnail/!50p`.
    names.contains(name) || names.contains(String(name.bytes(before: "/")))
      || reservedPrefixes.contains { name.hasBytePrefix($0) }
  }

  private static let lowercasedNames = Set(ParameterCatalog.names.map { $0.asciiLowercased })
}
