// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import Hummingbird
import OSSAuth
import StorageAuth
import StorageAuthRedis
import StorageAuthServer
import StorageAuthTesting
import StorageClient

extension Subjects {
  /// Types of StorageAuthServer whose instances hold no secret, with the reason.
  static let holdsNothingOfServer: [String: String] = [
    "StorageAuthServer.CertificateError": "the kind of a text",
    "StorageAuthServer.CertificateError.Subject": "an enumeration without payload",
    "StorageAuthServer.ConnectionLimits": "numbers and durations",
    "StorageAuthServer.ServerCertificate": "contexts of NIOSSL, which its mirror does not show",
    "StorageAuthServer.HealthCheck": "a name and a closure of the app",
    "StorageAuthServer.LoopbackHostMiddleware": "has no properties",
    "StorageAuthServer.RequestMetricsMiddleware": "a metrics backend",
    "StorageAuthServer.StoreError": "a message and a remedy without secrets",
    "StorageAuthServer.PassThroughKeyStore": "has no properties",
    "StorageAuthRedis.RedisDurability": "an enumeration without payload",
    "StorageAuthRedis.RedisFallback": "an enumeration without payload",
    "StorageAuthRedis.RedisURLError": "an enumeration without payload",
    "StorageAuthServer.CallbackMiddleware": "public keys, hosts and a transport",
    "StorageAuthServer.CallbackVerifier": "public keys, hosts and a transport",
    "StorageAuthServer.CallbackRefusal": "a code and a message of this package",
    "StorageAuthServer.CallbackRefusal.Code": "an enumeration without payload",
    "StorageAuthServer.VerifiedCallback": "the path and the body of a callback, which the app's template defines",
    "StorageAuthServer.MemoryRateStore": "names of callers and durations",
    "StorageAuthServer.MemoryReplayStore": "hashes of signatures, and the IDs of their keys",
    "StorageAuthServer.RateLimit": "two numbers",
    "StorageAuthServer.UnauthenticatedLimitMiddleware": "a rate and a store of addresses",
    "StorageAuthServer.ReplayGuard": "a store of hashes, two settings and a function",
    "StorageAuthServer.ReplayVerdict": "an enumeration without payload",
    "StorageAuthServer.RequestedScope": "a caller's requested scope: names",
    "StorageAuthServer.TargetRules": "a set of kinds of keys, and a number",
    "StorageAuthServer.TargetRules.UnsafeNames": "a set of kinds of keys",
    "StorageAuthServer.KeyRequest": "a caller and a scope",
    "StorageAuthServer.TokenScope": "a name, a policy and a duration",
    "StorageAuthServer.TokenFormat": "two functions",
    "StorageAuthServer.TokenFormat.Refusal": "a status and a message without secrets",
    "StorageAuthServer.TransferTokenRequest": "a caller and a policy",
    "StorageAuthServer.RefusalFormat": "an enumeration without payload",
  ]

  /// Values that requests carry through the middleware.
  private struct Context: VerifiedRequestContext {
    var coreContext: CoreRequestContextStorage
    var verifiedRequest: VerifiedRequest?

    init(source: Source) { coreContext = .init(source: source) }
  }

  /// Returns services with keys, and the credentials, log lines and errors that they produce.
  static func server() async throws -> [(name: String, value: Any)] {
    let scope = TokenScope("mia", AccessPolicy([AccessRule(.write, objects: .all, in: "photos")]))
    let order = KeyRequest(caller: "mia", scope: scope)
    let audits = Recorded()
    let time = ManualClock(now: date)
    let tokens = TokenService(audit: { audits.append($0) }, in: ProviderContext(time: time)) { _ in
      StaticCredentialProvider(key)
    }
    let issued = try await tokens.key(for: order)
    let broken = TokenService(audit: { audits.append($0) }, in: ProviderContext(time: time)) { _ in
      StaticCredentialProvider(AccessKey(id: "id", secret: secret))
    }
    var refusal: (any Error)?
    do { _ = try await broken.key(for: order) } catch { refusal = error }
    let keys = StaticCredentialProvider(key)
    let redis = RedisPool(try RedisConfiguration(url: "redis://app:\(mark)@redis.example/1"))
    let signing = SigningAccount(OSSStringToSignSigner(region: "cn-hangzhou"), credentials: keys)
    let issuer = FixedTokenIssuer(try AsperaToken(Secret("ATM2_\(mark)_2MTA")))
    _ = try present(audits.all.first)
    return [
      ("StorageAuthServer.TokenService", tokens), ("StorageAuthServer.IssuedKey", issued),
      ("StorageAuthRedis.RedisConfiguration", redis.configuration), ("StorageAuthRedis.RedisPool", redis),
      ("StorageAuthRedis.RedisRateStore", RedisRateStore(redis)),
      ("StorageAuthRedis.RedisReplayStore", RedisReplayStore(redis)),
      ("StorageAuthRedis.RedisKeyStore", RedisKeyStore(redis)),
      ("StorageAuthServer.TokenServiceError", try present(refusal)), ("StorageAuthServer.SigningAccount", signing),
      (
        "StorageAuthServer.SigningService",
        SigningService<BasicRequestContext>(signing) { _ in SigningRules(scope.policy) }
      ),
      (
        "StorageAuthServer.SignatureMiddleware",
        SignatureMiddleware<Context>(OSSVerifier(region: "cn-hangzhou")) { _ in key }
      ),
      ("StorageAuthServer.TransferTokenService", TransferTokenService(issuer: issuer)),
    ]
      + audits.all.flatMap { audit -> [(String, Any)] in
        [
          ("StorageAuthServer.TokenAudit", audit), ("StorageAuthServer.TokenAudit.Subject", audit.subject),
          ("StorageAuthServer.TokenAudit.Outcome", audit.outcome),
        ]
      }
  }

  /// The lines of an audit log.
  private final class Recorded: Sendable {
    private let lines = Lock<[TokenAudit]>([])

    var all: [TokenAudit] { lines.withLock { $0 } }

    func append(_ line: TokenAudit) { lines.withLock { $0.append(line) } }
  }
}
