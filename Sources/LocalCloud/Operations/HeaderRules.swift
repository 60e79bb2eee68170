internal import HTTPTypes
internal import StorageAuth

/// The headers of a service that this server gives their effect, and the operations that they have it on.
///
/// A header in the service's name space that an operation does not take is refused: without that, an object would be
/// stored without its encryption or be overwritten against the client's word.
struct HeaderRules: Sendable {
  private let provider: LocalCloud.Provider
  private let prefix: String
  private let everywhere: Set<String>
  private let operations: [String: Set<Operation>]

  /// Headers without the service's prefix that would change what happens, and that this server does not have.
  private static let refusedAlways: Set<String> = ["pic-operations"]

  /// Headers without the service's prefix that would change what a write does, and that this server does not have.
  private static let refusedOnWrites: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-range",
  ]

  private static let reads = Set(
    OperationRoute.all.filter { $0.method == .get || $0.method == .head }.map(\.operation))
  private static let creations: Set<Operation> = [.putObject, .copyObject, .initiateUpload]
  private static let parts: Set<Operation> = [.uploadPart, .copyPart]
  private static let copies: Set<Operation> = [.copyObject, .copyPart]
  private static let transfers = Set(Operation.allCases.filter(\.isTransfer))

  private static let shared: [String: Set<Operation>] = [
    "traffic-limit": transfers, "storage-class": creations, "tagging": creations, "tagging-directive": [.copyObject],
    "metadata-directive": [.copyObject], "forbid-overwrite": creations.union([.completeUpload]),
    "copy-source": copies, "copy-source-range": [.copyPart], "copy-source-if-match": copies,
    "copy-source-if-none-match": copies, "copy-source-if-modified-since": copies,
    "copy-source-if-unmodified-since": copies, "server-side-encryption": creations,
  ]

  /// The rules of OSS.
  static let oss = HeaderRules(
    .oss, "x-oss-", everywhere: ["date", "security-token", "content-sha256", "user-agent", "request-payer"],
    [
      "acl": [.createBucket, .changeBucketAccess],
      "object-acl": creations.union([.completeUpload, .changeObjectAccess]),
      "server-side-encryption-key-id": creations, "server-side-data-encryption": creations,
      "complete-all": [.completeUpload], "range-behavior": [.getObject],
    ])

  /// The rules of COS.
  static let cos = HeaderRules(
    .cos, "x-cos-", everywhere: ["date", "security-token", "sdk-retry", "request-payer"],
    [
      "acl": creations.union([.createBucket, .changeBucketAccess, .changeObjectAccess]),
      "server-side-encryption-cos-kms-key-id": creations, "server-side-encryption-context": creations,
    ].merging(
      CustomerKey.headers.map { ($0, creations.union(parts).union([.completeUpload, .getObject, .headObject])) }
        + CustomerKey.headers.map { ("copy-source-\($0)", copies) }
    ) { $0.union($1) })

  private init(
    _ provider: LocalCloud.Provider, _ prefix: String, everywhere: Set<String>, _ operations: [String: Set<Operation>]
  ) {
    self.provider = provider
    self.prefix = prefix
    self.everywhere = everywhere
    self.operations = operations.merging(Self.shared) { $0.union($1) }
  }

  /// Checks that a request has no header whose effect would be left out; empty headers count as absent.
  ///
  /// - Throws: `NotImplemented`.
  func check(_ headers: HTTPFields, for operation: Operation) throws(ServiceError) {
    for field in headers where !field.value.isEmpty {
      let name = field.name.canonicalName
      if Self.refusedAlways.contains(name) || !Self.reads.contains(operation) && Self.refusedOnWrites.contains(name) {
        throw Self.refusal(name)
      }
      if name.hasBytePrefix("x-ci-"), name != "x-ci-security-token" { throw Self.refusal(name) }
      guard let rest = name.removingBytePrefix(prefix).map(String.init) else { continue }
      guard rest.hasBytePrefix("meta-") || everywhere.contains(rest) || operations[rest]?.contains(operation) == true
      else {
        throw Self.refusal(name)
      }
    }
  }

  /// Checks that a form has no field whose effect would be left out: a field is a header of the put that the form stands
  /// for, or belongs to its signature.
  ///
  /// - Throws: `NotImplemented`.
  func check(_ form: SubmittedForm) throws(ServiceError) {
    for field in form.fields where !field.value.isEmpty {
      let name = field.name.asciiLowercased
      if Self.refusedAlways.contains(name) || name == "callback" || name == "callback-var" { throw Self.refusal(name) }
      guard let rest = name.removingBytePrefix(prefix).map(String.init) else { continue }
      guard
        rest.hasBytePrefix("meta-") || everywhere.contains(rest) || Self.formFields.contains(rest)
          || operations[rest]?.contains(.putObject) == true
      else { throw Self.refusal(name) }
    }
  }

  private static let formFields: Set<String> = [
    "signature", "signature-version", "credential", "expires", "content-type", "additional-headers",
  ]

  private static func refusal(_ name: String) -> ServiceError {
    .notImplemented(
      "The header \"\(name)\" is not part of this server for this operation; send the request without it.")
  }
}
