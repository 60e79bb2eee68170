// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A conformance suite for transports, which checks an implementation against each ``TransportRule``.
///
/// The suite runs servers on 127.0.0.1 that record what they receive byte for byte, and that answer slowly, partially or
/// not at all. The transport is all that it needs:
///
/// ```swift
/// try await TransportConformance.check { MyTransport() }
/// ```
///
/// A report lists all rules. The rule about idle connections needs a transport with a short limit:
///
/// ```swift
/// let report = await TransportConformance(idleLimit: .seconds(1), impatient: { MyTransport(idle: .seconds(1)) }) {
///   MyTransport()
/// }.report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct TransportConformance<Subject: HTTPTransport>: Sendable {
  /// The number of concurrent requests.
  public let concurrency: Int

  /// The time limit for each call, measured with the machine's clock.
  public let patience: Duration

  /// The limit for idle connections of the transports that `impatient` creates.
  public let idleLimit: Duration

  let makeTransport: @Sendable () -> Subject
  let makeImpatient: (@Sendable () -> Subject)?

  /// Creates a suite for a transport.
  ///
  /// - Parameters:
  ///   - concurrency: The number of concurrent requests, all of which the transport must have in flight at once.
  ///   - patience: The time limit for each call, measured with the machine's clock. A call that takes longer breaks its
  ///     rule, and the suite stops waiting for it.
  ///   - idleLimit: The limit for idle connections of the transports that `impatient` creates.
  ///   - impatient: A closure that creates a transport with `idleLimit`, or `nil` to skip the rule about idle
  ///     connections.
  ///   - makeTransport: A closure that creates a transport; it is called for each rule.
  public init(
    concurrency: Int = 64, patience: Duration = .seconds(20), idleLimit: Duration = .seconds(1),
    impatient: (@Sendable () -> Subject)? = nil, _ makeTransport: @escaping @Sendable () -> Subject
  ) {
    self.concurrency = concurrency
    self.patience = patience
    self.idleLimit = idleLimit
    self.makeTransport = makeTransport
    makeImpatient = impatient
  }

  /// Checks a transport against all rules.
  ///
  /// - Parameter makeTransport: A closure that creates a transport; it is called for each rule.
  /// - Throws: A ``ConformanceFailure`` with the report if the transport breaks a rule.
  public static func check(_ makeTransport: @escaping @Sendable () -> Subject) async throws(ConformanceFailure) {
    try await TransportConformance(makeTransport).report().throwIfFailed()
  }

  /// Checks the transport against the given rules.
  ///
  /// - Parameter rules: The rules to check.
  /// - Returns: A report with one check for each rule.
  public func report(_ rules: [TransportRule] = TransportRule.allCases) async -> ConformanceReport {
    var checks: [ConformanceReport.Check] = []
    for rule in rules {
      let result: Result<Int, any Error>
      do {
        result = .success(try await check(rule, makeTransport()))
      } catch {
        result = .failure(error)
      }
      checks.append(ConformanceReport.Check(rule.rawValue) { try result.get() })
    }
    return ConformanceReport(subject: "\(Subject.self)", checks: checks)
  }

  private func check(_ rule: TransportRule, _ transport: Subject) async throws -> Int {
    switch rule {
    case .path: try await checkPath(transport)
    case .unusualPath: try await checkUnusualPath(transport)
    case .headers: try await checkHeaders(transport)
    case .unusualHeaders: try await checkUnusualHeaders(transport)
    case .addedHeaders: try await checkAddedHeaders(transport)
    case .contentLength: try await checkContentLength(transport)
    case .lazyUpload: try await checkLazyUpload(transport)
    case .repeatedBody: try await checkRepeatedBody(transport)
    case .shortBody: try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 10_000))
    case .longBody: try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 30_000))
    case .failingBody:
      try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 10_000, error: BodyFailure()))
    case .earlyResponse: try await checkEarlyResponse(transport)
    case .lazyDownload: try await checkLazyDownload(transport)
    case .redirects: try await checkRedirects(transport)
    case .contentEncoding: try await checkContentEncoding(transport)
    case .framing: try await checkFraming(transport)
    case .trailer: try await checkTrailer(transport)
    case .cookies: try await checkCookies(transport)
    case .cache: try await checkCache(transport)
    case .challenge: try await checkChallenge(transport)
    case .head: try await checkHead(transport)
    case .bodilessStatus: try await checkBodilessStatus(transport)
    case .informational: try await checkInformational(transport)
    case .truncation: try await checkTruncation(transport)
    case .truncatedHead: try await checkTruncatedHead(transport)
    case .refusal: try await checkRefusal(transport)
    case .loss: try await checkLoss(transport)
    case .malformed: try await checkMalformed(transport)
    case .recovery: try await checkRecovery(transport)
    case .repetition: try await checkRepetition(transport)
    case .idleLimit: try await checkIdleLimit()
    case .cancellation: try await checkCancellation(transport)
    case .concurrency: try await checkConcurrency(transport)
    case .release: try await checkRelease(transport)
    case .secrecy: try await checkSecrecy(transport)
    }
  }
}
