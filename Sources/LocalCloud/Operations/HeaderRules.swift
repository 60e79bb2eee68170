// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The service-specific headers that this server supports, and the operations that support them.
///
/// A header with the service's prefix that an operation does not support is rejected: otherwise an object could be
/// stored without the requested encryption, or be overwritten although the client forbids it.
struct HeaderRules: Sendable {
  private let prefixes: [String]
  private let everywhere: Set<String>
  private let operations: [String: Set<Operation>]
  private let conditions: [String: Set<Operation>]
  private let formFields: Set<String>

  /// Unsupported headers without the service's prefix that change the result of any operation.
  private static let refusedAlways: Set<String> = ["pic-operations"]

  /// Unsupported headers without the service's prefix that change the result of a write.
  private static let refusedOnWrites: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-range",
  ]

  static let creations: Set<Operation> = [.putObject, .copyObject, .initiateUpload]
  static let parts: Set<Operation> = [.uploadPart, .copyPart]
  static let copies: Set<Operation> = [.copyObject, .copyPart]
  private static let transfers = Set(Operation.allCases.filter(\.isTransfer))

  /// The headers that the services share, by name without the service's prefix.
  static let shared: [String: Set<Operation>] = [
    "traffic-limit": transfers, "storage-class": creations, "tagging": creations, "tagging-directive": [.copyObject],
    "metadata-directive": [.copyObject], "forbid-overwrite": creations.union([.completeUpload]),
    "copy-source": copies, "copy-source-range": [.copyPart], "copy-source-if-match": copies,
    "copy-source-if-none-match": copies, "copy-source-if-modified-since": copies,
    "copy-source-if-unmodified-since": copies, "server-side-encryption": creations,
  ]

  /// The headers of customer-provided encryption keys.
  static let customerKeys = Dictionary(
    CustomerKey.headers.map {
      ($0, creations.union(parts).union([.completeUpload, .getObject, .headObject, .objectAttributes]))
    }
      + CustomerKey.headers.map { ("copy-source-\($0)", copies) }
  ) { $0.union($1) }

  /// Creates the rules of a service.
  ///
  /// - Parameters:
  ///   - prefixes: The prefixes of the service's own headers, the most common one first.
  ///   - everywhere: The headers that every operation supports: without the first prefix, or whole with any other
  ///     prefix.
  ///   - operations: The operations that support a header, by its name without the first prefix.
  ///   - conditions: The operations that support a condition on the object that a write replaces, by the header's name.
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

  /// Checks that a request has no header that the server would ignore; empty headers count as absent.
  ///
  /// - Throws: `NotImplemented` for the first unsupported header.
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

  /// Checks that a form has no field that the server would ignore.
  ///
  /// A field corresponds to a header of the equivalent PUT request, or belongs to the signature.
  ///
  /// - Throws: `NotImplemented` for the first unsupported field.
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

  /// Returns the name of a service-specific header without the first prefix, or `nil` for any other header.
  private func ownName(_ name: String) -> String? {
    if let rest = name.removingBytePrefix(prefixes[0]) { return String(rest) }
    return prefixes.contains { name.hasBytePrefix($0) } ? name : nil
  }

  private static func refusal(_ name: String) -> RefusalAnswer {
    .notImplemented(
      "The header \"\(name)\" is not supported for this operation by this server; send the request without it.")
  }
}
