// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

extension Subjects {
  /// Types of the cache, the events and the transports whose instances hold no secret, with the reason.
  static let holdsNothingOfRequests: [String: String] = [
    "StorageAuth.AuthActivity": "an operation with its location, and the number of an attempt",
    "StorageAuth.AuthActivity.Kind": "names of kinds of work",
    "StorageAuth.AuthActivity.Outcome": "a status code, and a sentence from an error without secrets",
    "StorageAuth.AuthEvent.Request": "an operation with its location, a status code and the name of a failure",
    "StorageAuth.AuthEvent": "names, counts and times; SecretWatch inspects every event of the client's tests",
    "StorageAuth.AuthEvent.Signature": "a subject without query, an id, a number and a time",
    "StorageAuth.AuthEvent.Retry": "a subject, numbers and an error's description",
    "StorageAuth.AuthEvent.Skew": "a host and a duration",
    "StorageAuth.AuthEvent.Transfer": "a subject, numbers and an error's description",
    "StorageAuth.EventHub": "the observers",
    "StorageAuth.EventHub.Observation": "a function",
    "StorageAuth.ClockSkew": "hosts and durations",
    "StorageAuth.CredentialCacheConfiguration": "durations",
    "StorageAuth.CredentialGeneration": "a number", "StorageAuth.CredentialScope": "rules: names and numbers",
    "StorageAuth.SystemTime": "no properties",
    "StorageAuth.ByteStream": "a function",
    "StorageAuth.ByteStream.AsyncIterator": "a function",
    "StorageAuth.HTTPBody.Content": "the bytes of a body, for transports; HTTPBody does not show it",
    "StorageAuth.TransportError.Code": "the name of an error code",
    "StorageAuth.ProxyExclusions": "names of hosts and addresses",
    "StorageAuth.TrustedRoots": "a path",
  ]

  /// Returns a cache for scopes with a cache that holds the key.
  private static func scopedCache() -> ScopedCredentialCache<AccessKey> {
    let cache = ScopedCredentialCache(ClosureScopedCredentialProvider { _ in StaticCredentialProvider(key) })
    cache.cache(for: CredentialScope(.read, .all, in: "photos")).replace(with: key)
    return cache
  }

  /// Returns a cache that holds the key, its credentials, and the requests that are sent with them.
  static func cached() -> [(String, Any)] {
    let cache = CredentialCache(key)
    let error = CredentialError(.rejected, source: "a vault", "It refused.", remedy: "Ask again.")
    let bytes = Array("\(secret) \(token)".utf8)
    let proxy = ProxyServer(host: "proxy.example", port: 3128, user: "mia", password: Secret(secret))
    return [
      ("StorageAuth.CredentialCache", cache),
      ("StorageAuth.CachedCredential", cache.current() as Any? ?? cache),
      ("StorageAuth.IssuedCredential", IssuedCredential(key, issuerTime: date, source: "a vault")),
      ("StorageAuth.CredentialChain", CredentialChain([StaticCredentialProvider(key)])),
      ("StorageAuth.ScopedCredentialCache", scopedCache()),
      (
        "StorageAuth.ClosureScopedCredentialProvider",
        ClosureScopedCredentialProvider { _ in StaticCredentialProvider(key) }
      ),
      ("StorageAuth.ClosureCredentialProvider", ClosureCredentialProvider(source: "an app") { key }),
      ("StorageAuth.BlockingCredentialProvider", BlockingCredentialProvider(source: "an app") { key }),
      ("StorageAuth.AuthEvent.Refresh", AuthEvent.Refresh(source: "a vault", outcome: .failed(error, backoff: .zero))),
      ("StorageAuth.AuthEvent.Refresh.Outcome", AuthEvent.Refresh.Outcome.failed(error, backoff: .zero)),
      ("StorageAuth.HTTPBody", HTTPBody.bytes(bytes)),
      (
        "StorageAuth.HTTPStreamingResponse",
        HTTPStreamingResponse(response: HTTPResponse(status: .ok), body: ByteStream(bytes))
      ),
      ("StorageAuth.ProxyServer", proxy), ("StorageAuth.ProxyConfiguration", ProxyConfiguration(https: proxy)),
      ("StorageAuth.TransportError", TransportError(.timeout, "No answer came from 127.0.0.1.", remedy: "Try again.")),
    ]
  }
}
