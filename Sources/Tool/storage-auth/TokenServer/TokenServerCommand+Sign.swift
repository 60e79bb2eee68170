// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import StorageAuth
internal import StorageAuthServer
internal import StorageObservability

extension TokenServerCommand {
  /// Returns the routes that sign requests for callers within the callers' permissions.
  func signingRoutes(for callers: CallerFile) throws -> TokenServerRoutes<CallerContext> {
    // Checks the rule at the start, so that an invalid one does not fail only at the first request.
    _ = try rule.policy(of: "example").checkedRules()
    let keys = try credentials.cache(for: provider.cloud)
    let stores = try shared.stores(of: "sign")
    let signing = try provider.cloud.signingAccount(region: region ?? "", endpoint: endpoint, keys: keys)
    let service = SigningService<CallerContext>(signing) { [rule, lifetime] context in
      context.caller.map { SigningRules(rule.policy(of: $0), lifetime: .seconds(lifetime)) }
    }
    let router = router(for: callers)
    let limit: RateLimit? = rate == 0 ? nil : .perMinute(rate)
    let login = CallerLogin(callers: callers, limit: limit, rates: stores.rates)
    service.addRoutes(to: router.group().add(middleware: login))
    return TokenServerRoutes(
      router: router, service: service, metrics: [StorageMetrics(keys.events, factory: StatusServer.registry)],
      checks: [.credential("key", in: keys)] + stores.checks)
  }
}
