// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import Hummingbird
public import StorageAuth
internal import StorageJSON

extension RouterMethods {
  /// Adds `GET /healthz` and `GET /readyz`, for load balancers and container platforms.
  ///
  /// `/healthz` responds with status 200 as long as the process serves requests: restart the process if it does not.
  /// `/readyz` runs the checks and responds with status 200, or with status 503 if one of them fails: send no requests
  /// to the server then, but do not restart it. The response names the checks and their results, so serve the routes on
  /// an address that only the operators can reach.
  ///
  /// - Parameters:
  ///   - checks: The checks of `/readyz`, with different names.
  ///   - timeout: The time limit of a check.
  ///   - validity: The time during which the results of the checks are used for further requests.
  ///   - time: The clock for the time limits.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult
  public func addHealthRoutes(
    _ checks: [HealthCheck] = [], timeout: Duration = .seconds(5), validity: Duration = .seconds(1),
    time: any SigningClock = .system
  ) -> Self {
    let state = HealthState(checks, timeout: timeout, validity: validity, time: time)
    get("healthz") { _, _ in Response.json(["status": "ok"]) }
    get("readyz") { _, _ in
      let report = await state.report()
      return Response.json(report.json, report.isReady ? .ok : .serviceUnavailable)
    }
    return self
  }
}
