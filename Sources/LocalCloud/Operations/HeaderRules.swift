internal import HTTPTypes
internal import StorageAuth

/// The headers of a service that this server gives their effect, and the operations that they have it on.
///
/// A header in the service's name space that an operation does not take is refused: without that, an object would be
/// stored without its encryption or be overwritten against the client's word.
struct HeaderRules: Sendable {
  private let prefixes: [String]
  private let everywhere: Set<String>
  private let operations: [String: Set<Operation>]
  private let conditions: [String: Set<Operation>]
  private let formFields: Set<String>

  /// Headers without the service's prefix that would change what happens, and that this server does not have.
  private static let refusedAlways: Set<String> = ["pic-operations"]

  /// Headers without the service's prefix that would change what a write does, and that this server does not have.
  private static let refusedOnWrites: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-range",
  ]

  static let creations: Set<Operation> = [.putObject, .copyObject, .initiateUpload]
  static let parts: Set<Operation> = [.uploadPart, .copyPart]
  static let copies: Set<Operation> = [.copyObject, .copyPart]
  private static let transfers = Set(Operation.allCases.filter(\.isTransfer))

  /// What the services have alike.
  static let shared: [String: Set<Operation>] = [
    "traffic-limit": transfers, "storage-class": creations, "tagging": creations, "tagging-directive": [.copyObject],
    "metadata-directive": [.copyObject], "forbid-overwrite": creations.union([.completeUpload]),
    "copy-source": copies, "copy-source-range": [.copyPart], "copy-source-if-match": copies,
    "copy-source-if-none-match": copies, "copy-source-if-modified-since": copies,
    "copy-source-if-unmodified-since": copies, "server-side-encryption": creations,
  ]

  /// The headers that carry a customer's key.
  static let customerKeys = Dictionary(
    CustomerKey.headers.map {
      ($0, creations.union(parts).union([.completeUpload, .getObject, .headObject, .objectAttributes]))
    }
      + CustomerKey.headers.map { ("copy-source-\($0)", copies) }
  ) { $0.union($1) }

  /// Makes the rules of a service.
  ///
  /// - Parameters:
  ///   - prefixes: What the service's own headers start with; the one of most of them first.
  ///   - everywhere: The headers that every operation takes: without the first prefix, or whole with another one.
  ///   - operations: The operations that take a header, by its name without the first prefix.
  ///   - conditions: The operations that take a condition on what a write replaces, by the header's name.
  ///   - formFields: The fields of a form that belong to its signature, without the first prefix.
  init(
    _ prefixes: [String], everywhere: Set<String>, _ operations: [String: Set<Operation>],
    conditions: [String: Set<Operation>] = [:], formFields: Set<String> = []
  ) {
    self.prefixes = prefixes
    self.everywhere = everywhere
    self.operations = operations
    self.conditions = conditions
    self.formFields = formFields
  }

  /// Checks that a request has no header whose effect would be left out; empty headers count as absent.
  ///
  /// - Throws: `NotImplemented`.
  func check(_ headers: HTTPFields, for operation: Operation) throws(RefusalAnswer) {
    for field in headers where !field.value.isEmpty {
      let name = field.name.canonicalName
      let isRefused =
        Self.refusedOnWrites.contains(name) && !operation.isRead && conditions[name]?.contains(operation) != true
      if Self.refusedAlways.contains(name) || isRefused { throw Self.refusal(name) }
      guard let rest = ownName(name) else { continue }
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
  func check(_ form: SubmittedForm) throws(RefusalAnswer) {
    for field in form.fields where !field.value.isEmpty {
      let name = field.name.asciiLowercased
      if Self.refusedAlways.contains(name) || name == "callback" || name == "callback-var" { throw Self.refusal(name) }
      guard let rest = ownName(name) else { continue }
      guard
        rest.hasBytePrefix("meta-") || everywhere.contains(rest) || formFields.contains(rest)
          || operations[rest]?.contains(.putObject) == true
      else { throw Self.refusal(name) }
    }
  }

  /// The name of one of the service's own headers without the first prefix; `nil` for any other header.
  private func ownName(_ name: String) -> String? {
    if let rest = name.removingBytePrefix(prefixes[0]) { return String(rest) }
    return prefixes.contains { name.hasBytePrefix($0) } ? name : nil
  }

  private static func refusal(_ name: String) -> RefusalAnswer {
    .notImplemented(
      "The header \"\(name)\" is not part of this server for this operation; send the request without it.")
  }
}
