// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

// Pages: "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks", "Checking
// object integrity for data uploads".

extension SimulatedS3 {
  static let checksumHeaders = S3Checksum.Algorithm.allCases.map { "checksum-\($0.rawValue)" } + ["checksum-type"]

  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck] {
    let payload = headers.first("x-amz-content-sha256").flatMap { S3Payload(header: $0) }
    // The S3-compatible interfaces of other services accept no chunks, and no other checksum for a deletion.
    if ownBehavior != nil {
      if let payload, payload.isChunked {
        throw ErrorResponse(.badRequest, "NotImplemented", "Aws MultiChunkedEncoding \(payload.text) is not supported.")
      }
      if operation == .deleteObjects, headers.first("content-md5") == nil { throw Self.missingDigest }
    }
    if headers.first("content-md5")?.isEmpty == true {
      throw .invalidDigest("The Content-MD5 you specified was invalid.")
    }
    var checks: [any BodyCheck] = []
    if let payload, payload != .unsigned, !payload.isChunked, !operation.hasCopySource {
      checks.append(S3PayloadCheck(expected: payload.text))
    }
    return checks + (try checksumChecks(of: headers, payload, for: operation, rule))
  }

  /// Returns the check of the checksum that the request states, and that which computes the checksum to store.
  ///
  /// The last check determines the stored checksum. It has the algorithm of the upload or the request, or else of S3.
  private func checksumChecks(
    of headers: HTTPFields, _ payload: S3Payload?, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck] {
    // The checksum of a completed upload can be composite, and is not that of the request's body.
    let stated =
      operation == .completeUpload ? nil : try S3StatedChecksum(headers, isTrailed: payload?.hasTrailer == true)
    let statedCheck = stated.map { [S3ChecksumCheck($0.algorithm, expected: $0.value)] } ?? []
    let uploadAlgorithm = rule.flatMap { S3Checksum.Algorithm(rawValue: $0.algorithm) }
    switch operation {
    case .putObject, .uploadPart:
      if payload?.isChunked == false, headers[.contentLength] == nil { throw Self.missingLength }
      let storedAlgorithm = uploadAlgorithm ?? stated?.algorithm ?? .crc64nvme
      guard stated?.algorithm != storedAlgorithm else { return statedCheck }
      // A composite checksum has no part without one.
      if rule?.isComposite == true || (stated != nil && rule?.isChosen == true) {
        throw .invalidRequest(
          "Checksum Type mismatch occurred, expected checksum Type: \(storedAlgorithm.rawValue), actual checksum Type: "
            + (stated?.algorithm.rawValue ?? "null"))
      }
      return statedCheck + [S3ChecksumCheck(storedAlgorithm)]
    case .copyPart: return uploadAlgorithm.map { [S3ChecksumCheck($0)] } ?? []
    case .copyObject:
      let name = headers.first("x-amz-checksum-algorithm")
      return try (name.map(Self.algorithm) ?? uploadAlgorithm).map { [S3ChecksumCheck($0)] } ?? []
    case .deleteObjects:
      guard stated != nil || headers.first("content-md5")?.isEmpty == false else { throw Self.missingDigest }
      return statedCheck
    default: return statedCheck
    }
  }

  private static let missingDigest = ErrorResponse.invalidRequest(
    "Missing required header for this request: Content-MD5")
  private static let missingLength = ErrorResponse(
    .lengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header.")

  private static func algorithm(named name: String) throws(ErrorResponse) -> S3Checksum.Algorithm {
    guard let algorithm = S3Checksum.Algorithm(rawValue: name.asciiLowercased) else {
      throw .invalidRequest(
        "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, "
          + "CRC64NVME, SHA1, SHA256]")
    }
    return algorithm
  }

  // MARK: Multipart uploads

  func checksumRule(of headers: HTTPFields) throws(ErrorResponse) -> ChecksumRule? {
    let type = headers.first("x-amz-checksum-type")
    guard let name = headers.first("x-amz-checksum-algorithm") else {
      guard type == nil else {
        throw .invalidRequest(
          "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.")
      }
      return ChecksumRule(algorithm: S3Checksum.Algorithm.crc64nvme.rawValue, isComposite: false, isChosen: false)
    }
    let algorithm = try Self.algorithm(named: name)
    let isComposite: Bool
    // The checksum of a whole object can be computed from those of its parts only with a CRC.
    switch (type, algorithm) {
    case (nil, .crc64nvme), ("FULL_OBJECT", .crc64nvme), ("FULL_OBJECT", .crc32), ("FULL_OBJECT", .crc32c):
      isComposite = false
    case (nil, _), ("COMPOSITE", .crc32), ("COMPOSITE", .crc32c), ("COMPOSITE", .sha1), ("COMPOSITE", .sha256):
      isComposite = true
    case (let type?, _):
      guard type == "COMPOSITE" || type == "FULL_OBJECT" else { throw .invalidHeader("x-amz-checksum-type") }
      throw .invalidRequest(
        "The \(type) checksum type cannot be used with the \(algorithm.rawValue) checksum algorithm.")
    }
    return ChecksumRule(algorithm: algorithm.rawValue, isComposite: isComposite, isChosen: true)
  }

  func checksum(
    of content: Content, _ parts: [UploadedPart], listedBy elements: [XMLNode], _ headers: HTTPFields,
    _ rule: ChecksumRule
  ) throws(ErrorResponse) -> StoredChecksum? {
    try check(elements, against: parts, rule)
    let checksum = combinedChecksum(of: parts, rule)
    try check(headers, against: content, checksum, rule)
    return checksum
  }

  /// Checks the checksums that the document of a completion states for the parts.
  private func check(
    _ elements: [XMLNode], against parts: [UploadedPart], _ rule: ChecksumRule
  ) throws(ErrorResponse) {
    for (part, element) in zip(parts, elements) {
      let stated = element.children.filter { $0.name.hasBytePrefix("Checksum") }
      // Without a choice of the client, the stored checksums are S3's own, and those of other algorithms are ignored.
      if let mismatch = stated.first(where: { $0.name != rule.elementName }) {
        if !rule.isChosen { continue }
        throw ErrorResponse(
          .badRequest, "BadDigest", "The \(mismatch.name) of a part does not match the algorithm of the upload.")
      }
      if let value = stated.first?.text {
        guard part.content.checksum?.value == value else { throw .invalidPart }
      } else if rule.isComposite {
        throw .invalidRequest(
          "The upload was created using a \(rule.algorithm) checksum. The complete request must include the checksum "
            + "for each part. It was missing for part \(element["PartNumber"]?.text ?? "") in the request.")
      }
    }
  }

  /// Returns the checksum of the parts' checksums, or that of the whole object, or `nil` if a part has no checksum.
  private func combinedChecksum(of parts: [UploadedPart], _ rule: ChecksumRule) -> StoredChecksum? {
    guard let algorithm = S3Checksum.Algorithm(rawValue: rule.algorithm) else { return nil }
    let values = parts.compactMap { part in part.content.checksum.flatMap { [UInt8](base64: $0.value) } }
    guard values.count == parts.count else { return nil }
    if rule.isComposite {
      var checksum = S3Checksum(algorithm)
      for value in values { checksum.update(value) }
      return StoredChecksum(algorithm: rule.algorithm, value: "\(checksum.base64)-\(parts.count)", isComposite: true)
    }
    let crcAlgorithm: CRC.Algorithm =
      switch algorithm {
      case .crc32: .crc32
      case .crc32c: .crc32c
      // Hashes are always composite.
      case .crc64nvme, .sha1, .sha256: .crc64NVME
      }
    var combined: UInt64 = 0
    for (part, value) in zip(parts, values) {
      let partCRC = value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      combined = CRC.combine(combined, partCRC, byteCount: UInt64(part.content.byteCount), crcAlgorithm)
    }
    let value = CRC.bytes(of: combined, crcAlgorithm).base64
    return StoredChecksum(algorithm: rule.algorithm, value: value, isComposite: false)
  }

  /// Checks the size, the checksum and its type that the headers of a completion state for the object.
  private func check(
    _ headers: HTTPFields, against content: Content, _ checksum: StoredChecksum?, _ rule: ChecksumRule
  ) throws(ErrorResponse) {
    if let text = headers.first("x-amz-mp-object-size") {
      guard let size = Int64(digits: text) else { throw .invalidHeader("x-amz-mp-object-size") }
      guard size == content.byteCount else {
        throw .invalidRequest(
          "The provided 'x-amz-mp-object-size' header value \(size) does not match what was computed: "
            + "\(content.byteCount)")
      }
    }
    if let type = headers.first("x-amz-checksum-type"), type != rule.typeName {
      throw .invalidRequest(
        "The upload was created using the \(rule.typeName) checksum mode. The complete request must use the same "
          + "checksum mode.")
    }
    for algorithm in S3Checksum.Algorithm.allCases {
      guard let value = headers.first(algorithm.fieldName), !value.isEmpty else { continue }
      guard algorithm.rawValue == rule.algorithm, checksum?.value == value else {
        throw S3ChecksumCheck.mismatch(of: algorithm)
      }
    }
  }
}

