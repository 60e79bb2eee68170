// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A remote signer for clients whose key is kept elsewhere, such as on a server (remote signing).
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), signing: .remote(app.sign))
/// let other = StorageClient(
///   .cos(bucket: "photos-1250000000", region: "ap-guangzhou"),
///   signing: .remote("https://app.example.com/sign") { [.authorization: await login.header()] })
/// ```
///
/// No request is ever sent unsigned: if the signer throws an error, the request fails.
///
/// The app's functions never run on the caller's actor, so requests of `@MainActor` code are not signed on the main
/// thread. A blocking function, passed to ``remote(blocking:as:)``, runs on a separate thread.
public struct RemoteSigning: Sendable {
  /// The type of a function that sends a signing request to the key holder and returns the key holder's response.
  public typealias Sign = @Sendable @concurrent (SigningRequest) async throws -> SigningResponse

  /// A closure that creates the source of the signer's identity, an access key without a secret.
  let identity: @Sendable (_ provider: String, any SigningClock) -> any CredentialProvider<AccessKey>
  let sign: @Sendable (any SigningClock) -> Sign

  /// Returns a remote signer that calls a function of the app.
  ///
  /// - Parameters:
  ///   - sign: A function that responds to a signing request.
  ///   - identity: The ID of the key, with the session token of a temporary key. Required for a temporary key, because
  ///     the session token is part of the string to sign. If `nil`, the key ID is taken from the responses, so that
  ///     each presigned URL needs a second signing request.
  public static func remote(_ sign: @escaping Sign, as identity: Identity? = nil) -> RemoteSigning {
    RemoteSigning(
      identity: { _, _ in StaticCredentialProvider(AccessKey(of: identity ?? .unknown), source: "remote signer") },
      sign: { _ in sign })
  }

  /// Returns a remote signer that calls a blocking function of the app, such as a function that waits for a smart card.
  ///
  /// The function runs on a separate thread, never on the main thread, and never concurrently with itself. Other
  /// signing requests wait until the function returns.
  ///
  /// - Parameters:
  ///   - sign: A function that responds to a signing request. It must return on every path, within its own time limit.
  ///   - identity: The ID of the key, with the session token of a temporary key; see ``remote(_:as:)-(_,Identity?)``.
  public static func remote(
    blocking sign: @escaping @Sendable (SigningRequest) throws -> SigningResponse, as identity: Identity? = nil
  ) -> RemoteSigning {
    let call = BlockingCall("remote signer", sign)
    return remote({ try await call($0) }, as: identity)
  }

  /// Returns a remote signer that calls a function of the app to sign with a key that changes.
  ///
  /// - Parameters:
  ///   - sign: A function that responds to a signing request. If the key has changed, the function throws a
  ///     `SigningRefusal` with the code `anotherKey`; the client then calls `identity` again.
  ///   - identity: A function that returns the ID of the key, with the session token and expiration of a temporary key.
  public static func remote(
    _ sign: @escaping Sign, as identity: @escaping @Sendable @concurrent () async throws -> Identity
  ) -> RemoteSigning {
    RemoteSigning(
      identity: { _, _ in ClosureCredentialProvider(source: "remote signer") { AccessKey(of: try await identity()) } },
      sign: { _ in sign })
  }

  /// Returns a remote signer that requests signatures from a server that implements the protocol of `SigningService`.
  ///
  /// Signing requests are sent to the URL, and requests for the server's identity to the path `/identity` below it.
  ///
  /// - Parameters:
  ///   - url: The URL of the server's signing route: `https`, or `http` on this machine.
  ///   - timeout: The time limit for creating the headers, and for a response.
  ///   - transport: The transport that sends the signing requests.
  ///   - headers: A closure that returns the app's login headers, called for each request.
  public static func remote(
    _ url: String, timeout: Duration = .seconds(15), transport: any HTTPTransport = .platformDefault,
    headers: @escaping @Sendable @concurrent () async throws -> HTTPFields = { [:] }
  ) -> RemoteSigning {
    let server = { @Sendable time in
      SigningServiceClient(url, timeout: timeout, transport: transport, time: time, headers: headers)
    }
    return RemoteSigning(
      identity: { provider, time in server(time).identity(of: provider) },
      sign: { time in
        let server = server(time)
        return { request in try await server.sign(request) }
      })
  }
}

extension Identity {
  /// The identity of a remote signer that has not reported its key ID yet.
  static let unknown = Identity(id: "unknown")
}

extension AccessKey {
  init(of identity: Identity) {
    self.init(
      id: identity.id, secret: Secret(""), sessionToken: identity.sessionToken, start: identity.start,
      expiration: identity.expiration)
  }
}

