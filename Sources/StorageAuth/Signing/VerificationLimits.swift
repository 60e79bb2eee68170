public import HTTPTypes

/// The limits of a verifier: how large a request may be before any work is done, and how long an authorization may last.
///
/// An authorization that lasts for years is as good as a key to the one who finds it, and a replay guard has to remember
/// it for as long. The defaults bound it; ``asServices`` is for a stand-in that accepts what the services accept.
public struct VerificationLimits: Sendable, Hashable {
  /// The largest distance between the time of signing and the present, and the largest head start of a URL: fifteen
  /// minutes, as at the services.
  public static let clockTolerance = Duration.seconds(900)

  /// Limits without a bound on the time: COS accepts windows of any length, and OSS V1 URLs that end at any time.
  public static let asServices = VerificationLimits(headerWindow: longest, urlLifetime: longest)

  /// More than twelve digits of seconds, which is the longest number that an authorization may hold.
  private static let longest = Duration.seconds(1_000_000_000_000)

  /// The longest path with its query, in bytes.
  public var pathByteCount: Int

  /// The most query parameters.
  public var parameterCount: Int

  /// The most header fields.
  public var headerCount: Int

  /// The longest sum of the method, the host and all header names and values, in bytes.
  public var headerByteCount: Int

  /// The longest time from the start to the end of an authorization in the headers, where it states both (COS).
  ///
  /// An OSS authorization in the headers states one instant and is accepted within ``clockTolerance`` of it.
  public var headerWindow: Duration

  /// The longest lifetime of a URL or a form.
  ///
  /// A URL of COS lasts from its start to its end; one of OSS V1, and the policy of a form, which state the end alone, from
  /// the present. OSS V4 has limits of its own besides.
  public var urlLifetime: Duration

  /// Sets limits.
  ///
  /// - Parameters:
  ///   - pathByteCount: The longest path with its query, in bytes; the default leaves room for a session token of 16 KiB.
  ///   - parameterCount: The most query parameters.
  ///   - headerCount: The most header fields.
  ///   - headerByteCount: The longest sum of the method, the host and all header names and values, in bytes.
  ///   - headerWindow: The longest time from the start to the end of an authorization in the headers.
  ///   - urlLifetime: The longest lifetime of a URL or a form.
  public init(
    pathByteCount: Int = 32_768, parameterCount: Int = 128, headerCount: Int = 128, headerByteCount: Int = 65_536,
    headerWindow: Duration = .seconds(3600), urlLifetime: Duration = .seconds(604_800)
  ) {
    self.pathByteCount = pathByteCount
    self.parameterCount = parameterCount
    self.headerCount = headerCount
    self.headerByteCount = headerByteCount
    self.headerWindow = headerWindow
    self.urlLifetime = urlLifetime
  }

  /// Refuses an authorization that lasts for longer than the limit of its placement; for verifiers.
  ///
  /// SDKs date a window a little back, so that it is valid on a server whose clock is behind: what lies before the present
  /// may add ``clockTolerance`` to the limit.
  ///
  /// - Parameters:
  ///   - start: When it starts, or the present if it does not state that.
  ///   - end: When it ends.
  ///   - date: The present.
  ///   - placement: Where it is; a form counts as a URL.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/lifetimeOutOfRange``.
  public func checkLifetime(
    from start: Timestamp, until end: Timestamp, at date: Timestamp, in placement: VerifiedRequest.Placement
  ) throws(VerificationError) {
    let (limit, name, what) =
      switch placement {
      case .header: (headerWindow, "headerWindow", "authorization in the headers")
      case .query: (urlLifetime, "urlLifetime", "URL or form")
      }
    let isWithin = max(start, date).duration(to: end) <= limit
    guard isWithin, start.duration(to: end) <= limit + Self.clockTolerance else {
      throw VerificationError(
        .lifetimeOutOfRange,
        "The \(what) ends at \(end), more than \(limit.components.seconds) seconds after \(start).",
        remedy: "Sign for a shorter time, or have the verifier's limits.\(name) raised."
      ).with(instant: end)
    }
  }

  /// Refuses a request that has more of something than the limits allow; for verifiers, before any other work.
  ///
  /// - Parameter request: The request as it arrived.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/limitExceeded``.
  public func check(_ request: HTTPRequest) throws(VerificationError) {
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