/// The checksum of a body that a request states in a header, or announces for a trailer.
private struct S3StatedChecksum {
  let algorithm: S3Checksum.Algorithm
  /// The checksum in Base64, or `nil` if it follows in a trailer.
  let value: String?

  init?(_ headers: HTTPFields, isTrailed: Bool) throws(ErrorResponse) {
    let statedAlgorithms = S3Checksum.Algorithm.allCases.filter { headers.first($0.fieldName)?.isEmpty == false }
    let trailedAlgorithm =
      isTrailed ? headers.first("x-amz-trailer").flatMap { S3Checksum.Algorithm(fieldName: $0) } : nil
    let algorithms = statedAlgorithms + [trailedAlgorithm].compactMap(\.self)
    guard algorithms.count < 2 else {
      throw .invalidRequest("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
    }
    let declaredName = headers.first("x-amz-sdk-checksum-algorithm").flatMap { $0.isEmpty ? nil : $0 }
    guard let algorithm = algorithms.first else {
      // SDKs also declare an algorithm for a body that a Content-MD5 protects.
      if declaredName != nil, headers.first("content-md5") == nil, !isTrailed {
        throw .invalidRequest(
          "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were "
            + "found.")
      }
      return nil
    }
    let declaredAlgorithm = declaredName?.asciiLowercased ?? algorithm.rawValue
    guard declaredAlgorithm == algorithm.rawValue else { throw .invalidHeader("x-amz-sdk-checksum-algorithm") }
    let value = trailedAlgorithm == nil ? headers.first(algorithm.fieldName) : nil
    if let value, [UInt8](base64: value)?.count != S3Checksum(algorithm).bytes.count {
      throw .invalidHeader(algorithm.fieldName)
    }
    self.algorithm = algorithm
    self.value = value
  }
}

/// A body check that computes a checksum and compares it with the checksum that the request states, if any.
private struct S3ChecksumCheck: BodyCheck {
  private var checksum: S3Checksum
  private let expected: String?

