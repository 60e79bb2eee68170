// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The simulated token service of a vendor (STS), which shares its path with those of other vendors.
protocol TokenService: SynchronousAPIHandler {
  static var provider: LocalCloud.Provider { get }
  var issuer: Issuer { get }
  func handles(_ call: InboundCall) -> Bool

  /// The maximum size of a session policy, in bytes, and the error responses for a longer or malformed one.
  static var policyByteLimit: Int { get }
  static var policyTooLong: ErrorResponse { get }
  static func malformedPolicy(_ reason: String) -> ErrorResponse

  /// Returns the error response for a requested lifetime outside of limits, which are in seconds.
  static func invalidLifetime(_ limits: ClosedRange<Int64>) -> ErrorResponse
}

extension TokenService {
  var endpoint: LocalCloud.Endpoint { .sts }

  /// Returns the session of a temporary credential, or `nil` if the access key is that of an account.
  func session(of id: AccessKeyID) -> LocalCloud.Session? { issuer.context.keys.tokens.session(of: id) }

  /// Returns the lifetime that a call requests for a credential of a role, or one hour if it requests none.
  ///
  /// The least lifetime is 900 seconds, in Alibaba's service and in Amazon's.
  func lifetime(_ call: InboundCall, of role: LocalCloud.Role) throws(ErrorResponse) -> Duration {
    let limits = 900...max(role.maximumDuration.components.seconds, 900)
    return try lifetime(call, default: min(3600, limits.upperBound), in: limits)
  }

  /// Returns the lifetime that a call requests, or a default in seconds; a configured lifetime overrides the limits.
  func lifetime(
    _ call: InboundCall, default defaultSeconds: Int64, in limits: ClosedRange<Int64>
  ) throws(ErrorResponse) -> Duration {
    let requested = if let text = call["DurationSeconds"] { Int64(digits: text) } else { defaultSeconds }
    let accepted = issuer.fixedLifetime == nil ? limits : 1...Int64.max
    guard let requested, accepted.contains(requested) else { throw Self.invalidLifetime(limits) }
    return issuer.fixedLifetime ?? .seconds(requested)
  }

  static func policy(_ text: String) throws(ErrorResponse) -> PolicyDocument {
    guard text.utf8.count <= policyByteLimit else { throw policyTooLong }
    do { return try PolicyDocument(text, in: provider.service.policies.language) } catch {
      throw malformedPolicy(error.reason)
    }
  }

  func countUnsigned() { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
}

struct TokenClaim: SignatureClaim {
  let accessKeyID: AccessKeyID
  let sessionToken: Secret?
}

extension Timestamp {
  func isWithin(_ tolerance: Duration, of date: Timestamp) -> Bool {
    let difference = duration(to: date)
    return difference <= tolerance && difference >= .zero - tolerance
  }
}
