// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The conditions that a request sets on an object that it reads, copies, replaces or deletes, such as `If-None-Match`.
///
/// ``HeaderRules`` rejects the conditional headers of a write unless the service supports them for the operation.
struct Conditions {
  private let match, noneMatch: String?
  private let modifiedSince, unmodifiedSince: Timestamp?

  /// Creates the conditions from headers whose names start with a prefix, such as `x-oss-copy-source-`.
  init(_ headers: HTTPFields, prefix: String = "") {
    func value(_ name: String) -> String? { headers.first(prefix + name).flatMap { $0.isEmpty ? nil : $0 } }
    match = value("if-match")
    noneMatch = value("if-none-match")
    modifiedSince = value("if-modified-since").flatMap { Timestamp(httpDate: $0) }
    unmodifiedSince = value("if-unmodified-since").flatMap { Timestamp(httpDate: $0) }
  }

  /// Returns whether the client's version is outdated; throws if another condition fails (RFC 9110, section 13.2.2).
  func isModified(_ object: StoredObject) throws(ErrorResponse) -> Bool {
    if let match {
      guard Self.matches(match, object) else { throw .preconditionFailed("If-Match") }
    } else if let unmodifiedSince, object.modified.wholeSeconds > unmodifiedSince {
      throw .preconditionFailed("If-Unmodified-Since")
    }
    if let noneMatch { return !Self.matches(noneMatch, object) }
    return modifiedSince.map { object.modified.wholeSeconds > $0 } ?? true
  }

  /// Throws unless the conditions of a write hold for the object that it replaces or deletes.
  func checkWrite(over existing: StoredObject?, _ key: ObjectKey) throws(ErrorResponse) {
    if let noneMatch, noneMatch != "*" { throw .notImplemented("The header If-None-Match of a write can only be *.") }
    if noneMatch != nil, existing != nil { throw .preconditionFailed("If-None-Match") }
    guard let match else { return }
    guard let existing else { throw .noSuchKey(key.string) }
    guard Self.matches(match, existing) else { throw .preconditionFailed("If-Match") }
  }

  /// Returns whether a list contains an object's entity tag; services differ in the case of its digits.
  static func matches(_ list: String, _ object: StoredObject) -> Bool {
    list.words(between: ",").contains { item in
      var tag = item.trimmingBlanks
      if tag == "*" { return true }
      if tag.hasBytePrefix("W/") { tag = tag.dropFirst(2) }
      return String(tag).unquoted.asciiLowercased == object.content.entityTag
    }
  }
}

extension String {
  var unquoted: String { utf8.count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self }
}

/// A byte range of an object: from a first byte to an optional last one, or a number of bytes at the end.
struct RequestedRange {
  private let first: Int64?
  /// The last byte, or the number of bytes at the end if there is no first byte.
  private let last: Int64?

  /// Parses a `Range` header, or returns `nil` if it is not a single byte range; the server ignores such headers.
  init?(_ header: String) {
    guard let bounds = header.removingBytePrefix("bytes=")?.parts(between: "-"), bounds.count == 2,
      bounds.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    (first, last) = (Int64(bounds[0]), Int64(bounds[1]))
    // A bound that is not empty, but has no value, exceeds the integer.
    guard bounds[0].isEmpty == (first == nil), bounds[1].isEmpty == (last == nil), first != nil || last != nil,
      first ?? 0 <= last ?? .max
    else { return nil }
  }

  /// Returns the range clamped to the size of an object, or `nil` if it contains no byte of the object.
  func bytes(of byteCount: Int64) -> Range<Int64>? {
    let start = first ?? max(0, byteCount - (last ?? 0))
    guard start < byteCount else { return nil }
    return start..<(first == nil ? byteCount : min(last ?? .max, byteCount - 1) + 1)
  }

  /// Returns whether an object contains every byte of the range.
  func lies(within byteCount: Int64) -> Bool {
    if let first { return max(first, last ?? first) < byteCount }
    return last.map { $0 > 0 && $0 <= byteCount } ?? false
  }
}

/// The bucket, the key and the version of a copy's source object.
struct NamedSource {
  let bucket: String
  let key: ObjectKey
  let version: String?

  /// Creates the source of a copy from a percent-encoded header value, `/bucket/key` or `bucket/key`.
  ///
  /// In COS, the value starts with a host, which contains the bucket name. If requests name the bucket in the path at
  /// this host, the bucket name precedes the key.
  init(_ header: String, of service: SimulatedService) throws(ErrorResponse) {
    let pathAndQuery = header.parts(between: "?", maxSplits: 1)
    version = pathAndQuery.dropFirst().first?.removingBytePrefix("versionId=").map(String.init)
    if version == "" { throw .invalidArgument("The versionId of the copy source is empty.") }
    guard let bytes = String(pathAndQuery[0]).percentDecodedBytes(), let text = String(utf8: bytes) else {
      throw .invalidArgument("The copy source is not percent-encoded UTF-8.")
    }
    var path = text.hasBytePrefix("/") ? text.dropFirst() : text[...]
    var name = Self.removeFirstSegment(of: &path)
    if service.objects.copySourceHasHost {
      let isInPath =
        isAddressOrLocalhost(name) || service.behavior.pathHosts.contains(name) && !service.isBucketName(name)
      name = isInPath ? Self.removeFirstSegment(of: &path) : service.description.hosts.bucket(in: name) ?? name
    }
    guard service.isBucketName(name), !path.isEmpty else {
      throw .invalidArgument("The copy source \"\(header)\" does not name a bucket and a key.")
    }
    bucket = name
    key = ObjectKey(String(path))
  }

  /// Removes the first path segment and the slash after it from a path, and returns the segment.
  private static func removeFirstSegment(of path: inout Substring) -> String {
    let segment = path.bytes(before: "/")
    path = Substring(path[segment.endIndex...].utf8.dropFirst())
    return String(segment)
  }
}
