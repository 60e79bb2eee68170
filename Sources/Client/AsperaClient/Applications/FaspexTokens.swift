// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient

/// A token issuer that requests the transfer specification of a package from Faspex.
///
/// The first specification is requested before the transfer, because it determines the paths.
final class FaspexTokens: TokenIssuer {
  let source = "Faspex"

  private let api: ApplicationAPI
  private let path: String
  private let body: JSONValue
  private let unused = Lock<TransferSpec?>(nil)

  init(_ api: ApplicationAPI, _ path: String, _ body: JSONValue) {
    self.api = api
    self.path = path
    self.body = body
  }

  /// Requests the specification, and keeps it for the first token request.
  func first() async throws -> TransferSpec {
    let specification = try await fetch()
    unused.withLock { $0 = specification }
    return specification
  }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let kept = unused.withLock { specification in
      defer { specification = nil }
      return specification
    }
    let specification: TransferSpec
    if let kept {
      specification = kept
    } else {
      do {
        specification = try await fetch()
      } catch {
        throw credentialError(error, from: source)
      }
    }
    do {
      return IssuedCredential(
        TransferCredential(token: try specification.token.map { try AsperaToken($0) }, specification: specification),
        source: source)
    } catch {
      throw CredentialError(
        .malformedResponse, source: source, "The transfer specification has a token that cannot be used.",
        remedy: "Check the version of Faspex.")
    }
  }

  private func fetch() async throws -> TransferSpec {
    let response = try await api.call(.post, path, body)
    if let refusal = NodeRefusal(of: response) {
      throw ServiceError(refusal, in: HTTPResponse(status: .ok), subject: "\(api.name): POST \(path)")
    }
    guard let fields = response.object else {
      throw StorageError.malformedResponse("the transfer specification is not an object")
    }
    let specification = TransferSpec(fields: fields)
    guard specification.token != nil else {
      throw StorageError.malformedResponse("the transfer specification has no token")
    }
    return specification
  }
}

/// The transfer queue of a client, which is created for its first transfer.
final class FaspexQueue: Sendable {
  typealias Room = (queue: TransferQueue, account: AsperaAccount?)

  private let context = Lock<Room?>(nil)

  /// Returns the queue, and creates it if there is none.
  func value(_ make: () throws -> Room) throws -> Room {
    try context.withLock { context in
      if let context { return context }
      let made = try make()
      context = made
      return made
    }
  }
}

extension AsperaTransferOptions {
  /// Creates the queue and the account for transfers that an application specifies.
  func applicationQueue(of api: ApplicationAPI) throws -> FaspexQueue.Room {
    try checkServer()
    let account: AsperaAccount?
    switch login {
    case .tokenAccount(let keyPath, let passphrase):
      // The application's transfer specification names the server, unless the caller does.
      let host = ServiceURL(api.url).map { TransferContext.host(of: $0.authority) } ?? ""
      var shared = try AsperaAccount.defaultTokenAccount(
        host: server.host ?? host, keyPath: keyPath, passphrase: passphrase,
        sshPort: server.sshPort ?? AsperaAccount.defaultPort, udpPort: server.udpPort ?? AsperaAccount.defaultPort,
        hostKey: server.hostKey, on: .system)
      shared.isHostAssumed = server.host == nil
      account = shared
    case .account(let own): account = own
    case .webSocket: account = nil
    case .dynamicKey:
      throw StorageError(
        .unsupported, "\(api.name) has no request that registers a generated key.",
        remedy: "Log in with a key that the transfer server knows.")
    }
    let queue = TransferQueue(
      engine: try engine ?? PlatformEngine.make(program: ascp, options: options, time: api.time),
      configuration: queue, in: .system(api.transport, api.time))
    return (queue, account)
  }
}
