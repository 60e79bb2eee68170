// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import Hummingbird
internal import StorageCrypto

/// A service of an app that sets up Aspera transfers for its users, so that the node's credentials stay on the server.
///
/// The service checks a request against the caller's policy, and sends it to the node with absolute paths. It forwards
/// only the fields of the caller's request that concern the transfer itself.
public final class TransferTokenService: Sendable {
  private let issuer: any TokenIssuer
  private let rateLimiter: CallerRateLimiter
  private let audit: @Sendable (TokenAudit) -> Void
  private let context: ProviderContext

  /// Creates a service that sets up transfers.
  ///
  /// - Parameters:
  ///   - issuer: The issuer of the tokens: a `SetupTokenIssuer` with the server's own credentials.
  ///   - rate: The rate limit of each caller, or `nil` for no limit. Each transfer counts as a request.
  ///   - rates: The store that counts the requests of callers.
  ///   - audit: A closure that receives an audit entry for each transfer. It must not block.
  ///   - context: The network, environment and files that the issuer uses, and the clocks of the service. The default has
  ///     no network.
  public init(
    issuer: any TokenIssuer, rate: RateLimit? = .perMinute(60), rates: any RateStore = MemoryRateStore(),
    audit: @escaping @Sendable (TokenAudit) -> Void = { _ in }, in context: ProviderContext = .local
  ) {
    self.issuer = issuer
    rateLimiter = CallerRateLimiter(limit: rate, store: rates, time: context.time)
    self.audit = audit
    self.context = context
  }

  /// Sets up a transfer, and returns its token.
  ///
  /// - Parameters:
  ///   - specification: The transfer specification, as in a setup request.
  ///   - request: The caller and the policy that the app grants.
  /// - Returns: The node's credential for the transfer, which contains the token.
  /// - Throws: A ``TokenServiceError`` if the caller exceeds its rate limit, if the policy does not allow the transfer,
  ///   or if the node issues no token.
  public func grant(
    for specification: TransferSpec, _ request: TransferTokenRequest
  ) async throws(TokenServiceError) -> TransferCredential {
    let subject = TokenAudit.Subject.transfer(
      specification.direction ?? .send, paths: specification.paths.map { $0.destination ?? $0.source })
    do {
      let credential = try await setUp(specification, request)
      audit(request, subject, .issued(id: credential.token?.fingerprint ?? "no token", until: credential.expiration))
      return credential
    } catch {
      audit(request, subject, .refused(error))
      throw error
    }
  }

  private func setUp(
    _ specification: TransferSpec, _ request: TransferTokenRequest
  ) async throws(TokenServiceError) -> TransferCredential {
    try await rateLimiter.applyLimit(to: request.caller)
    let allowedSpecification: TransferSpec
    do {
      allowedSpecification = try request.policy.transfer(specification, with: request.accessKey, at: context.time.now)
    } catch {
      throw .notAllowed(error)
    }
    do {
      let tokenRequest = TokenRequest(session: request.caller, specification: allowedSpecification)
      return try await issuer.issue(for: tokenRequest, in: context).credential
    } catch {
      throw .unavailable(error, after: error.isRetryable ? .seconds(1) : nil)
    }
  }

  private func audit(_ request: TransferTokenRequest, _ subject: TokenAudit.Subject, _ outcome: TokenAudit.Outcome) {
    audit(TokenAudit(date: context.time.now, caller: request.caller, subject: subject, outcome: outcome))
  }
}

/// A request for Aspera transfer tokens, with its caller and the policy that the app grants.
public struct TransferTokenRequest: Sendable, Hashable {
  /// The user ID of the caller, for rate limits and the audit log.
  ///
  /// Do not use a user's name or address.
  public var caller: String

  /// The policy for the caller's transfers, whose rules contain ``accessKey`` as the bucket.
  public var policy: AccessPolicy

  /// The name that the policy's rules contain as the bucket.
  public var accessKey: String

  /// Creates a request for transfer tokens.
  ///
  /// The parameters are the properties.
  public init(caller: String, policy: AccessPolicy, accessKey: String) {
    self.caller = caller
    self.policy = policy
    self.accessKey = accessKey
  }
}

extension RouterMethods {
  /// Adds the routes `files/upload_setup` and `files/download_setup`, with which clients set up Aspera transfers.
  ///
  /// Clients call the routes as they would call an Aspera node: the node of their `SetupTokenIssuer(node:)` is the URL
  /// before these paths. The routes do not authenticate the caller; put them behind the app's own authentication.
  ///
  /// - Parameters:
  ///   - service: The service that issues the transfer tokens.
  ///   - makeRequest: A closure that returns the caller of a request and the policy that the app grants to the caller.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult
  public func transferTokens(
    from service: TransferTokenService,
    makeRequest: @escaping @Sendable @concurrent (Request, Context) async throws -> TransferTokenRequest
  ) -> Self {
    for (path, direction) in [("files/upload_setup", TransferDirection.send), ("files/download_setup", .receive)] {
      on(RouterPath(stringLiteral: path), method: .post) { request, context -> Response in
        var request = request
        do {
          let tokenRequest = try await makeRequest(request, context)
          let call = try await SetupCall(&request, direction)
          return .json(await call.setUpTransfers(by: service, for: tokenRequest))
        } catch let error as HTTPError {
          return .json(refusal: TokenRefusal(error), "") { refusal, _ in refusal.nodeError.serialized }
        }
      }
    }
    return self
  }
}

