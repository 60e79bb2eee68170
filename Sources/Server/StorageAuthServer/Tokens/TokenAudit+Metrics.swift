// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
internal import StorageAuth

extension TokenAudit {
  /// Returns a closure that counts audit entries with swift-metrics.
  ///
  /// The counter `storage_auth_keys_total` has the label `outcome`, which is `issued` or the reason of a refusal, such
  /// as `rate`. It has no label for the caller, because the number of callers has no limit.
  ///
  /// - Parameter factory: The metrics backend; by default, the one that the process has bootstrapped.
  public static func count(
    in factory: any MetricsFactory = MetricsSystem.factory
  ) -> @Sendable (TokenAudit) -> Void {
    {
      Counter(label: "storage_auth_keys_total", dimensions: [("outcome", $0.outcome.label)], factory: factory)
        .increment()
    }
  }
}

extension TokenAudit.Outcome {
  fileprivate var label: String {
    switch self {
    case .vended: "issued"
    case .refused(.tooManyRequests): "rate"
    case .refused(.unavailable): "unavailable"
    case .refused(.permanentKey): "permanentKey"
    case .refused(.notAllowed): "notAllowed"
    case .refused(.scope): "scope"
    }
  }
}
