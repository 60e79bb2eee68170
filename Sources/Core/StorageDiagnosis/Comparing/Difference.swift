// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A part of the signed strings whose value differs between the client and the service.
struct Difference {
  let part: SignedPart
  /// The value that the client signed, or `nil` if the part was absent.
  let sent: String?
  /// The value that the service signed, or `nil` if the part was absent.
  let received: String?

  /// Returns the parts that differ, the most informative first; the hash of the canonical request is not compared.
  ///
  /// A secret value that is masked on one side counts as equal.
  static func find(from sent: SignedParts, to received: SignedParts, dateHeaders: Set<String>) -> [Difference] {
    let allParts = sent.parts + received.parts.filter { sent.values[$0] == nil }
    var differences: [Difference] = []
    for part in allParts where part != .requestHash {
      let (sentValues, receivedValues) = (sent.values[part] ?? [], received.values[part] ?? [])
      if sentValues.elementsEqual(receivedValues, by: { $0.isIdentical(to: $1) }) { continue }
      let bothHaveValues = !sentValues.isEmpty && !receivedValues.isEmpty
      if part.isSecret, bothHaveValues, (sentValues + receivedValues).contains(where: isMasked) { continue }
      differences.append(
        Difference(
          part: part, sent: sentValues.isEmpty ? nil : sentValues.joined(separator: ", "),
          received: receivedValues.isEmpty ? nil : receivedValues.joined(separator: ", ")))
    }
    // Swift's sort keeps the order of parts with the same rank.
    return differences.sorted { $0.part.rank(dateHeaders) < $1.part.rank(dateHeaders) }
  }

  /// Returns whether a service, or this package, has replaced a secret in the value.
  static func isMasked(_ value: String) -> Bool { value.contains(Secret.mask) || value.contains("***") }

  func finding(_ cause: SignatureDiagnosis.Cause, others: [Difference]) -> SignatureFinding {
    var finding = SignatureFinding(
      cause, line: part.name.onOneLine, sent: sent.map(displayed), received: received.map(displayed))
    finding.otherLines = others.map(\.part.name.onOneLine)
    return finding
  }

  private func displayed(_ value: String) -> String { part.isSecret ? Secret.mask : value.onOneLine }

  /// Returns the most likely reason why the part differs, from what the client sent.
  func cause(in sentRequest: SentRequest) -> SignatureDiagnosis.Cause {
    if case .header(let name) = part, sentRequest.reader.dateHeaders.contains(name) {
      return received == nil ? .dateMissing : .dateChanged
    }
    return switch part {
    case .algorithm: .wrongVersion
    case .method: .methodChanged
    case .path: pathCause(in: sentRequest)
    case .parameter(let name): parameterCause(name, in: sentRequest)
    case .header("host"): hostCause
    case .header("content-type"): sent == nil ? .contentTypeAdded : .contentTypeChanged
    case .header("content-md5"): .contentMD5Changed
    case .date: received == nil ? .dateMissing : .dateChanged
    case .header: headerCause
    case .signingTime, .window: .dateChanged
    case .scopeDay: .wrongDay
    case .scopeRegion: .wrongRegion
    case .scopeService: .wrongService
    case .additionalHeaders: .additionalHeaders
    case .signedHeaders: .signedListMismatch
    case .payloadHash: .payloadHash
    case .requestHash: .hiddenDifference
    }
  }

  private var hostCause: SignatureDiagnosis.Cause {
    guard let decoded = decodedValues else { return sent == nil ? .headerAdded : .headerRemoved }
    let (sent, received) = (decoded.sent.asciiLowercased, decoded.received.asciiLowercased)
    return sent != received && hostWithoutPort(sent) == hostWithoutPort(received) ? .hostPort : .hostChanged
  }

  private var headerCause: SignatureDiagnosis.Cause {
    switch (sent, received) {
    case (nil, _): part.isToken ? .tokenUnsigned : .headerAdded
    case (_, nil): part.isToken ? .tokenMissing : .headerRemoved
    case (let sent?, let received?):
      part.isToken ? .tokenOfAnotherKey : Self.encodingCause(from: sent, to: received) ?? .headerChanged
    }
  }

  private func parameterCause(_ name: String, in sentRequest: SentRequest) -> SignatureDiagnosis.Cause {
    switch (sent, received) {
    case (nil, _) where part.isToken: .tokenUnsigned
    case (nil, _): sentRequest.hasParameter(name) ? .subresourceUnsigned : .parameterAdded
    case (_, nil): part.isToken ? .tokenMissing : .parameterRemoved
    case (let sent?, let received?):
      part.isToken ? .tokenOfAnotherKey : Self.encodingCause(from: sent, to: received) ?? .parameterChanged
    }
  }

  private func pathCause(in sentRequest: SentRequest) -> SignatureDiagnosis.Cause {
    guard let sent, let received, let decoded = decodedValues else { return .pathChanged }
    return Self.encodingCause(from: sent, to: received)
      ?? PathComparison(sent: decoded.sent, received: decoded.received, sentRequest: sentRequest).cause ?? .pathChanged
  }

  /// Both values, percent-decoded if both are well-formed, or `nil` if one of the values is absent.
  private var decodedValues: (sent: String, received: String)? {
    guard let sent, let received else { return nil }
    guard let decodedSent = sent.percentDecoded(), let decodedReceived = received.percentDecoded() else {
      return (sent, received)
    }
    return (decodedSent, decodedReceived)
  }

