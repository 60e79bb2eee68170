internal import HTTPTypes
public import Hummingbird
internal import Logging
internal import NIOCore
public import StorageAuth
internal import StorageJSON

/// Signs requests for callers who hold no key: the server's half of the self-signed mode, as routes of any app.
///
/// `POST /sign` takes `{provider, version, method, stringToSign, canonicalRequest?}` and answers
/// `{accessKeyId, signature, securityToken?}`, or `{authorization}` where the vendor's documents have that. `GET /sign/identity`
/// answers `{accessKeyId, securityToken?, expiration?}`: the token is part of what is signed, so a caller has to know
/// it first. Refusals are `{code, message}`.
///
/// Who calls is found out by the app's own middleware; what a caller may do is decided in one closure:
///
/// ```swift
/// let account = SigningAccount(OSSStringSigner(region: "cn-hangzhou"), credentials: keys)
/// let signing = SigningService<AppContext>(account) { context in
///   SigningRules(AccessPolicy([AccessRule(.write, objects: .prefix("\(context.user)/"), in: "photos")]))
/// }
/// signing.addRoutes(to: router.group("api").add(middleware: BearerAuthenticator()))
/// ```
public struct SigningService<Context: RequestContext>: Sendable {
  private let signings: [String: SigningAccount]
  private let time: any SigningClock
  private let bodyLimit: Int
  private let rules: @Sendable @concurrent (Context) async throws -> SigningRules?

  /// Sets up the service.
  ///
  /// - Parameters:
  ///   - signings: Who signs, one for each service.
  ///   - bodyLimit: The most bytes of a request to sign.
  ///   - time: The clocks.
  ///   - rules: What the caller of a request may have signed; nothing if not a thing. What it throws is the app's answer.
  public init(
    _ signings: SigningAccount..., bodyLimit: Int = 128 * 1024, time: any SigningClock = .system,
    rules: @escaping @Sendable @concurrent (Context) async throws -> SigningRules?
  ) {
    self.signings = Dictionary(signings.map { ($0.signer.service, $0) }) { first, _ in first }
    self.bodyLimit = bodyLimit
    self.time = time
    self.rules = rules
  }

  /// Adds the routes.
  ///
  /// - Parameters:
  ///   - router: A router, or a group of one whose middleware has authenticated the caller.
  ///   - path: The path of the route that signs.
  public func addRoutes(to router: some RouterMethods<Context>, at path: RouterPath = "sign") {
    router.post(path) { request, context in try await sign(request, context) }
    router.get(RouterPath("\(path.description)/identity")) { request, context in
      try await identity(request, context)
    }
  }

  private func sign(_ request: Request, _ context: Context) async throws -> Response {
    guard let rules = try await rules(context) else { return .refusal(.notACaller) }
    do {
      let order = try SigningRequest(json: try await body(of: request))
      let signing = try signing(for: order.scheme.service)
      let key = try await key(of: signing, context)
      let signature = try signing.signer.sign(order, with: key, under: rules, at: time.now)
      context.logger.info("signed remotely", metadata: ["scheme": "\(order.scheme)"])
      return .json(signature.json(authorizationWord: signing.signer.authorizationWord(for: order.scheme)))
    } catch let refusal as SigningRefusal {
      context.logger.info("not signed", metadata: ["code": "\(refusal.code)"])
      return .refusal(SigningAnswer(refusal))
    } catch let answer as SigningAnswer {
      context.logger.info("not signed", metadata: ["code": "\(answer.code)"])
      return .refusal(answer)
    }
  }

  private func identity(_ request: Request, _ context: Context) async throws -> Response {
    guard try await rules(context) != nil else { return .refusal(.notACaller) }
    do throws(SigningAnswer) {
      let name = request.uri.queryParameters["provider"].map(String.init)
      let signing = try signing(for: name ?? (signings.count == 1 ? signings.keys.first : nil) ?? "")
      return .json(try await key(of: signing, context).identity.json)
    } catch {
      return .refusal(error)
    }
  }

  private func body(of request: Request) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in request.body {
      guard bytes.count + chunk.readableBytes <= bodyLimit else { throw SigningAnswer.tooLarge(bodyLimit) }
      bytes += chunk.readableBytesView
    }
    return bytes
  }

  private func signing(for provider: String) throws(SigningAnswer) -> SigningAccount {
    guard let signing = signings[provider] else { throw .unknownProvider }
    return signing
  }

  private func key(of signing: SigningAccount, _ context: Context) async throws(SigningAnswer) -> AccessKey {
    do throws(CredentialError) {
      return try await signing.credentials.credential()
    } catch {
      context.logger.error("no key to sign with", metadata: ["error": "\(error)"])
      throw .unavailable
    }
  }
}
