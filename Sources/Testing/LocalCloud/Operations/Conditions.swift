// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The conditions that a read request sets on an object, such as `If-None-Match`.
struct Conditions {
  private let match: String?
  private let noneMatch: String?
  private let modifiedSince: Timestamp?
  private let unmodifiedSince: Timestamp?

  /// Creates the conditions from headers whose names start with a prefix, such as `x-oss-copy-source-`.
  init(_ headers: HTTPFields, prefix: String = "") {
    func value(_ name: String) -> String? { headers.first(prefix + name).flatMap { $0.isEmpty ? nil : $0 } }
    match = value("if-match")
    noneMatch = value("if-none-match")
    modifiedSince = value("if-modified-since").flatMap { Timestamp(httpDate: $0) }
    unmodifiedSince = value("if-unmodified-since").flatMap { Timestamp(httpDate: $0) }
  }

  /// Returns whether the object differs from the client's version, in the order of RFC 9110, section 13.2.2.
  ///
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

  /// Returns whether a list contains an object's entity tag; services differ in the case of its digits.
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

  /// Creates the conditions of a write, in which `If-None-Match` can only be `*`.
  init(_ headers: HTTPFields) throws(ErrorResponse) {
    match = headers.first("if-match").flatMap { $0.isEmpty ? nil : $0 }
    noneMatch = headers.first("if-none-match").flatMap { $0.isEmpty ? nil : $0 }
    if let noneMatch, noneMatch != "*" { throw .notImplemented("The header If-None-Match of a write can only be *.") }
  }

  func check(_ existing: StoredObject?, _ key: ObjectKey) throws(ErrorResponse) {
    if noneMatch != nil, existing != nil { throw .preconditionFailed("If-None-Match") }
    guard let match else { return }
    guard let existing else { throw .noSuchKey(key.text) }
    guard Conditions.names(match, existing) else { throw .preconditionFailed("If-Match") }
  }
}

extension String {
  /// The string without enclosing quotation marks, or the string itself if it isn't enclosed in quotation marks.
  var unquoted: String { utf8.count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self }
}

struct RequestedRange {
  /// The bounds of a range: a first byte with an optional last byte, or a number of bytes at the end.
  private enum Bounds {
    case from(Int64, through: Int64?)
    case last(Int64)
  }

  private let bounds: Bounds

  /// Parses a `Range` header, or returns `nil` if it is not a single byte range; the server ignores such headers.
  init?(_ header: String) {
    guard header.hasBytePrefix("bytes=") else { return nil }
    let parts = header.dropFirst("bytes=".count).parts(between: "-")
    guard parts.count == 2 else { return nil }
    let numbers = parts.map { Self.number($0) }
    switch (parts[0].isEmpty, parts[1].isEmpty) {
    case (true, false):
      guard let count = numbers[1] else { return nil }
      bounds = .last(count)
    case (false, true):
      guard let first = numbers[0] else { return nil }
      bounds = .from(first, through: nil)
    case (false, false):
      guard let first = numbers[0], let last = numbers[1], first <= last else { return nil }
      bounds = .from(first, through: last)
    case (true, true):
      return nil
    }
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
  }

  /// Returns the range clamped to the size of an object, or `nil` if it contains no byte of the object.
  func bytes(of byteCount: Int64) -> Range<Int64>? {
    switch bounds {
    case .from(let first, let last):
      guard first < byteCount else { return nil }
      return first..<(min(last ?? byteCount - 1, byteCount - 1) + 1)
    case .last(let count):
      guard count > 0, byteCount > 0 else { return nil }
      return max(0, byteCount - count)..<byteCount
    }
  }

  /// Returns whether an object of a size contains all bytes of the range.
  func lies(within byteCount: Int64) -> Bool {
    switch bounds {
    case .from(let first, let last): first < byteCount && (last ?? first) < byteCount
    case .last(let count): count > 0 && count <= byteCount
    }
  }
}

/// The bucket, the key and the version of a copy's source object.
struct NamedSource {
  let bucket: String
  let key: ObjectKey
  let version: String?

  /// Creates the source of a copy from a percent-encoded header value, `/bucket/key` or `bucket/key`.
  ///
  /// Instead of the bucket name, the value can start with a host if the service has it so. The host contains the bucket
  /// name, unless the host is one at which requests name the bucket in the path: then the bucket name precedes the key.
  init(_ header: String, of service: SimulatedService) throws(ErrorResponse) {
    let parts = header.parts(between: "?", atMost: 1)
    version = parts.dropFirst().first?.removingBytePrefix("versionId=").map(String.init)
    if version == "" { throw .invalidArgument("The versionId of the copy source is empty.") }
    guard let bytes = String(parts[0]).percentDecodedBytes(),
      let text = String(utf8: bytes)
    else { throw .invalidArgument("The copy source is not percent-encoded UTF-8.") }
    var rest = text.hasBytePrefix("/") ? text.dropFirst() : text[...]
    var name = Self.takeSegment(of: &rest)
    if service.objects.copySourceHasHost {
      let isInPath =
        isAddressOrLocalhost(name) || service.behavior.pathHosts.contains(name) && !service.isBucketName(name)
      name = isInPath ? Self.takeSegment(of: &rest) : service.description.hosts.bucket(in: name) ?? name
    }
    guard service.isBucketName(name), !rest.isEmpty else {
      throw .invalidArgument("The copy source \"\(header)\" does not name a bucket and a key.")
    }
    self.bucket = name
    key = ObjectKey(String(rest))
  }

  /// Removes the first path segment and the slash after it from a path, and returns the segment.
  private static func takeSegment(of text: inout Substring) -> String {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      defer { text = "" }
      return String(text)
    }
    defer { text = text[text.utf8.index(after: slash)...] }
    return String(text[..<slash])
  }
}
