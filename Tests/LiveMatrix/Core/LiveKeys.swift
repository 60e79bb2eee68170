// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// The keys of a run against a bucket: those of the vendor's default sources, or temporary ones of a role.
struct LiveKeys: Sendable {
  let context: LiveContext

  /// The beginning of the names of the variables, such as `OSS`.
  let vendor: String

  /// The cache of the key that signs all steps.
  let cache: CredentialCache<AccessKey>

  var roleVariable: String { "\(vendor)_ROLE_ARN" }

  private var expiredKeyVariable: String { "\(vendor)_EXPIRED_KEY" }

  /// Creates the keys of a vendor.
  ///
  /// - Parameters:
  ///   - vendor: The beginning of the names of the variables.
  ///   - context: The environment, the network and the clock.
  ///   - own: The vendor's default sources.
  ///   - role: Returns the source of a role's temporary keys, which uses the keys of `own` and the token service at the
  ///     URL unless that is `nil`.
  init(
    _ vendor: String, in context: LiveContext, own: CredentialChain<AccessKey>,
    role: (_ arn: String, _ own: CredentialChain<AccessKey>, _ url: String?) -> any CredentialProvider<AccessKey>
  ) {
    self.vendor = vendor
    self.context = context
    cache =
      if let arn = context.value("\(vendor)_ROLE_ARN") {
        Self.cache(role(arn, own, context.value("\(vendor)_STS_ENDPOINT")), in: context)
      } else {
        Self.cache(own, in: context)
      }
  }

  private static func cache(
    _ source: some CredentialProvider<AccessKey>, in context: LiveContext
  ) -> CredentialCache<AccessKey> {
    CredentialCache(source, in: context.providers)
  }

  /// Returns the key that signs all steps.
  func current() async throws -> AccessKey { try await cache.credential() }

  /// Returns the key without the times that its issuer named, which would protect signatures from a wrong clock.
  func withoutDates() async throws -> AccessKey {
    let key = try await current()
    return AccessKey(id: key.id, secret: key.secret, sessionToken: key.sessionToken)
  }

  /// Requires that the token service issues a key with a token and an expiration in the future.
  func checkTemporaryKey() async throws {
    guard context.value(roleVariable) != nil else { throw StepError.skipped("\(roleVariable) is not set") }
    let key = try await current()
    guard key.sessionToken != nil, let expiration = key.expiration, expiration > context.time.now else {
      throw StepError.deviation("The token service issued a key without a token, or with an expiration in the past.")
    }
  }

  /// Returns the expired temporary key that the environment names: its ID, its secret and its token.
  ///
  /// Token services issue no keys for less than a quarter of an hour. An expired one has no value, and can be kept.
  func expired() throws -> AccessKey {
    guard let text = context.value(expiredKeyVariable) else {
      throw StepError.skipped("\(expiredKeyVariable) is not set")
    }
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 3 else {
      throw StepError.deviation("\(expiredKeyVariable) is not an ID, a secret and a token.")
    }
    return AccessKey(id: words[0], secret: words[1], sessionToken: words[2])
  }
}