/// A request to set up transfers, in the format that clients send to an Aspera node.
struct SetupCall {
  /// The maximum size of a request body in bytes, and the maximum number of transfers in a request.
  private static let (byteLimit, transferLimit) = (1 << 20, 100)

  /// The names of the fields that are forwarded to the node in addition to the paths.
  private static let forwardedFields = [
    "token_life_seconds", "create_dir", "public_keys", "rate_policy", "target_rate_kbps", "min_rate_kbps", "cipher",
    "content_protection",
  ]

  /// The names of the fields in a node's response with which a client could transfer other files as well.
  private static let secretFields = ["remote_password", "ssh_private_key", "ssh_private_key_passphrase"]

  private let specifications: [TransferSpec]

  init(_ request: inout Request, _ direction: TransferDirection) async throws {
    let body = try await request.collectBody(upTo: Self.byteLimit)
    guard let elements = (try? JSONValue(parsing: body.readableBytesView))?["transfer_requests"]?.array,
      (1...Self.transferLimit).contains(elements.count)
    else {
      throw HTTPError(.badRequest, message: "The body has no transfer_requests, or more than \(Self.transferLimit).")
    }
    specifications = try elements.map { element in
      guard let requested = element["transfer_request"]?.object else {
        throw HTTPError(.badRequest, message: "An element of transfer_requests has no transfer_request.")
      }
      guard requested["public_keys"].map(Self.isPublicKey) ?? true else {
        throw HTTPError(.badRequest, message: "The public_keys are not one public key in one line, without options.")
      }
      return Self.specification(from: requested, direction)
    }
  }

  /// Returns whether a value is a single line of `authorized_keys` without options.
  ///
  /// Options could allow more than a login, and a second line could give another user access.
  private static func isPublicKey(_ value: JSONValue) -> Bool {
    guard let text = value.string, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return false }
    let keyFields = text.parts(between: " ")
    return keyFields.count >= 2 && ["ssh-", "ecdsa-", "sk-"].contains { keyFields[0].utf8.starts(with: $0.utf8) }
      && [UInt8](base64: String(keyFields[1])) != nil
  }

  private static func specification(from requested: JSONObject, _ direction: TransferDirection) -> TransferSpec {
    var fields = JSONObject()
    for name in Self.forwardedFields { fields[name] = requested[name] }
    var specification = TransferSpec(fields: fields)
    specification.direction = direction
    let paths = requested["paths"]?.array ?? []
    switch direction {
    case .receive:
      specification.sourceRoot = requested["source_root"]?.string
      specification.paths = paths.compactMap { $0["source"]?.string.map { TransferPath($0) } }
    case .send:
      let destinations = paths.compactMap { $0["destination"]?.string }
      specification.destinationRoot = requested["destination_root"]?.string
      if specification.destinationRoot == nil, paths.count == 1, paths[0]["source"] == nil,
        let root = destinations.first
      {
        // An upload with a single path and no other names uses that destination as its folder.
        specification.destinationRoot = root
        specification.paths = [TransferPath(root)]
      } else {
        specification.paths = destinations.map { TransferPath($0, to: $0) }
      }
    }
    return specification
  }

  /// Sets up each transfer, and returns the node's response or an error for each of them.
  func setUpTransfers(by service: TransferTokenService, for request: TransferTokenRequest) async -> JSONValue {
    var elements: [JSONValue] = []
    for specification in specifications {
      do throws(TokenServiceError) {
        let credential = try await service.grant(for: specification, request)
        elements.append(["transfer_spec": .object(Self.visibleFields(of: credential))])
      } catch {
        elements.append(TokenRefusal(transfer: error).body.nodeError)
      }
    }
    return ["transfer_specs": .array(elements)]
  }

  /// Returns the node's transfer specification without the fields that the caller must not see.
  private static func visibleFields(of credential: TransferCredential) -> JSONObject {
    var fields = credential.specification?.fields ?? JSONObject()
    for name in Self.secretFields { fields[name] = nil }
    fields["token"] = credential.token.map { .string($0.secret.reveal()) }
    return fields
  }
}

extension TokenRefusal {
  /// Creates a refusal for a single transfer, without the node's own message, which appears only in the audit log.
  fileprivate init(transfer error: TokenServiceError) {
    if case .unavailable(let cause, nil) = error, cause.code == .rejected {
      self.init(
        .notFound, "NotFound", "The node did not set up this transfer: a path is missing, or not for this server.")
    } else {
      self.init(error)
    }
  }
}

extension TokenFormat.Refusal {
  /// The refusal as an error object in the format of an Aspera node.
  var nodeError: JSONValue {
    ["error": ["code": .number(JSONNumber(status.code)), "reason": .string(code), "user_message": .string(message)]]
  }
}
