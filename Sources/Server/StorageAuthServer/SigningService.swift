// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird
internal import Logging
public import ServiceLifecycle

/// A service, in the form of routes for any app, that signs for callers without a key.
///
/// `POST /sign` takes `{provider, version, method, stringToSign, canonicalRequest?}` and returns `{accessKeyId,
/// signature, securityToken?}`, or `{authorization}` where the vendor's documentation has that format. `GET
/// /sign/identity` returns `{accessKeyId, securityToken?, expiration?}`; a caller needs it first, because the signature
/// covers the session token. Refusals are `{code, message}`.
///
/// The app's own middleware authenticates the caller, and a closure returns the rules for the caller:
///
/// ```swift
/// let account = SigningAccount(OSSStringToSignSigner(region: "cn-hangzhou"), credentials: keys)
/// let signing = SigningService<AppContext>(account) { context in
///   SigningRules(AccessPolicy([AccessRule(.write, objects: .prefix("\(context.user)/"), in: "photos")]))
/// }
/// signing.addRoutes(to: router.group("api").add(middleware: BearerAuthenticator()))
/// ```
public struct SigningService<Context: RequestContext>: Sendable {
  private let accountsByService: [String: SigningAccount]
  private let time: any SigningClock
  private let bodyLimit: Int
  private let rules: @Sendable @concurrent (Context) async throws -> SigningRules?

  /// Creates a signing service.
  ///
  /// - Parameters:
  ///   - accounts: The accounts that sign, one for each storage service.
  ///   - bodyLimit: The maximum size of a signing request's body in bytes.
  ///   - time: The clocks of the service.
  ///   - rules: A closure that returns the rules for a caller, or `nil` to refuse; its errors are passed to the router.
  public init(
    _ accounts: SigningAccount..., bodyLimit: Int = 128 * 1024, time: any SigningClock = .system,
    rules: @escaping @Sendable @concurrent (Context) async throws -> SigningRules?
  ) {
    accountsByService = Dictionary(accounts.map { ($0.signer.service, $0) }) { first, _ in first }
    self.bodyLimit = bodyLimit
    self.time = time
    self.rules = rules
  }

  /// Adds the signing route and the identity route to a router.
  ///
  /// - Parameters:
  ///   - router: A router, or a route group whose middleware has authenticated the caller.
  ///   - path: The path of the signing route.
  public func addRoutes(to router: some RouterMethods<Context>, at path: RouterPath = "sign") {
    router.post(path) { request, context in try await sign(request, context) }
    router.get(RouterPath("\(path.description)/identity")) { request, context in try await identity(request, context) }
  }

  private func sign(_ request: Request, _ context: Context) async throws -> Response {
    guard let rules = try await rules(context) else { return .refusal(.notACaller) }
    do {
      guard let body = try await request.body.bytes(upTo: bodyLimit) else { throw RequestRefusal.tooLarge(bodyLimit) }
      let signingRequest = try SigningRequest(json: body)
      let account = try account(for: signingRequest.scheme.service)
      let key = try await key(of: account, context)
      let signature = try account.signer.sign(signingRequest, with: key, under: rules, at: time.now)
      context.logger.info("signed remotely", metadata: ["scheme": "\(signingRequest.scheme)"])
      return .json(signature.json(authorizationWord: account.signer.authorizationWord(for: signingRequest.scheme)))
    } catch {
      guard let refusal = (error as? SigningRefusal).map({ RequestRefusal($0) }) ?? error as? RequestRefusal else {
        throw error
      }
      context.logger.info("not signed", metadata: ["code": "\(refusal.code)"])
      return .refusal(refusal)
    }
  }

  private func identity(_ request: Request, _ context: Context) async throws -> Response {
    guard try await rules(context) != nil else { return .refusal(.notACaller) }
    do throws(RequestRefusal) {
      let name = request.uri.queryParameters["provider"].map(String.init)
      let account = try account(for: name ?? (accountsByService.count == 1 ? accountsByService.keys.first : nil) ?? "")
      return .json(try await key(of: account, context).identity.json)
    } catch {
      return .refusal(error)
    }
  }

  private func account(for provider: String) throws(RequestRefusal) -> SigningAccount {
    guard let account = accountsByService[provider] else { throw .unknownProvider }
    return account
  }

  private func key(of account: SigningAccount, _ context: Context) async throws(RequestRefusal) -> AccessKey {
    do throws(CredentialError) {
      return try await account.credentials.credential(in: account.context)
    } catch {
      context.logger.error("no key to sign with", metadata: ["error": "\(error)"])
      throw .unavailable
    }
  }
}

