// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import StorageAuth
internal import StorageAuthServer

extension TokenServerCommand {
  /// Returns the routes that sign requests for callers within the callers' permissions.
  func signingRouter(for callers: CallerFile) throws -> Router<CallerContext> {
    // Checks the rule at the start, so that an invalid one does not fail only at the first request.
    _ = try rule.policy(of: "example").checkedRules()
    let signing = try provider.cloud.signingAccount(
      region: region ?? "", endpoint: endpoint, keys: credentials.cache(for: provider.cloud))
    let service = SigningService<CallerContext>(signing) { [rule, lifetime] context in
      context.caller.map { SigningRules(rule.policy(of: $0), lifetime: .seconds(lifetime)) }
    }
    let router = Router(context: CallerContext.self)
    let limit: RateLimit? = rate == 0 ? nil : .perMinute(rate)
    let login = CallerLogin(callers: callers, limit: limit, rates: try shared.stores(of: "sign").rates)
    service.addRoutes(to: router.group().add(middleware: login))
    return router
  }
}
