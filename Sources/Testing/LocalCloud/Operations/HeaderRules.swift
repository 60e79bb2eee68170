// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The service-specific headers that this server supports, and the operations that support them.
///
/// A header with the service's prefix is rejected if the operation does not support it. Otherwise, an object could be
/// stored without the requested encryption, or be overwritten although the client forbids it.
struct HeaderRules: Sendable {
  private let prefixes: [String]
  private let everywhere: Set<String>
  private let operations: [String: Set<Operation>]
  private let conditions: [String: Set<Operation>]
  private let formFields: Set<String>
  private let takesFormCallback: Bool

  /// The names of unsupported headers that change the result of any operation, although they don't have the service's
  /// prefix.
  private static let refusedAlways: Set<String> = ["pic-operations"]

  /// The names of unsupported headers that change the result of a write, although they don't have the service's prefix.
  private static let refusedOnWrites: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-range",
  ]

  static let creations: Set<Operation> = [.putObject, .copyObject, .initiateUpload]
  static let parts: Set<Operation> = [.uploadPart, .copyPart]
  static let copies: Set<Operation> = [.copyObject, .copyPart]
  private static let transfers = Set(Operation.allCases.filter(\.isTransfer))

  /// The operations that support a header, for the headers that all services have.
  ///
  /// The keys are header names without the service's prefix.
  static let shared: [String: Set<Operation>] = [
    "traffic-limit": transfers, "storage-class": creations, "tagging": creations, "tagging-directive": [.copyObject],
    "metadata-directive": [.copyObject], "forbid-overwrite": creations.union([.completeUpload]),
    "copy-source": copies, "copy-source-range": [.copyPart], "copy-source-if-match": copies,
    "copy-source-if-none-match": copies, "copy-source-if-modified-since": copies,
    "copy-source-if-unmodified-since": copies, "server-side-encryption": creations,
  ]

  /// The operations that support the headers for customer-provided encryption keys, by header name without the
  /// service's prefix.
  static let customerKeys = Dictionary(
    CustomerKey.headers.map {
      ($0, creations.union(parts).union([.completeUpload, .getObject, .headObject, .objectAttributes]))
    }
      + CustomerKey.headers.map { ("copy-source-\($0)", copies) }
  ) { $0.union($1) }

  /// Creates the header rules of a service.
  ///
  /// - Parameters:
  ///   - prefixes: The prefixes of service-specific headers, the most common prefix first.
  ///   - everywhere: The headers that every operation supports. Headers with the first prefix are listed without it;
  ///     other headers are listed with their full names.
  ///   - operations: The operations that support a header, by header name without the first prefix.
  ///   - conditions: The operations that support a conditional header for the object that a write replaces, by header
  ///     name.
  ///   - formFields: The form fields that belong to the form's signature, without the first prefix.
  ///   - takesFormCallback: Whether a form may have the field `callback`.
  init(
    _ prefixes: [String], everywhere: Set<String>, _ operations: [String: Set<Operation>],
    conditions: [String: Set<Operation>] = [:], formFields: Set<String> = [], takesFormCallback: Bool = false
  ) {
    self.prefixes = prefixes
    self.everywhere = everywhere
    self.operations = operations
    self.conditions = conditions
    self.formFields = formFields
    self.takesFormCallback = takesFormCallback
  }

  /// Checks that the operation supports all headers of a request, so that the server ignores no header that matters.
  ///
  /// Headers with empty values count as absent.
  ///
  /// - Throws: `NotImplemented` for the first unsupported header.
  func check(_ headers: HTTPFields, for operation: Operation) throws(ErrorResponse) {
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

  /// Checks that the server supports all fields of a form upload.
  ///
  /// A supported field corresponds to a header of the equivalent PUT request, or belongs to the form's signature.
  ///
  /// - Throws: `NotImplemented` for the first unsupported field.
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

  /// Returns the name of a service-specific header without the first prefix, or `nil` for any other header.
  ///
  /// If the name has a prefix other than the first prefix, it is returned unchanged.
  private func ownName(_ name: String) -> String? {
    if let rest = name.removingBytePrefix(prefixes[0]) { return String(rest) }
    return prefixes.contains { name.hasBytePrefix($0) } ? name : nil
  }

  private static func refusal(_ name: String) -> ErrorResponse {
    .notImplemented(
      "The header \"\(name)\" is not supported for this operation by this server; send the request without it.")
  }
}
