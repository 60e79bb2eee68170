// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A verifier's limits for the size of a request and for the lifetime of an authorization.
///
/// The size is checked before any other work. An authorization that is valid for years is as useful to an attacker as
/// the key, and a replay guard must remember the authorization for as long. The default limits therefore bound its
/// lifetime; ``asServices`` is for a simulated service, which accepts what the real services accept.
public struct VerificationLimits: Sendable, Hashable {
  /// The maximum difference between the signing time and the verifier's clock, which is 15 minutes.
  ///
  /// A presigned URL's validity may start later than the verifier's clock by the same difference. OSS and S3 report
  /// this value as `MaxAllowedSkewMilliseconds` in the error `RequestTimeTooSkewed`.
  public static let clockTolerance = Duration.seconds(900)

  /// Limits that accept any lifetime, as COS does for validity windows, and OSS V1 for URLs.
  public static let asServices = VerificationLimits(headerWindow: maximumDuration, urlLifetime: maximumDuration)

  /// A duration that is longer than any duration in an authorization, whose numbers have at most twelve digits.
  private static let maximumDuration = Duration.seconds(1_000_000_000_000)

  /// The maximum length of a request's path with its query, in bytes, with room for a session token of 16 KiB.
  public var pathByteCount: Int
  /// The maximum number of query parameters in a request.
  public var parameterCount: Int
  /// The maximum number of header fields in a request.
  public var headerCount: Int
  /// The maximum total length of a request's method, host, header names and header values, in bytes.
  public var headerByteCount: Int
  /// The maximum time from start to expiration of an authorization in the headers with both times (COS).
  ///
  /// An OSS authorization in the headers contains only its signing time, and is valid within ``clockTolerance``.
  public var headerWindow: Duration

  /// The maximum lifetime of a presigned URL or a form.
  ///
  /// The lifetime of a COS URL is counted from the start of its window to its end. OSS V1 URLs and form policies
  /// contain only their expiration, so that the current time is the start. OSS V4 has additional limits.
  public var urlLifetime: Duration

  /// Creates a verifier's limits; the parameters are the properties.
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

  /// Throws an error if an authorization is valid for longer than the limit; for implementations of verifiers.
  ///
  /// SDKs set the start of a validity window slightly in the past, so that it is valid on a server whose clock is slow.
  /// The part of the window before the current time may therefore exceed the limit by ``clockTolerance``.
  ///
  /// - Parameters:
  ///   - start: The start of the authorization, or the current time if the authorization contains no start.
  ///   - end: The expiration of the authorization.
  ///   - date: The current time.
  ///   - placement: The position of the authorization, which determines the limit; a form counts as a URL.
  /// - Throws: A ``VerificationError`` with the code `lifetimeOutOfRange` if the limit is exceeded.
  public func checkLifetime(
    from start: Timestamp, until end: Timestamp, at date: Timestamp, in placement: VerifiedRequest.Placement
  ) throws(VerificationError) {
    let (limit, name, kind) =
      switch placement {
      case .header: (headerWindow, "headerWindow", "authorization in the headers")
      case .query: (urlLifetime, "urlLifetime", "URL or form")
      }
    let isRemainderWithinLimit = max(start, date).duration(to: end) <= limit
    guard isRemainderWithinLimit, start.duration(to: end) <= limit + Self.clockTolerance else {
      throw VerificationError(
        .lifetimeOutOfRange,
        "The \(kind) expires at \(end), more than \(limit.components.seconds) seconds after \(start).",
        remedy: "Sign for a shorter time, or have the verifier's limits.\(name) raised."
      ).with(instant: end)
    }
  }

  /// Throws an error if a request exceeds a size limit; verifiers call this method before any other work.
  ///
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/limitExceeded`` if a limit is exceeded.
  public func check(_ request: HTTPRequest) throws(VerificationError) {
    let path = (request.path ?? "").utf8
    try require(path.count, atMost: pathByteCount, as: "path")
    let maximumParameterCount = 1 + path.count { $0 == UInt8(ascii: "&") }
    try require(maximumParameterCount, atMost: parameterCount, as: "number of query parameters")
    try require(request.headerFields.count, atMost: headerCount, as: "number of headers")
    var byteCount = request.method.rawValue.utf8.count + (request.authority?.utf8.count ?? 0)
    for field in request.headerFields { byteCount += field.name.rawName.utf8.count + field.value.utf8.count }
    try require(byteCount, atMost: headerByteCount, as: "length of the headers")
  }

  private func require(_ count: Int, atMost limit: Int, as quantity: String) throws(VerificationError) {
    guard count <= limit else {
      throw VerificationError(
        .limitExceeded, "The \(quantity) exceeds \(limit).", remedy: "Send less; a body has no such limit.")
    }
  }
}
