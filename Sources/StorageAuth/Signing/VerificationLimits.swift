package import HTTPTypes

/// What a verifier looks at before it does any work.
public struct VerificationLimits: Sendable, Hashable {
  /// The longest path with its query, in bytes.
  public var pathByteCount: Int

  /// The most query parameters.
  public var parameterCount: Int

  /// The most header fields.
  public var headerCount: Int

  /// The longest sum of the method, the host and all header names and values, in bytes.
  public var headerByteCount: Int

  /// Sets limits; the defaults leave room for a session token of 16 KiB.
  public init(
    pathByteCount: Int = 32_768, parameterCount: Int = 128, headerCount: Int = 128, headerByteCount: Int = 65_536
  ) {
    self.pathByteCount = pathByteCount
    self.parameterCount = parameterCount
    self.headerCount = headerCount
    self.headerByteCount = headerByteCount
  }

  /// Refuses a request that has more of something.
  package func check(_ request: HTTPRequest) throws(VerificationError) {
    let path = (request.path ?? "").utf8
    try check(path.count <= pathByteCount, "path", pathByteCount)
    var parameters = 1
    for byte in path where byte == UInt8(ascii: "&") { parameters += 1 }
    try check(parameters <= parameterCount, "number of query parameters", parameterCount)
    try check(request.headerFields.count <= headerCount, "number of headers", headerCount)
    var bytes = request.method.rawValue.utf8.count + (request.authority?.utf8.count ?? 0)
    for field in request.headerFields { bytes += field.name.rawName.utf8.count + field.value.utf8.count }
    try check(bytes <= headerByteCount, "length of the headers", headerByteCount)
  }

  private func check(_ isWithin: Bool, _ what: String, _ limit: Int) throws(VerificationError) {
    guard isWithin else {
      throw VerificationError(
        .limitExceeded, "The \(what) is over \(limit).", remedy: "Send less; a body has no such limit.")
    }
  }
}
