// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The conditions that a read request sets on an object, such as `If-None-Match`.
struct Conditions {
  private let match: String?
  private let noneMatch: String?
  private let modifiedSince: Timestamp?
  private let unmodifiedSince: Timestamp?

  /// Creates the conditions from the request headers.
  ///
  /// - Parameter prefix: The prefix of the header names, such as `x-oss-copy-source-`; empty for conditions on the
  ///   object itself.
  init(_ headers: HTTPFields, prefix: String = "") {
    func value(_ name: String) -> String? { headers.first(prefix + name).flatMap { $0.isEmpty ? nil : $0 } }
    match = value("if-match")
    noneMatch = value("if-none-match")
    modifiedSince = value("if-modified-since").flatMap { Timestamp(httpDate: $0) }
    unmodifiedSince = value("if-unmodified-since").flatMap { Timestamp(httpDate: $0) }
  }

  /// Evaluates the conditions in the order of RFC 9110, section 13.2.2.
  ///
  /// - Returns: Whether the object differs from the version that the client already has.
  /// - Throws: `PreconditionFailed` if a condition of `If-Match` or `If-Unmodified-Since` is not met.
  func isNews(_ object: StoredObject) throws(ErrorResponse) -> Bool {
    if let match {
      guard Self.names(match, object) else { throw .preconditionFailed("If-Match") }
    } else if let unmodifiedSince, object.modified.wholeSeconds > unmodifiedSince {
      throw .preconditionFailed("If-Unmodified-Since")
    }
    if let noneMatch { return !Self.names(noneMatch, object) }
    return modifiedSince.map { object.modified.wholeSeconds > $0 } ?? true
  }

  /// Returns whether a list of entity tags contains an object's entity tag.
  ///
  /// The comparison ignores the case of the digits, because services differ in it.
  static func names(_ list: String, _ object: StoredObject) -> Bool {
    list.words(between: ",").contains { item in
      var tag = item.trimmingBlanks
      if tag == "*" { return true }
      if tag.hasBytePrefix("W/") { tag = tag.dropFirst(2) }
      return String(tag).unquoted.asciiLowercased == object.content.entityTag
    }
  }
}

/// The conditions that a write request sets on the object that it replaces.
///
/// ``HeaderRules`` rejects the conditional headers beforehand unless the service supports them for the operation.
struct WriteConditions {
  private let match: String?
  private let noneMatch: String?

  /// Creates the conditions of a write from the request headers.
  ///
  /// - Throws: `NotImplemented` for an `If-None-Match` other than `*`.
  init(_ headers: HTTPFields) throws(ErrorResponse) {
    match = headers.first("if-match").flatMap { $0.isEmpty ? nil : $0 }
    noneMatch = headers.first("if-none-match").flatMap { $0.isEmpty ? nil : $0 }
    if let noneMatch, noneMatch != "*" {
      throw .notImplemented("The header If-None-Match of a write can only be *.")
    }
  }

  /// Checks whether an existing object meets the conditions.
  ///
  /// - Parameters:
  ///   - existing: The existing object, or `nil` if the key has no object.
  ///   - key: The object key.
  /// - Throws: `PreconditionFailed` if a condition is not met, or `NoSuchKey` if `If-Match` requires an object that
  ///   does not exist.
  func check(_ existing: StoredObject?, _ key: ObjectKey) throws(ErrorResponse) {
    if noneMatch != nil, existing != nil { throw .preconditionFailed("If-None-Match") }
    guard let match else { return }
    guard let existing else { throw .noSuchKey(key.text) }
    guard Conditions.names(match, existing) else { throw .preconditionFailed("If-Match") }
  }
}

extension String {
  /// The string without enclosing quotation marks, or the string itself if it isn't enclosed in quotation marks.
  var unquoted: String {
    utf8.count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
  }
}
