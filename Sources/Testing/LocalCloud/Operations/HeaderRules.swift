// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The service-specific headers that this server supports, and the operations that support them.
///
/// A header with the service's prefix is rejected if the operation does not support it. Otherwise, an object could be
/// stored without the requested encryption, or be overwritten although the client forbids it.
struct HeaderRules: Sendable {
  /// The prefixes of service-specific headers; other names omit the first one.
  let prefixes: [String]
  /// The headers that all operations support.
  let supportedEverywhere: Set<String>
  /// The operations that support a header, by its name.
  let operations: [String: Set<Operation>]
  /// The operations whose write can depend on a conditional header, by its name.
  var conditions: [String: Set<Operation>] = [:]
  /// The fields of a form, without the service's prefix, that are not headers of an upload.
  let formFields: Set<String>
  /// Whether a form can name a callback, which the field `callback` without the service's prefix does.
  var takesFormCallback = false
  /// The headers that the service itself refuses for operations that do not support them.
  var invalidElsewhere: Set<String> = []

  /// The names of unsupported headers without the service's prefix that change the result of any operation.
  private static let refusedAlways: Set<String> = ["pic-operations"]
  /// The names of unsupported headers without the service's prefix that change the result of a write.
  private static let refusedOnWrites: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-range",
  ]

  static let creations: Set<Operation> = [.putObject, .copyObject, .initiateUpload, .appendObject, .putSymlink]
  static let parts: Set<Operation> = [.uploadPart, .copyPart]
  static let copies: Set<Operation> = [.copyObject, .copyPart]
  private static let transfers = Set(Operation.allCases.filter(\.isTransfer))
  /// The operations that support the headers of all services, by header name without the service's prefix.
  static let shared: [String: Set<Operation>] = [
    "traffic-limit": transfers, "storage-class": creations, "tagging": creations, "tagging-directive": [.copyObject],
    "metadata-directive": [.copyObject], "forbid-overwrite": creations.union([.completeUpload]),
    "symlink-target": [.putSymlink], "copy-source": copies, "copy-source-range": [.copyPart],
    "copy-source-if-match": copies, "copy-source-if-none-match": copies, "copy-source-if-modified-since": copies,
    "copy-source-if-unmodified-since": copies, "server-side-encryption": creations,
  ]

  /// The operations that support the headers for an access control: one with its name, and one for each permission.
  static let grants = Dictionary(
    (["acl"] + Grant.Permission.allCases.map(\.header)).map {
      ($0, creations.union([.createBucket, .changeBucketAccess, .changeObjectAccess]))
    }, uniquingKeysWith: { $1 })

  static let customerKeys: [String: Set<Operation>] = {
    let readers: Set<Operation> = [.completeUpload, .getObject, .headObject, .objectAttributes]
    let operations = creations.union(parts).union(readers)
    return Dictionary(
      CustomerKey.headers.flatMap { [($0, operations), ("copy-source-\($0)", copies)] }, uniquingKeysWith: { $1 })
  }()

  /// Throws `NotImplemented` for the first header that matters and that the operation does not support.
  func check(_ headers: HTTPFields, for operation: Operation) throws(ErrorResponse) {
    for field in headers where !field.value.isEmpty {
      let name = field.name.canonicalName
      let isUnsupportedCondition =
        Self.refusedOnWrites.contains(name) && !operation.isRead && conditions[name]?.contains(operation) != true
      if Self.refusedAlways.contains(name) || isUnsupportedCondition { throw Self.refusal(of: name) }
      guard let header = serviceHeader(name) else { continue }
      if supports(header, for: operation) { continue }
      throw invalidElsewhere.contains(header)
        ? .invalidArgument("The header \(name) is not supported for this operation.") : Self.refusal(of: name)
    }
  }

  /// Throws `NotImplemented` for the first field that neither corresponds to a header nor belongs to the signature.
  func check(_ form: SubmittedForm) throws(ErrorResponse) {
    for field in form.fields where !field.value.isEmpty {
      let name = field.name.asciiLowercased
      let isRefusedCallback = name == "callback" && !takesFormCallback || name == "callback-var"
      if Self.refusedAlways.contains(name) || isRefusedCallback { throw Self.refusal(of: name) }
      guard let header = serviceHeader(name) else { continue }
      guard header != "callback", header != "callback-var",
        formFields.contains(header) || supports(header, for: .putObject)
      else { throw Self.refusal(of: name) }
    }
  }

  private func supports(_ header: String, for operation: Operation) -> Bool {
    header.hasBytePrefix("meta-") || supportedEverywhere.contains(header)
      || operations[header]?.contains(operation) == true
  }

  /// Returns the name of a service-specific header, without the first prefix, or `nil` for any other header.
  private func serviceHeader(_ name: String) -> String? {
    if let header = name.removingBytePrefix(prefixes[0]) { return String(header) }
    return prefixes.contains { name.hasBytePrefix($0) } ? name : nil
  }

  private static func refusal(of name: String) -> ErrorResponse {
    .notImplemented("The header \"\(name)\" is not supported for this operation by this server; omit it.")
  }
}
