// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import Hummingbird

/// A check of something that a server needs before it can respond to requests.
///
/// ```swift
/// router.addHealthRoutes([.credential("key", in: cache), HealthCheck("redis") { await pool.isReachable() }])
/// ```
public struct HealthCheck: Sendable {
  /// The name of the check in the response of `/readyz`.
  public let name: String
  let isReady: @Sendable @concurrent () async -> Bool

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - name: The name of the check in the response of `/readyz`.
  ///   - isReady: A closure that returns whether the server can respond, within the time limit of the health routes.
  public init(_ name: String, isReady: @escaping @Sendable @concurrent () async -> Bool) {
    self.name = name
    self.isReady = isReady
  }

  /// Returns a check that succeeds if a cache contains a valid credential, or receives one from its provider.
  ///
  /// - Parameters:
  ///   - name: The name of the check in the response of `/readyz`.
  ///   - cache: The cache of the credential.
  public static func credential(_ name: String, in cache: CredentialCache<some Credential>) -> HealthCheck {
    HealthCheck(name) {
      if cache.current() != nil { return true }
      return (try? await cache.credential()) != nil
    }
  }
}

/// The results of a server's health checks, which the requests of a short time share.
///
/// However many requests arrive, the checks run once, so that `/readyz` cannot put a load on other services.
actor HealthChecker {
  struct Report: Sendable {
    let results: [(name: String, isReady: Bool)]
    var isReady: Bool { results.allSatisfy(\.isReady) }

    var json: JSONValue {
      var checks = JSONObject()
      for (name, isReady) in results { checks[name] = .bool(isReady) }
      return ["status": .string(isReady ? "ready" : "not ready"), "checks": .object(checks)]
    }
  }

  private let checks: [HealthCheck]
  private let timeout: Duration
  private let validity: Duration
  private let time: any SigningClock
  private var lastRun: Task<Report, Never>?
  /// The uptime at which the last run ended, or `nil` while it has not ended.
  private var lastEnd: Duration?

  init(_ checks: [HealthCheck], timeout: Duration, validity: Duration, time: any SigningClock) {
    self.checks = checks
    self.timeout = timeout
    self.validity = validity
    self.time = time
  }

  /// Runs the checks, unless they run already or the last results are recent enough.
  func report() async -> Report {
    if let lastRun, lastEnd.map({ time.uptime - $0 < validity }) ?? true { return await lastRun.value }
    let run = Task {
      let report = await Self.run(checks, timeout, time)
      lastEnd = time.uptime
      return report
    }
    (lastRun, lastEnd) = (run, nil)
    return await run.value
  }

  private static func run(_ checks: [HealthCheck], _ timeout: Duration, _ time: any SigningClock) async -> Report {
    await withTaskGroup { group in
      for (index, check) in checks.enumerated() {
        group.addTask {
          let outcome = await time.run(timeout: timeout) { await check.isReady() }
          guard case .finished(let isReady) = outcome else { return (index: index, isReady: false) }
          return (index: index, isReady: isReady)
        }
      }
      let readinessByIndex = await group.reduce(into: [:]) { $0[$1.index] = $1.isReady }
      return Report(results: checks.enumerated().map { index, check in (check.name, readinessByIndex[index] ?? false) })
    }
  }
}

extension RouterMethods {
  /// Adds `GET /healthz` and `GET /readyz`, for load balancers and container platforms.
  ///
  /// `/healthz` responds with status 200 as long as the process serves requests: restart the process if it does not.
  /// `/readyz` responds with status 200, or with 503 if a check fails: send no requests to the server then, but do not
  /// restart it. Only the operators should reach the routes, because the response names the checks and their results.
  ///
  /// - Parameters:
  ///   - checks: The checks of `/readyz`, with different names.
  ///   - timeout: The time limit of a check.
  ///   - validity: The time after the checks during which their results are used for further requests.
  ///   - time: The clock for the time limits.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult public func addHealthRoutes(
    _ checks: [HealthCheck] = [], timeout: Duration = .seconds(5), validity: Duration = .seconds(1),
    time: any SigningClock = .system
  ) -> Self {
    let checker = HealthChecker(checks, timeout: timeout, validity: validity, time: time)
    get("healthz") { _, _ in Response.json(["status": "ok"]) }
    get("readyz") { _, _ in
      let report = await checker.report()
      return Response.json(report.json, report.isReady ? .ok : .serviceUnavailable)
    }
    return self
  }
}
