public import HTTPTypes
public import StorageAuth

/// Signs requests to Tencent Cloud COS with its V5 signature: in headers, in URLs, and in two halves for a key that is
/// kept elsewhere.
///
/// ```swift
/// let signer = COSSigner()
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// A signature is valid from a start to an end. For a key with a start and an expiration these are the two ends, so the
/// clock of the device does not matter. Otherwise the window starts with the key, or now, and ends after
/// ``headerLifetime``, or with the key if that is earlier.
///
/// Source of the rules: the vendor's documentation of the request signature, and the behaviour of its SDKs where that is
/// silent; see `Documentation/COS.md`.
public struct COSSigner: SplitSigner, Presigner {
  /// What is signed.
  public typealias Request = HTTPRequest
  /// What it is signed with.
  public typealias Proof = AccessKey

  /// How a URL carries its authorization.
  public enum URLForm: Sendable, Hashable {
    /// In parameters of their own, `q-sign-algorithm` to `q-signature`; the current form.
    case parameters
    /// In one parameter `sign`; the older form, still accepted.
    case sign
  }

  /// Which headers are signed.
  public let policy: COSHeaderPolicy

  /// Whether a request that the service's strict mode would refuse is refused before it is sent.
  public let isStrict: Bool

  /// How a URL carries its authorization.
  public let urlForm: URLForm

  /// How long a header signature is valid if the key does not say.
  public let headerLifetime: Duration

  /// Sets up a signer.
  ///
  /// - Parameters:
  ///   - policy: Which headers are signed.
  ///   - isStrict: Whether to refuse what the service's strict mode would refuse: an unsigned host, an upload without
  ///     Content-Length. Everything else is signed anyway.
  ///   - urlForm: How a URL carries its authorization.
  ///   - headerLifetime: How long a header signature is valid if the key does not say.
  public init(
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, urlForm: URLForm = .parameters,
    headerLifetime: Duration = .seconds(3600)
  ) {
    self.policy = policy
    self.isStrict = isStrict
    self.urlForm = urlForm
    self.headerLifetime = headerLifetime
  }

  /// Until when a key has to live so that a request signed at `date` is accepted: two seconds, for the way to the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  /// Until when a key has to live so that a URL signed at `date` works for its whole duration.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }
}