  /// Returns the cause of a difference between two values that are equal except for their encoding, or `nil`.
  private static func encodingCause(from sent: String, to received: String) -> SignatureDiagnosis.Cause? {
    // Several values can be equal to the one into which an intermediary has joined them.
    if sent.isIdentical(to: received) { return nil }
    let (decodedSent, decodedReceived) = (sent.percentDecoded(), received.percentDecoded())
    let haveEscapes = sent.utf8.contains(UInt8(ascii: "%")) && received.utf8.contains(UInt8(ascii: "%"))
    if haveEscapes, let decodedSent, let decodedReceived, decodedSent.isIdentical(to: decodedReceived) {
      return .escapeSpelling
    }
    // `==` compares canonically equivalent characters as equal, `isIdentical` compares bytes.
    if sent == received { return .unicodeForm }
    for (first, second) in [(sent, received), (decodedSent ?? sent, decodedReceived ?? received)]
    where !first.isIdentical(to: second) && first.plusAsSpace.isIdentical(to: second.plusAsSpace) {
      return .plusForSpace
    }
    if decodedReceived?.isIdentical(to: sent) ?? false { return .encodedTwice }
    if decodedSent?.isIdentical(to: received) ?? false { return .decodedTwice }
    if let decodedSent, let decodedReceived, decodedSent == decodedReceived { return .unicodeForm }
    return nil
  }
}

extension String {
  fileprivate var plusAsSpace: String {
    String(decoding: utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }
}

/// A comparison of the decoded path that the client signed with the one that the service received.
struct PathComparison {
  let sent: String
  let received: String
  let sentRequest: SentRequest

  /// The reason why the paths differ, or `nil` if none is known; a bucket name explains more than any other prefix.
  var cause: SignatureDiagnosis.Cause? {
    if sent.slashesMerged.isIdentical(to: received) { return .slashesMerged }
    let resolvedPath = sent.dotsResolved
    if resolvedPath.isIdentical(to: received) || resolvedPath.slashesMerged.isIdentical(to: received) {
      return .dotsResolved
    }
    let request = sentRequest.request
    let signsBucketOutsidePath = sentRequest.reader.signsBucketOutsidePath(of: request)
    let hostLabel = signsBucketOutsidePath ? "" : String((request.authority ?? "").bytes(before: "."))
    let isBucketRepeated =
      isPath(sent, equalTo: bucketAndKey(received).bucket, before: received)
      || isPath(received, equalTo: bucketAndKey(sent).bucket, before: sent)
      || isPath(received, equalTo: hostLabel, before: sent)
    if isBucketRepeated { return .bucketTwice }
    return signsBucketOutsidePath ? causeWithBucketsInPaths : prefixCause(from: sent, to: received)
  }

  private func isPath(_ path: String, equalTo bucket: String, before otherPath: String) -> Bool {
    !bucket.isEmpty && path.isIdentical(to: "/\(bucket)\(otherPath)")
  }

  /// The cause of the difference if the signed paths start with the bucket name, whether or not the URL shows it.
  private var causeWithBucketsInPaths: SignatureDiagnosis.Cause? {
    let (sentPath, receivedPath) = (bucketAndKey(sent), bucketAndKey(received))
    if sentPath.bucket.isIdentical(to: receivedPath.bucket) {
      return prefixCause(from: sentPath.key, to: receivedPath.key)
    }
    if sentPath.key.isIdentical(to: receivedPath.key) { return .wrongBucket }
    if receivedPath.key.isIdentical(to: sent) { return .bucketMissing }
    return prefixCause(from: sent, to: received)
  }

  private func prefixCause(from sentPath: String, to receivedPath: String) -> SignatureDiagnosis.Cause? {
    // An empty key is the suffix of every path, such as that of a bucket without its trailing slash.
    guard !sentPath.isEmpty, !receivedPath.isEmpty, !sentPath.isIdentical(to: receivedPath) else { return nil }
    if receivedPath.hasByteSuffix(sentPath) { return .pathPrefixAdded }
    return sentPath.hasByteSuffix(receivedPath) ? .pathPrefixRemoved : nil
  }

  /// Returns the first segment of a path without its slash, and the rest of the path with its slash.
  private func bucketAndKey(_ path: String) -> (bucket: String, key: String) {
    let bytes = path.utf8.dropFirst()
    let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
    return (String(path[bytes.startIndex..<slash]), String(path[slash...]))
  }
}

extension String {
  var slashesMerged: String {
    var bytes: [UInt8] = []
    for byte in utf8 where byte != UInt8(ascii: "/") || bytes.last != byte { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path without its `.` and `..` segments (RFC 3986, 5.2.4); a path that ends with one keeps the slash before it.
  var dotsResolved: String {
    var resolved: [String] = []
    let segments = split(at: "/")
    for (index, segment) in segments.enumerated() {
      guard segment == "." || segment == ".." else {
        resolved.append(segment)
        continue
      }
      // The first segment is the empty one before the leading slash, which the path keeps.
      if segment == "..", resolved.count > 1 { resolved.removeLast() }
      if index == segments.count - 1 { resolved.append("") }
    }
    return resolved.joined(separator: "/")
  }
}