  init(_ algorithm: S3Checksum.Algorithm, expected: String? = nil) {
    checksum = S3Checksum(algorithm)
    self.expected = expected
  }

  mutating func update(_ bytes: Span<UInt8>) { checksum.update(bytes) }

  func finish() throws(ErrorResponse) -> StoredChecksum? {
    let value = checksum.base64
    if let expected, expected != value { throw Self.mismatch(of: checksum.algorithm) }
    return StoredChecksum(algorithm: checksum.algorithm.rawValue, value: value)
  }

  static func mismatch(of algorithm: S3Checksum.Algorithm) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "BadDigest",
      "The \(algorithm.rawValue.asciiUppercased) you specified did not match the calculated checksum.")
  }
}

/// A body check that compares the SHA-256 hash of a body with the hash in the signed header `x-amz-content-sha256`.
private struct S3PayloadCheck: BodyCheck {
  var hash = SHA256()
  let expected: String

  mutating func update(_ bytes: Span<UInt8>) { hash.update(bytes) }

  func finish() throws(ErrorResponse) -> StoredChecksum? {
    let computed = hash.finalize().hex
    guard computed == expected else {
      throw ErrorResponse(
        .badRequest, "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
        details: ["ClientComputedContentSHA256": expected, "S3ComputedContentSHA256": computed])
    }
    return nil
  }
}

extension ErrorResponse {
  fileprivate static func invalidHeader(_ name: String) -> Self {
    invalidRequest("Value for \(name) header is invalid.")
  }
}
