public import HTTPTypes
public import StorageAuth

/// How a client gets its requests signed whose key is kept on a server ("self-signed mode").
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), signing: .remote(app.sign))
/// let other = StorageClient(
///   .cos(bucket: "photos-1250000000", region: "ap-guangzhou"),
///   signing: .remote("https://app.example.com/sign") { [.authorization: await login.header()] })
/// ```
///
/// Nothing is ever sent unsigned: what the signer throws ends the request.
///
/// No function of the app runs on the caller's actor: what `@MainActor` code asks for is not signed on the main thread. A
/// function that blocks is given as ``remote(blocking:as:)`` and has a thread of its own.
public struct RemoteSigning: Sendable {
  /// Answers what the holder of the key has to say to a request to sign.
  public typealias Sign = @Sendable @concurrent (SigningRequest) async throws -> SigningResponse

  /// Where the identity comes from, by the name of the provider; in the form of a key without a secret.
  let identity: @Sendable (_ provider: String, any SigningClock) -> any CredentialProvider<AccessKey>
  let sign: @Sendable (any SigningClock) -> Sign

  /// Signs with a function of the app.
  ///
  /// - Parameters:
  ///   - sign: Answers a request to sign.
  ///   - identity: Whose key signs. With a temporary key it has to be given, because its session token is part of what is
  ///     signed. Without it the id is taken from the answers, which costs a second request to sign for URLs.
  public static func remote(_ sign: @escaping Sign, as identity: Identity? = nil) -> RemoteSigning {
    RemoteSigning(
      identity: { _, _ in
        StaticCredentialProvider(AccessKey(of: identity ?? .unknown), source: "remote signer")
      },
      sign: { _ in sign })
  }

  /// Signs with a function of the app that blocks, such as one that waits for a semaphore or for a smart card.
  ///
  /// The function runs on a thread of its own, never on the main one and never twice at once: orders that come meanwhile
  /// wait.
  ///
  /// - Parameters:
  ///   - sign: Answers a request to sign. It has to return on every path, within a time limit of its own.
  ///   - identity: Whose key signs; see ``remote(_:as:)``.
  public static func remote(
    blocking sign: @escaping @Sendable (SigningRequest) throws -> SigningResponse, as identity: Identity? = nil
  ) -> RemoteSigning {
    let call = BlockingCall("remote signer", sign)
    return remote({ try await call($0) }, as: identity)
  }

  /// Signs with a function of the app, for a key that changes.
  ///
  /// - Parameters:
  ///   - sign: Answers a request to sign. It throws a `SigningRefusal` with the code `anotherKey` if the key has
  ///     changed since; the identity is asked for again then.
  ///   - identity: Says whose key signs, with the session token of a temporary key and when it ends.
  public static func remote(
    _ sign: @escaping Sign, as identity: @escaping @Sendable @concurrent () async throws -> Identity
  ) -> RemoteSigning {
    RemoteSigning(
      identity: { _, _ in
        ClosureCredentialProvider(source: "remote signer") { AccessKey(of: try await identity()) }
      },
      sign: { _ in sign })
  }

  /// Has a server sign that speaks as `SigningService` does: at an address, and for its identity at `/identity` below.
  ///
  /// - Parameters:
  ///   - url: The address of the route that signs; `https`, or `http` on this machine.
  ///   - timeout: The most time for making the headers and for an answer.
  ///   - transport: Sends the orders.
  ///   - headers: The app's own login, made anew for each call.
  public static func remote(
    _ url: String, timeout: Duration = .seconds(15), transport: any HTTPTransport = AsyncHTTPClientTransport.shared,
    headers: @escaping @Sendable @concurrent () async throws -> HTTPFields = { [:] }
  ) -> RemoteSigning {
    RemoteSigning(
      identity: { provider, time in
        SigningServiceClient(url, timeout: timeout, transport: transport, time: time, headers: headers).identity(
          of: provider)
      },
      sign: { time in
        let server = SigningServiceClient(url, timeout: timeout, transport: transport, time: time, headers: headers)
        return { order in try await server.sign(order) }
      })
  }
}

extension Identity {
  /// Stands for a signer that has not said yet who it is.
  static let unknown = Identity(id: "unknown")
}

extension AccessKey {
  /// A key that says who signs and cannot sign: it has no secret.
  init(of identity: Identity) {
    self.init(
      id: identity.id, secret: Secret(""), sessionToken: identity.sessionToken, start: identity.start,
      expiration: identity.expiration)
  }
}

extension StorageClient
where Provider: PresigningProvider, Provider.SigningCredential == AccessKey, Provider.RequestSigner: SplitSigner {
  /// Makes a client that holds no key: a server signs.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - signing: Who signs.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  ///   - events: Where what happens is told.
  ///   - clockSkew: What is known about clocks; give clients the same one to let them learn from each other.
  public init(
    _ provider: Provider, signing: RemoteSigning,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared, events: AuthEvents = AuthEvents(),
    clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, signing: signing, configuration: configuration, transport: transport, events: events,
      clockSkew: clockSkew, time: .system)
  }

  package init(
    _ provider: Provider, signing: RemoteSigning, configuration: StorageClientConfiguration,
    transport: any HTTPTransport, events: AuthEvents = AuthEvents(), clockSkew: ClockSkew = ClockSkew(),
    time: any SigningClock
  ) {
    self.init(
      provider, cache: Self.cache(signing.identity(provider.name, time), events, time),
      remoteSigner: SplitRequestSigner(signer: provider.remoteSigner, sign: signing.sign(time)),
      configuration: configuration,
      transport: transport, events: events, clockSkew: clockSkew, time: time)
  }

  private static func cache(
    _ identity: some CredentialProvider<AccessKey>, _ events: AuthEvents, _ time: any SigningClock
  ) -> CredentialCache<AccessKey> {
    CredentialCache(identity, events: events, time: time)
  }
}
