// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An operation of a storage service, identified by the request's method, target and sub-resource.
enum Operation: Sendable, Hashable, CaseIterable {
  case listBuckets
  case createBucket, deleteBucket, headBucket
  case readBucketAccess, changeBucketAccess, bucketLocation, bucketInfo, bucketVersioning
  case listObjects, listObjectsV2, listUploads, deleteObjects
  case putObject, copyObject, getObject, headObject, objectMeta, deleteObject
  case readObjectAccess, changeObjectAccess
  case readTags, changeTags, deleteTags, objectAttributes
  case initiateUpload, uploadPart, copyPart, completeUpload, abortUpload, listParts

  /// Creates the operation that a request asks for.
  ///
  /// The operation must support each query parameter of the request that any service knows. Otherwise, for example,
  /// `DELETE /?redundancyTransition` would delete the bucket. Unknown parameters have no effect, as in the real
  /// services. However, a write with an unknown parameter without a value is rejected, because the parameter could be a
  /// sub-resource that is newer than this list.
  ///
  /// - Parameters:
  ///   - target: The whole target of the request, including unsigned parameters.
  ///   - isCopy: Whether a header specifies the source object of a copy.
  init(
    _ method: HTTPRequest.Method, _ target: RequestTarget, of service: SimulatedService, isCopy: Bool
  ) throws(ErrorResponse) {
    guard OperationRoute.methods.contains(method) else { throw .methodNotAllowed(method.rawValue) }
    let table = service.operations
    let written = try Self.knownNames(of: target, method, table)
    let names = Set(written.keys)
    let level: OperationRoute.Level = target.bucket == nil ? .service : target.key == nil ? .bucket : .object
    let routes = table.routes.filter { route in
      route.method == method && route.level == level && (route.isCopy == nil || route.isCopy == isCopy)
    }
    let fitting = routes.filter { $0.selectors.isSubset(of: names) }
    let route = fitting.max { $0.selectors.count < $1.selectors.count }
    let taken = route.map { table.parameters(of: $0) } ?? []
    if let name = names.subtracting(taken).min() {
      if let other = route?.selectors.first, routes.contains(where: { $0.selectors.contains(name) }) {
        throw .invalidArgument(
          "The parameters \"\(other)\" and \"\(name)\" select two operations; a request can have only one.")
      }
      let reason = Self.versioning.contains(name) ? ": buckets of this server do not support versioning." : "."
      throw .notImplemented(
        "The parameter \"\(written[name] ?? name)\" is not supported by this server for \(method.rawValue) of "
          + "\(level.article)\(reason)")
    }
    guard let route else { throw .methodNotAllowed(method.rawValue) }
    if names.contains("list-type"), target["list-type"] != "2" {
      throw .invalidArgument("The list-type can only be 2.")
    }
    switch target["versionId"] {
    case nil, "null": break
    case "": throw .invalidArgument("The parameter \"versionId\" is empty.")
    default:
      throw .notImplemented("The parameter \"versionId\" can only be null: this server does not support versioning.")
    }
    self = route.operation
  }

  private static let versioning: Set<String> = ["versioning", "versions", "versionId"]

  /// Returns the known query parameters, from the spelling in the routes to the spelling in the request.
  private static func knownNames(
    of target: RequestTarget, _ method: HTTPRequest.Method, _ table: OperationTable
  ) throws(ErrorResponse) -> [String: String] {
    var names: [String: String] = [:]
    for parameter in target.parameters {
      switch table.names.meaning(of: parameter.name.string) {
      case .signature: continue
      case .misspelled:
        throw .notImplemented(
          "The parameter \"\(parameter.name)\" is unknown: the service spells its names differently.")
      case .unknown:
        guard method == .get || method == .head || parameter.value?.isEmpty == false else {
          throw .notImplemented(
            "The parameter \"\(parameter.name)\" has no value, like a sub-resource, but this server supports no "
              + "sub-resource of that name.")
        }
      case .known:
        let name = table.spelling(of: parameter.name.string)
        let isFirst = names.updateValue(parameter.name.string, forKey: name) == nil
        guard isFirst || ParameterNames.isPlain(name) else {
          throw .invalidArgument("The parameter \"\(parameter.name)\" occurs more than once.")
        }
      }
    }
    return names
  }

  /// Whether the operation can be performed without a signature if the object is public.
  var isPublicRead: Bool { [.getObject, .headObject, .objectMeta].contains(self) }

