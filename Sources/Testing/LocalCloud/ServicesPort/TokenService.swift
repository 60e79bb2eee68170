// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The simulated token service of a vendor (STS), which shares its path with those of other vendors.
protocol TokenService: SynchronousAPIHandler {
  /// The storage service for which the token service issues temporary credentials.
  static var provider: LocalCloud.Provider { get }
  var issuer: Issuer { get }

  /// The OIDC identity tokens that callers can exchange for temporary credentials.
  var identityTokens: [Secret] { get }

  /// Returns whether a call is in the format of the service.
  func handles(_ call: InboundCall) -> Bool
}

extension TokenService {
  var endpoint: LocalCloud.Endpoint { .sts }

  /// Returns the session of a temporary credential, or `nil` if the access key is that of an account.
  func session(of id: AccessKeyID) -> LocalCloud.Session? { issuer.context.keys.tokens.session(of: id) }

  /// Issues the requested temporary credential, and counts it.
  func issue(_ request: TokenTable.Request, for call: InboundCall) -> RevealedKey {
    issuer.issue(request, by: endpoint, at: call.date)
  }

  /// Returns the lifetime that a call requests for a credential of a role, or one hour if it requests none.
  ///
  /// The least lifetime is 900 seconds, in Alibaba's service and in Amazon's.
  ///
  /// - Parameter error: A closure that returns the error for a lifetime outside of the limits, which are in seconds.
  func lifetime(
    _ call: InboundCall, of role: LocalCloud.Role, error: (ClosedRange<Int64>) -> ErrorResponse
  ) throws(ErrorResponse) -> Duration {
    let limits = 900...max(role.maximumDuration.components.seconds, 900)
    let requested = call["DurationSeconds"]
    guard let lifetime = issuer.lifetime(requested, default: min(3600, limits.upperBound), in: limits) else {
      throw error(limits)
    }
    return lifetime
  }

  /// Parses a session policy, whose size the services limit.
  static func policy(
    _ text: String, byteLimit: Int, tooLong: ErrorResponse, malformed: (String) -> ErrorResponse
  ) throws(ErrorResponse) -> SessionPolicy {
    guard text.utf8.count <= byteLimit else { throw tooLong }
    do {
      return try SessionPolicy(text, in: provider.service.policies.language)
    } catch {
      throw malformed(error.reason)
    }
  }

  /// Counts a call without a signature, which the service then rejects.
  func countUnsigned() { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
}

/// The access key ID and session token that a call to a token service contains.
struct TokenClaim: SignatureClaim {
  let accessKeyID: AccessKeyID
  let sessionToken: Secret?

  init(_ accessKeyID: AccessKeyID, token: String?) {
    self.accessKeyID = accessKeyID
    sessionToken = token.map { Secret($0) }
  }
}

extension Timestamp {
  /// Returns whether the time differs from another one by at most a tolerance.
  func isWithin(_ tolerance: Duration, of date: Timestamp) -> Bool {
    let difference = duration(to: date)
    return difference <= tolerance && difference >= .zero - tolerance
  }
}