extension RequestBody {
  /// Reads the whole body, or returns `nil` if it is longer than a limit.
  package func bytes(upTo limit: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    for try await chunk in self {
      guard bytes.count + chunk.readableBytes <= limit else { return nil }
      bytes += chunk.readableBytesView
    }
    return bytes
  }
}

extension SigningService: Service {
  /// Keeps the signing keys fresh until the shutdown, and then shuts their credential caches down.
  ///
  /// Only keys whose provider is a `CredentialCache` are kept fresh. List the service before its application: a service
  /// group shuts its services down in reverse order, so that requests in progress are still signed.
  public func run() async {
    let caches = accountsByService.values.compactMap { $0.credentials as? CredentialCache<AccessKey> }
    await cancelWhenGracefulShutdown {
      await withTaskGroup { group in
        for cache in caches { group.addTask { await cache.keepFresh() } }
        if caches.isEmpty { try? await gracefulShutdown() }
      }
    }
    for cache in caches { cache.shutdown() }
  }
}

/// A signer of a storage service's strings to sign, together with the provider of the signing key.
public struct SigningAccount: Sendable {
  /// The signer, which parses each string to sign before it signs the string.
  public let signer: any StringToSignSigner
  let credentials: any CredentialProvider<AccessKey>
  let context: ProviderContext

  /// Creates an account from a signer and a provider of its key.
  ///
  /// - Parameters:
  ///   - signer: The signer, which parses each string to sign before it signs the string.
  ///   - credentials: The provider of the signing key. Wrap a slow provider in a `CredentialCache`.
  ///   - context: The context of a provider that is not a cache. The default has no network.
  public init(
    _ signer: some StringToSignSigner, credentials: some CredentialProvider<AccessKey>,
    in context: ProviderContext = .local
  ) {
    self.signer = signer
    self.credentials = credentials
    self.context = context
  }
}

extension RequestRefusal {
  /// Creates a refusal with the status 400 if the request is malformed, and 403 if the rules do not allow it.
  init(_ refusal: SigningRefusal) {
    self.init(
      status: refusal.concernsFormat ? .badRequest : .forbidden, code: "\(refusal.code)",
      message: "\(refusal.message) \(refusal.remedy)")
  }

  static let notACaller = RequestRefusal(
    status: .forbidden, code: "notAllowed", message: "The server does not sign requests of this caller.")
  static let unreadable = RequestRefusal(
    status: .badRequest, code: "malformed",
    message: "The body is not a JSON object with strings provider, version, method, stringToSign and optionally "
      + "canonicalRequest.")
  static let unknownProvider = RequestRefusal(
    status: .badRequest, code: "malformed",
    message: "The server does not sign for this provider or for this version of its signature.")
  static let unavailable = RequestRefusal(
    status: .serviceUnavailable, code: "unavailable", message: "The server has no key to sign with at the moment.")

  static func tooLarge(_ limit: Int) -> RequestRefusal {
    RequestRefusal(status: .contentTooLarge, code: "tooLarge", message: "The body has more than \(limit) bytes.")
  }
}

extension SigningRequest {
  init(json bytes: [UInt8]) throws(RequestRefusal) {
    guard let object = (try? JSONValue(parsing: bytes))?.object,
      Set(object.names).isSubset(of: ["provider", "version", "method", "stringToSign", "canonicalRequest"]),
      let provider = object["provider"]?.string, let version = object["version"]?.string,
      let method = object["method"]?.string, let stringToSign = object["stringToSign"]?.string
    else { throw .unreadable }
    var canonicalRequest: String?
    switch object["canonicalRequest"] {
    case .string(let text)?: canonicalRequest = text
    case nil, .null?: break
    default: throw .unreadable
    }
    let scheme = SignatureScheme(service: provider, version: version)
    self.init(scheme, method: method, stringToSign: stringToSign, canonicalRequest: canonicalRequest)
  }
}

extension SigningResponse {
  /// Returns the response as JSON, in the format of the vendor's documentation if there is one.
  func json(authorizationWord word: String?) -> JSONValue {
    if let word { return ["authorization": .string(authorization(word))] }
    var object = JSONObject()
    object["accessKeyId"] = .string(accessKeyID.string)
    object["signature"] = .string(signature)
    object["securityToken"] = sessionToken.map { .string($0.reveal()) }
    return .object(object)
  }
}

extension Identity {
  var json: JSONValue {
    var object = JSONObject()
    object["accessKeyId"] = .string(id.string)
    object["securityToken"] = sessionToken.map { .string($0.reveal()) }
    object["expiration"] = expiration.map { .string($0.iso8601) }
    return .object(object)
  }
}