  /// Whether the operation only reads and changes no data.
  var isRead: Bool {
    switch self {
    case .listBuckets, .headBucket, .readBucketAccess, .bucketLocation, .bucketInfo, .bucketVersioning, .listObjects,
      .listObjectsV2, .listUploads, .getObject, .headObject, .objectMeta, .readObjectAccess, .readTags,
      .objectAttributes, .listParts:
      true
    case .createBucket, .deleteBucket, .changeBucketAccess, .deleteObjects, .putObject, .copyObject, .deleteObject,
      .changeObjectAccess, .changeTags, .deleteTags, .initiateUpload, .uploadPart, .copyPart, .completeUpload,
      .abortUpload:
      false
    }
  }

  var readsBody: Bool {
    [.createBucket, .deleteObjects, .putObject, .uploadPart, .completeUpload, .changeTags].contains(self)
  }

  /// Whether the operation transfers or describes an object's bytes, so that it accepts a bandwidth limit.
  var isTransfer: Bool { [.putObject, .copyObject, .uploadPart, .copyPart, .getObject, .headObject].contains(self) }

  /// Whether the operation reads the source object that the copy source header specifies.
  var hasCopySource: Bool { [.copyObject, .copyPart].contains(self) }

  var writesObject: Bool { [.putObject, .copyObject, .completeUpload].contains(self) }

  /// The permission that a policy must grant for an operation.
  struct Need: Sendable {
    /// The action name in the policy language, such as `oss:GetObject`.
    let action: String

    let target: Target

    enum Target: Sendable {
      case service, bucket, object
      /// The prefix that a list request specifies, for services whose resource names contain it.
      case list
      /// Every object that the request body lists.
      case objectsOfBody
    }
  }
}

/// The pattern of the requests for an operation: method, resource level and query parameters.
struct OperationRoute: Sendable {
  enum Level: Sendable {
    case service, bucket, object

    /// The resource's name with an article, such as "a bucket", for error messages.
    var article: String {
      switch self {
      case .service: "the service"
      case .bucket: "a bucket"
      case .object: "an object"
      }
    }
  }

  let operation: Operation
  let method: HTTPRequest.Method
  let level: Level

  /// The names of the query parameters that select the operation.
  let selectors: Set<String>

  /// The names of the optional query parameters that the operation has in every service.
  let options: Set<String>

  /// Whether a header must, or must not, specify the source object of a copy; `nil` if it makes no difference.
  let isCopy: Bool?

  init(
    _ operation: Operation, _ method: HTTPRequest.Method, _ level: Level, _ selectors: Set<String> = [],
    taking options: Set<String> = [], isCopy: Bool? = nil
  ) {
    self.operation = operation
    self.method = method
    self.level = level
    self.selectors = selectors
    self.options = options
    self.isCopy = isCopy
  }

  func taking(_ more: Set<String>) -> OperationRoute {
    OperationRoute(operation, method, level, selectors, taking: options.union(more), isCopy: isCopy)
  }

  /// The HTTP methods that the operations use; other methods are rejected.
  static let methods: Set<HTTPRequest.Method> = [.get, .head, .put, .post, .delete]

  private static let overrides: Set<String> = [
    "response-content-type", "response-cache-control", "response-content-disposition", "response-content-encoding",
    "response-content-language", "response-expires",
  ]

  static let shared: [OperationRoute] = [
    OperationRoute(.listBuckets, .get, .service, taking: ["prefix", "marker", "max-keys"]),

    OperationRoute(.createBucket, .put, .bucket),
    OperationRoute(.deleteBucket, .delete, .bucket),
    OperationRoute(.headBucket, .head, .bucket),
    OperationRoute(.readBucketAccess, .get, .bucket, ["acl"]),
    OperationRoute(.changeBucketAccess, .put, .bucket, ["acl"]),
    OperationRoute(.bucketLocation, .get, .bucket, ["location"]),
    OperationRoute(.bucketVersioning, .get, .bucket, ["versioning"]),
    OperationRoute(
      .listObjects, .get, .bucket, taking: ["prefix", "delimiter", "marker", "max-keys", "encoding-type"]),
    OperationRoute(
      .listObjectsV2, .get, .bucket, ["list-type"],
      taking: ["prefix", "delimiter", "max-keys", "encoding-type", "continuation-token", "start-after", "fetch-owner"]),
    OperationRoute(
      .listUploads, .get, .bucket, ["uploads"],
      taking: ["prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads", "encoding-type"]),
    OperationRoute(.deleteObjects, .post, .bucket, ["delete"], taking: ["encoding-type"]),

    OperationRoute(.putObject, .put, .object, isCopy: false),
    OperationRoute(.copyObject, .put, .object, isCopy: true),
    OperationRoute(.getObject, .get, .object, taking: overrides.union(["versionId"])),
    OperationRoute(.headObject, .head, .object, taking: overrides.union(["versionId"])),
    OperationRoute(.deleteObject, .delete, .object, taking: ["versionId"]),
    OperationRoute(.readObjectAccess, .get, .object, ["acl"], taking: ["versionId"]),
    OperationRoute(.changeObjectAccess, .put, .object, ["acl"], taking: ["versionId"]),

    OperationRoute(.initiateUpload, .post, .object, ["uploads"], taking: ["encoding-type"]),
    OperationRoute(.uploadPart, .put, .object, ["uploadId"], taking: ["partNumber"], isCopy: false),
    OperationRoute(.copyPart, .put, .object, ["uploadId"], taking: ["partNumber"], isCopy: true),
    OperationRoute(.completeUpload, .post, .object, ["uploadId"], taking: ["encoding-type"]),
    OperationRoute(.abortUpload, .delete, .object, ["uploadId"]),
    OperationRoute(
      .listParts, .get, .object, ["uploadId"], taking: ["max-parts", "part-number-marker", "encoding-type"]),
  ]
}

