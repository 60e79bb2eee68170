// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension SetupTokenIssuer {
  /// The token lifetimes that can be requested, in seconds.
  ///
  /// The maximum is ten years, which is more than any server grants.
  private static let lives: ClosedRange<Int64> = 1...315_360_000

  var signer: AsperaNodeSigner { AsperaNodeSigner(allowsPlainHTTP: allowsPlainHTTP) }

  /// Returns the request that sets up a transfer, before the request is authorized.
  func call(for specification: TransferSpec) throws(CredentialError) -> ServiceCall {
    let address = try RequestCheck(source: source).address(node, allowsPlainHTTP: allowsPlainHTTP)
    do {
      let body = try NodeSetup.body(for: [specification], tokenLifetime: tokenLifetime)
      let path = NodeSetup.path(for: specification.direction ?? .send)
      return address.appending(path).call(.post, headers: [.contentType: "application/json"], body: body)
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
  }

  /// Returns the requested token lifetime, or the node's default lifetime if no lifetime is requested.
  func life(of specification: TransferSpec) throws(CredentialError) -> Duration {
    let asked = tokenLifetime ?? specification.fields["token_life_seconds"]?.integer.map { .seconds($0) }
    guard let asked else { return NodeSetup.assumedLife }
    return .seconds(try RequestCheck(source: source).seconds(asked, in: Self.lives))
  }

  func send(
    _ call: ServiceCall, with access: AsperaNodeAccess
  ) async throws(CredentialError) -> ReceivedAnswer {
    var signed = call
    do {
      try signer.sign(&signed.request, with: access, in: .at(time.now))
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
    let sent = signed.request.headerFields[.authorization]?.split(separator: " ").last.map { Secret(String($0)) }
    let prepared = PreparedCall(signed, masks: [access.secret] + (sent.map { [$0] } ?? []))
    return try await exchange.receive { prepared }
  }

  /// Returns whether an HTTP status means that the node rejected the request's credential.
  static func isRefusal(_ status: Int) -> Bool { status == 401 || status == 403 }

  /// Returns the grant that a node's response contains, or throws the node's error.
  func grant(
    in answer: ReceivedAnswer, life: Duration
  ) throws(CredentialError) -> IssuedCredential<TransferGrant> {
    guard answer.response.status.kind == .successful else { throw refusal(answer) }
    let result: Result<TransferSpec, NodeRefusal>?
    do {
      result = try NodeSetup.results(of: answer.body, count: 1).first
    } catch {
      throw malformed(error.message, error.remedy, isRetryable: true)
    }
    switch result {
    case .success(let specification)?: return try grant(from: specification, answer, life: life)
    case .failure(let refusal)?: throw error(for: refusal, status: refusal.status ?? answer.status, answer)
    case nil: throw malformed("The response has no element.", "Check that the address is that of a Node API.")
    }
  }

  private func grant(
    from specification: TransferSpec, _ answer: ReceivedAnswer, life: Duration
  ) throws(CredentialError) -> IssuedCredential<TransferGrant> {
    guard let secret = specification.token, !secret.isEmpty else {
      throw malformed(
        "The response has no token.", "Let the node authorize transfers by token, or do without an issuer.")
    }
    let present = answer.issuerTime ?? time.now
    do {
      let token = try AsperaToken(secret)
      let end = token.kind == .basic ? nil : token.expiration ?? present.advanced(by: life)
      let timed = try AsperaToken(secret, expiration: end)
      return IssuedCredential(
        TransferGrant(token: timed, specification: specification), issuerTime: answer.issuerTime, source: source)
    } catch {
      throw malformed("The response has a token that cannot be used. \(error.message)", error.remedy)
    }
  }

  private func malformed(_ message: String, _ remedy: String, isRetryable: Bool = false) -> CredentialError {
    CredentialError(.malformedAnswer, source: source, message, remedy: remedy, isRetryable: isRetryable)
  }

  /// Returns the error for a response whose HTTP status reports a failure.
  func refusal(_ answer: ReceivedAnswer, because declined: [CredentialError] = []) -> CredentialError {
    let said = (try? JSONValue(parsing: answer.body)).flatMap { NodeRefusal(of: $0) }
    return error(for: said, status: answer.status, answer, because: declined)
  }

  private func error(
    for refusal: NodeRefusal?, status: Int, _ answer: ReceivedAnswer, because declined: [CredentialError] = []
  ) -> CredentialError {
    let isPassing = status >= 500 || status == 429 || status == 408
    var said = answer.response.status.kind == .successful ? [] : ["HTTP \(answer.status)"]
    if let refusal { said.append(ServiceText(masking: answer.masks).shown(refusal.text)) }
    let remedy =
      switch status {
      case 401, 403: "Check the node user or the access key, and that it may transfer these paths."
      case 404: "Check the paths, and the address of the Node API."
      default: isPassing ? "Try again later." : "See what the node says about this code."
      }
    return CredentialError(
      isPassing ? .failed : .rejected, source: source,
      "The node refused to set the transfer up: \(said.joined(separator: ", ")).", remedy: remedy,
      isRetryable: isPassing, declined: declined)
  }
}
