// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The conditions of a request on an existing object.
struct Conditions {
  private let match: String?
  private let noneMatch: String?
  private let modifiedSince: Timestamp?
  private let unmodifiedSince: Timestamp?

  /// Reads the conditional headers (`If-Match` and so on) whose names start with a prefix.
  init(_ headers: HTTPFields, prefix: String = "") {
    func value(_ name: String) -> String? { headers.first(prefix + name).flatMap { $0.isEmpty ? nil : $0 } }
    match = value("if-match")
    noneMatch = value("if-none-match")
    modifiedSince = value("if-modified-since").flatMap { Timestamp(httpDate: $0) }
    unmodifiedSince = value("if-unmodified-since").flatMap { Timestamp(httpDate: $0) }
  }

  /// Evaluates the conditions in the order of RFC 9110, section 13.2.2.
  ///
  /// - Returns: Whether the object differs from the one that the client already has.
  /// - Throws: `PreconditionFailed` if a precondition does not hold.
  func isNews(_ object: StoredObject) throws(RefusalAnswer) -> Bool {
    if let match {
      guard Self.names(match, object) else { throw .preconditionFailed("If-Match") }
    } else if let unmodifiedSince, object.modified.wholeSeconds > unmodifiedSince {
      throw .preconditionFailed("If-Unmodified-Since")
    }
    if let noneMatch { return !Self.names(noneMatch, object) }
    return modifiedSince.map { object.modified.wholeSeconds > $0 } ?? true
  }

  /// Returns whether a list of entity tags contains that of an object; services differ in the case of the digits.
  static func names(_ list: String, _ object: StoredObject) -> Bool {
    list.words(between: ",").contains { item in
      var tag = item.trimmed()
      if tag == "*" { return true }
      if tag.hasBytePrefix("W/") { tag = tag.dropFirst(2) }
      return String(tag).unquoted.asciiLowercased == object.content.entityTag
    }
  }
}

/// The conditions of a write on the object that it replaces.
///
/// ``HeaderRules`` rejects these headers before, unless the service supports them for the operation.
struct WriteConditions {
  private let match: String?
  private let noneMatch: String?

  /// Reads the conditional headers.
  ///
  /// - Throws: `NotImplemented` for an `If-None-Match` other than `*`.
  init(_ headers: HTTPFields) throws(RefusalAnswer) {
    match = headers.first("if-match").flatMap { $0.isEmpty ? nil : $0 }
    noneMatch = headers.first("if-none-match").flatMap { $0.isEmpty ? nil : $0 }
    if let noneMatch, noneMatch != "*" {
      throw .notImplemented("The header If-None-Match of a write can only be *.")
    }
  }

  /// Checks the conditions.
  ///
  /// - Parameters:
  ///   - existing: The existing object, or `nil` if there is none.
  ///   - key: The key of the object.
  /// - Throws: `PreconditionFailed` if a condition does not hold, or `NoSuchKey` if `If-Match` requires an object that
  ///   does not exist.
  func check(_ existing: StoredObject?, _ key: ObjectKey) throws(RefusalAnswer) {
    if noneMatch != nil, existing != nil { throw .preconditionFailed("If-None-Match") }
    guard let match else { return }
    guard let existing else { throw .noSuchKey(key.text) }
    guard Conditions.names(match, existing) else { throw .preconditionFailed("If-Match") }
  }
}

extension Substring {
  /// Returns the text without blanks at both ends.
  func trimmed() -> Substring {
    var result = drop { $0 == " " || $0 == "\t" }
    while let last = result.last, last == " " || last == "\t" { result.removeLast() }
    return result
  }
}

extension String {
  /// The string without enclosing quotation marks, if it has them.
  var unquoted: String {
    utf8.count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
  }
}