/// The operations and query parameters of a storage service.
struct OperationTable: Sendable {
  let routes: [OperationRoute]

  let names: ParameterNames

  /// The names of the query parameters that every operation supports.
  private let common: Set<String>

  /// The names of the query parameters that all operations on an object's bytes support.
  private let ofTransfers: Set<String>

  /// The spelling of the query parameters in the request patterns, by lowercase name.
  private let spellings: [String: String]

  init(_ routes: [OperationRoute], _ names: ParameterNames, common: Set<String> = [], ofTransfers: Set<String> = []) {
    self.routes = routes
    self.names = names
    self.common = common
    self.ofTransfers = ofTransfers
    let spelled = routes.reduce(into: Set<String>()) { $0.formUnion($1.selectors.union($1.options)) }
    spellings = Dictionary(spelled.map { ($0.asciiLowercased, $0) }) { first, _ in first }
  }

  func parameters(of route: OperationRoute) -> Set<String> {
    let names = route.selectors.union(route.options).union(common)
    return route.operation.isTransfer ? names.union(ofTransfers) : names
  }

  /// Returns the name of a query parameter as the request patterns of the service spell it.
  func spelling(of name: String) -> String {
    guard names.ignoresCase else { return name }
    let lowercased = name.asciiLowercased
    return spellings[lowercased] ?? lowercased
  }
}

/// A classification of query parameter names for a storage service.
///
/// A parameter that any service knows changes the result there. Therefore, a request with such a parameter is rejected
/// unless its operation supports the parameter.
struct ParameterNames: Sendable {
  enum Meaning {
    /// The parameter is known to at least one of the services, and has that service's spelling.
    case known
    /// The parameter differs from a known one only in letter case, which the service distinguishes.
    case misspelled
    /// The parameter belongs to the signature; the verifier handles it.
    case signature
    case unknown
  }

  /// The names of the parameters that belong to the signature, in lowercase if the service ignores case.
  let signature: Set<String>

  /// Whether the service compares query parameter names case-insensitively.
  var ignoresCase = false

  func meaning(of name: String) -> Meaning {
    if !ignoresCase, signature.contains(name) { return .signature }
    let lowercased = name.asciiLowercased
    if ignoresCase, signature.contains(lowercased) { return .signature }
    // Image processing parameters contain their arguments in the parameter name: `imageMogr2/thumbnail/!50p`.
    let stem = String(lowercased.bytes(before: "/"))
    guard
      Self.lowercasedNames.contains(lowercased) || Self.lowercasedNames.contains(stem) || Self.isOwned(lowercased)
    else { return .unknown }
    let isSpelledRight =
      ignoresCase || Self.names.contains(name) || Self.names.contains(String(name.bytes(before: "/")))
      || Self.isOwned(name)
    // If the service compares names case-sensitively, a listing parameter in a different case is an unknown name, which
    // is ignored.
    if !isSpelledRight, Self.plainNames.contains(lowercased) { return .unknown }
    // Letters that only look like ASCII are rejected: the Kelvin sign, for example, has the lowercase form `k`.
    return isSpelledRight && name.utf8.allSatisfy { $0 < 0x80 } ? .known : .misspelled
  }

  /// Returns whether a query parameter only filters or pages a listing, and does not select another operation.
  static func isPlain(_ name: String) -> Bool { plainNames.contains(name.asciiLowercased) }

