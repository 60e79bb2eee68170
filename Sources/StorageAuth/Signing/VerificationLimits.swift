// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The limits of a verifier: the size of a request, which is checked before any other work, and the lifetime of an
/// authorization.
///
/// An authorization that is valid for years is as useful to an attacker as the key, and a replay guard must remember it
/// for as long. The defaults limit its lifetime; ``asServices`` is for a stand-in that accepts what the services
/// accept.
public struct VerificationLimits: Sendable, Hashable {
  /// The largest difference between the time of signing and the present, and between the present and the later start of
  /// a URL: 15 minutes, as OSS and S3 report in the `MaxAllowedSkewMilliseconds` of `RequestTimeTooSkewed`.
  public static let clockTolerance = Duration.seconds(900)

  /// Limits without a bound on the lifetime: COS accepts windows of any length, and OSS V1 accepts URLs with any
  /// expiration.
  public static let asServices = VerificationLimits(headerWindow: longest, urlLifetime: longest)

  /// A duration in seconds that is longer than any in an authorization, whose numbers have at most twelve digits.
  private static let longest = Duration.seconds(1_000_000_000_000)

  /// The greatest length of the path with its query, in bytes.
  public var pathByteCount: Int

  /// The greatest number of query parameters.
  public var parameterCount: Int

  /// The greatest number of header fields.
  public var headerCount: Int

  /// The greatest total length of the method, the host and all header names and values, in bytes.
  public var headerByteCount: Int

  /// The longest time from the start to the expiration of an authorization in the headers that states both (COS).
  ///
  /// An OSS authorization in the headers states only its time of signing, and is accepted within ``clockTolerance`` of
  /// it.
  public var headerWindow: Duration

  /// The longest lifetime of a URL or a form.
  ///
  /// For a COS URL it is counted from the start of its window to its end; for an OSS V1 URL and for the policy of a
  /// form, which state only their expiration, from the present. OSS V4 has additional limits.
  public var urlLifetime: Duration

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - pathByteCount: The greatest length of the path with its query, in bytes; the default leaves room for a session
  ///     token of 16 KiB.
  ///   - parameterCount: The greatest number of query parameters.
  ///   - headerCount: The greatest number of header fields.
  ///   - headerByteCount: The greatest total length of the method, the host and all header names and values, in bytes.
  ///   - headerWindow: The longest time from the start to the expiration of an authorization in the headers.
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

  /// Rejects an authorization that is valid for longer than the limit of its placement; for implementations of
  /// verifiers.
  ///
  /// SDKs set the start of a window slightly in the past, so that it is valid on a server whose clock is slow: the part
  /// of the window before the present may exceed the limit by ``clockTolerance``.
  ///
  /// - Parameters:
  ///   - start: The start of the authorization, or the present if it does not state one.
  ///   - end: The expiration of the authorization.
  ///   - date: The present.
  ///   - placement: The placement of the authorization; a form counts as a URL.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/lifetimeOutOfRange`` if the limit is
  ///   exceeded.
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
        "The \(what) expires at \(end), more than \(limit.components.seconds) seconds after \(start).",
        remedy: "Sign for a shorter time, or have the verifier's limits.\(name) raised."
      ).with(instant: end)
    }
  }

  /// Rejects a request that exceeds a size limit; for implementations of verifiers, before any other work.
  ///
  /// - Parameter request: The request as it arrived.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/limitExceeded`` if a limit is exceeded.
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
        .limitExceeded, "The \(what) exceeds \(limit).", remedy: "Send less; a body has no such limit.")
    }
  }
}