extension StorageClient
where Provider: PresigningProvider, Provider.SigningCredential == AccessKey, Provider.RequestSigner: TwoStepSigner {
  /// Creates a client without a key, whose requests are signed by a remote signer.
  ///
  /// `signing` is the remote signer. The other parameters are those of the initializer with a credential provider.
  public init(
    _ provider: Provider, signing: RemoteSigning,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: EventHub = EventHub(), clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, signing: signing, configuration: configuration, transport: transport, events: events,
      clockSkew: clockSkew, time: .system)
  }

  package init(
    _ provider: Provider, signing: RemoteSigning, configuration: StorageClientConfiguration,
    transport: any HTTPTransport, events: EventHub = EventHub(), clockSkew: ClockSkew = ClockSkew(),
    time: any SigningClock
  ) {
    let sign = signing.sign(time)
    self.init(
      sender: RequestSender(
        provider,
        credentials: CredentialCache(
          signing.identity(provider.name, time), in: ProviderContext(time: time), events: events),
        remoteSigner: { TwoStepRequestSigner(signer: $0.remoteSigner, sign: sign) },
        configuration: configuration, transport: transport, events: events, clockSkew: clockSkew, time: time))
  }
}

/// A signer for requests whose key is kept elsewhere, so that signing is asynchronous.
package protocol RemoteRequestSigner<SigningCredential>: Sendable {
  associatedtype SigningCredential: Credential

  func signed(_ request: HTTPRequest, as credential: SigningCredential, in context: SigningContext) async throws
    -> HTTPRequest

  func presign(
    _ request: HTTPRequest, as credential: SigningCredential, validFor duration: Duration, in context: SigningContext
  ) async throws -> PresignedRequest
}

/// A remote signer that prepares and completes requests, and requests the signatures from the key holder.
struct TwoStepRequestSigner<Base: TwoStepSigner<AccessKey>>: RemoteRequestSigner {
  let signer: Base
  let sign: RemoteSigning.Sign

  func signed(_ request: HTTPRequest, as key: AccessKey, in context: SigningContext) async throws -> HTTPRequest {
    try await finishedRequest(as: key.identity) { identity throws(SigningError) in
      try signer.prepare(request, as: identity, in: context)
    }.request
  }

  func presign(
    _ request: HTTPRequest, as key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) async throws -> PresignedRequest {
    let (pending, signed) = try await finishedRequest(as: key.identity) { identity throws(SigningError) in
      try signer.prepare(presigning: request, as: identity, validFor: duration, in: context)
    }
    return PresignedRequest(
      method: signed.method, url: "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")",
      headers: pending.signedHeaders, expiration: pending.expiration ?? context.date)
  }

  /// Adds a signature of the key holder to a request.
  ///
  /// If the identity is unknown, the response has the key ID, and a second signature may be necessary.
  private func finishedRequest(
    as identity: Identity, _ prepare: (Identity) throws(SigningError) -> PendingSignature
  ) async throws -> (pending: PendingSignature, request: HTTPRequest) {
    var pending = try prepare(identity)
    var response = try await sign(SigningRequest(pending))
    if response.accessKeyID != identity.id {
      guard identity == .unknown else { throw SigningRefusal.anotherKey("The signature is for another access key id.") }
      let identified = try prepare(Identity(id: response.accessKeyID))
      if identified.stringToSign != pending.stringToSign { response = try await sign(SigningRequest(identified)) }
      guard response.accessKeyID == identified.identity.id else {
        throw SigningRefusal.anotherKey("Two signatures are for different access key ids.")
      }
      pending = identified
    }
    if let token = response.sessionToken, token != pending.identity.sessionToken {
      throw SigningRefusal.anotherKey("The signature is for another session token.")
    }
    return (pending, try signer.finish(pending, signature: response.signature))
  }
}

extension RequestSender {
  /// Requests a remote signature, and requests it again if the signing server's clock differs from the assumed time.
  ///
  /// The service's clock is assumed to equal that of the signing server. `cached` is replaced if the key has changed.
  func signRemotely<Value>(
    as cached: inout CachedCredential<Provider.SigningCredential>,
    _ requestSignature: (Provider.SigningCredential, SigningContext) async throws -> Value
  ) async throws -> (result: Value, time: Timestamp, offset: Duration) {
    var hasCorrectedClock = false
    while true {
      let (now, offset) = try serviceTime()
      do {
        let result = try await withCurrentIdentity(&cached) {
          try await requestSignature($0, SigningContext(date: now))
        }
        return (result, now, offset)
      } catch let refusal as ClockSkewRefusal {
        learnClockSkew(
          of: try provider.endpoint.authority, serverTime: refusal.serverTime, at: refusal.localTime)
        // Another request may have corrected the clock since this one was signed.
        guard !hasCorrectedClock, try serviceTime().offset != offset else { throw refusal.error }
        hasCorrectedClock = true
      } catch let refusal as SigningRefusal { throw SigningError(.refused, refusal.message, remedy: refusal.remedy) }
    }
  }

  /// Runs a closure with the cached identity, and again with a newly requested identity if the key has changed.
  private func withCurrentIdentity<Value>(
    _ cached: inout CachedCredential<Provider.SigningCredential>,
    _ requestSignature: (Provider.SigningCredential) async throws -> Value
  ) async throws -> Value {
    do {
      return try await requestSignature(cached.credential)
    } catch let refusal as SigningRefusal where refusal.code == .anotherKey {
      do throws(CredentialError) {
        cached = try await credentials.credential(lasting: .zero, replacing: cached.generation)
      } catch { throw error.code == .rejected ? refusal : error.orCancellation }
      return try await requestSignature(cached.credential)
    }
  }
}
