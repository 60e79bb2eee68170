internal import HTTPTypes
internal import StorageAuth

/// The conditions of a request on an object that is there.
struct Conditions {
  private let match: String?
  private let noneMatch: String?
  private let modifiedSince: Timestamp?
  private let unmodifiedSince: Timestamp?

  /// Reads the headers `If-Match` and so on, or those that start with a prefix.
  init(_ headers: HTTPFields, prefix: String = "") {
    func value(_ name: String) -> String? { headers.first(prefix + name).flatMap { $0.isEmpty ? nil : $0 } }
    match = value("if-match")
    noneMatch = value("if-none-match")
    modifiedSince = value("if-modified-since").flatMap { Timestamp(httpDate: $0) }
    unmodifiedSince = value("if-unmodified-since").flatMap { Timestamp(httpDate: $0) }
  }

  /// Checks the conditions in the order of RFC 9110, 13.2.2.
  ///
  /// - Returns: Whether the object is another one than the client has.
  /// - Throws: `PreconditionFailed`.
  func isNews(_ object: StoredObject) throws(RefusalAnswer) -> Bool {
    if let match {
      guard Self.names(match, object) else { throw .preconditionFailed("If-Match") }
    } else if let unmodifiedSince, object.modified.wholeSeconds > unmodifiedSince {
      throw .preconditionFailed("If-Unmodified-Since")
    }
    if let noneMatch { return !Self.names(noneMatch, object) }
    return modifiedSince.map { object.modified.wholeSeconds > $0 } ?? true
  }

  /// Whether a list of entity tags names an object; the services differ in the case of the digits.
  static func names(_ list: String, _ object: StoredObject) -> Bool {
    list.words(between: ",").contains { item in
      var tag = item.trimmed()
      if tag == "*" { return true }
      if tag.hasBytePrefix("W/") { tag = tag.dropFirst(2) }
      return String(tag).unquoted.asciiLowercased == object.content.entityTag
    }
  }
}

/// The conditions of a write on what it replaces.
///
/// Only services that take the headers get here with one.
struct WriteConditions {
  private let match: String?
  private let noneMatch: String?

  /// Reads the headers.
  ///
  /// - Throws: `NotImplemented` for an `If-None-Match` that is not `*`.
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
  ///   - existing: What is there.
  ///   - key: Its key.
  /// - Throws: `PreconditionFailed`, or `NoSuchKey` where something has to be there.
  func check(_ existing: StoredObject?, _ key: ObjectKey) throws(RefusalAnswer) {
    if noneMatch != nil, existing != nil { throw .preconditionFailed("If-None-Match") }
    guard let match else { return }
    guard let existing else { throw .noSuchKey(key.text) }
    guard Conditions.names(match, existing) else { throw .preconditionFailed("If-Match") }
  }
}

extension Substring {
  /// Without blanks at both ends.
  func trimmed() -> Substring {
    var result = drop { $0 == " " || $0 == "\t" }
    while let last = result.last, last == " " || last == "\t" { result.removeLast() }
    return result
  }
}

extension String {
  /// Without the quotes around it, if there are some.
  var unquoted: String {
    utf8.count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
  }
}