  private static let plainNames: Set<String> = [
    "prefix", "delimiter", "marker", "max-keys", "encoding-type", "key-marker", "upload-id-marker", "max-uploads",
    "part-number-marker", "max-parts", "start-after", "fetch-owner",
  ]

  /// Returns whether a query parameter name starts with a prefix that the services reserve.
  private static func isOwned(_ name: String) -> Bool { ownedPrefixes.contains { name.utf8.starts(with: $0.utf8) } }

  private static let lowercasedNames = Set(names.map { $0.asciiLowercased })
}

/// The service-specific headers that this server supports, and the operations that support them.
///
/// A header with the service's prefix is rejected if the operation does not support it. Otherwise, an object could be
/// stored without the requested encryption, or be overwritten although the client forbids it.
struct HeaderRules: Sendable {
  /// The prefixes of service-specific headers; other names omit the first one.
  let prefixes: [String]

  /// The headers that every operation supports.
  let everywhere: Set<String>

  /// The operations that support a header.
  let operations: [String: Set<Operation>]

  /// The operations whose write can depend on a conditional header.
  var conditions: [String: Set<Operation>] = [:]

  /// The form fields that belong to the form's signature.
  let formFields: Set<String>

  var takesFormCallback = false

  /// Unsupported headers without the service's prefix that change the result of any operation.
  private static let refusedAlways: Set<String> = ["pic-operations"]

  /// The names of unsupported headers that change the result of a write, although they don't have the service's prefix.
  private static let refusedOnWrites: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-range",
  ]

  static let creations: Set<Operation> = [.putObject, .copyObject, .initiateUpload]
  static let parts: Set<Operation> = [.uploadPart, .copyPart]
  static let copies: Set<Operation> = [.copyObject, .copyPart]
  private static let transfers = Set(Operation.allCases.filter(\.isTransfer))

  /// The operations that support the headers of all services, by header name without the service's prefix.
  static let shared: [String: Set<Operation>] = [
    "traffic-limit": transfers, "storage-class": creations, "tagging": creations, "tagging-directive": [.copyObject],
    "metadata-directive": [.copyObject], "forbid-overwrite": creations.union([.completeUpload]),
    "copy-source": copies, "copy-source-range": [.copyPart], "copy-source-if-match": copies,
    "copy-source-if-none-match": copies, "copy-source-if-modified-since": copies,
    "copy-source-if-unmodified-since": copies, "server-side-encryption": creations,
  ]

  /// The operations that support the headers of customers' encryption keys.
  static let customerKeys = Dictionary(
    CustomerKey.headers.map {
      ($0, creations.union(parts).union([.completeUpload, .getObject, .headObject, .objectAttributes]))
    }
      + CustomerKey.headers.map { ("copy-source-\($0)", copies) }
  ) { $0.union($1) }

  /// Throws `NotImplemented` for the first header that matters and that the operation does not support.
  func check(_ headers: HTTPFields, for operation: Operation) throws(ErrorResponse) {
    for field in headers where !field.value.isEmpty {
      let name = field.name.canonicalName
      let isRefused =
        Self.refusedOnWrites.contains(name) && !operation.isRead && conditions[name]?.contains(operation) != true
      if Self.refusedAlways.contains(name) || isRefused { throw Self.refusal(name) }
      guard let rest = ownName(name) else { continue }
      guard rest.hasBytePrefix("meta-") || everywhere.contains(rest) || operations[rest]?.contains(operation) == true
      else { throw Self.refusal(name) }
    }
  }

  /// Throws `NotImplemented` for the first field that neither corresponds to a header nor belongs to the signature.
  func check(_ form: SubmittedForm) throws(ErrorResponse) {
    for field in form.fields where !field.value.isEmpty {
      let name = field.name.asciiLowercased
      let isCallback = name == "callback" && !takesFormCallback || name == "callback-var"
      if Self.refusedAlways.contains(name) || isCallback { throw Self.refusal(name) }
      guard let rest = ownName(name) else { continue }
      guard rest != "callback", rest != "callback-var",
        rest.hasBytePrefix("meta-") || everywhere.contains(rest) || formFields.contains(rest)
          || operations[rest]?.contains(.putObject) == true
      else { throw Self.refusal(name) }
    }
  }

  /// Returns the name of a service-specific header, without the first prefix, or `nil` for any other header.
  private func ownName(_ name: String) -> String? {
    if let rest = name.removingBytePrefix(prefixes[0]) { return String(rest) }
    return prefixes.contains { name.hasBytePrefix($0) } ? name : nil
  }

  private static func refusal(_ name: String) -> ErrorResponse {
    .notImplemented(
      "The header \"\(name)\" is not supported for this operation by this server; send the request without it.")
  }
}
