// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import StorageAuth
import StorageAuthTesting
import XCTest

/// An issuer that runs a test's script and records its requests.
final class ScriptedIssuer: TokenIssuer {
  typealias Script = @Sendable (TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferCredential>

  let source: String
  private let script: Script
  private let log = Lock<[TokenRequest]>([])

  init(source: String = "desk", _ script: @escaping Script) {
    self.source = source
    self.script = script
  }

  /// Creates an issuer of numbered tokens with a lifetime: `ATM2_ID-N_AAA`.
  convenience init(life: Duration?, time: ManualClock) {
    self.init { request throws(CredentialError) in
      .token("\(request.session)-\(request.attempt)", expiration: life.map { time.now.advanced(by: $0) })
    }
  }

  var requests: [TokenRequest] { log.withLock { $0 } }

  func requests(of session: String) -> [TokenRequest] { requests.filter { $0.session == session } }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    log.withLock { $0.append(request) }
    return try await script(request)
  }
}

extension IssuedCredential<TransferCredential> {
  /// Creates a transfer token that contains a name.
  static func token(_ name: String, expiration: Timestamp? = nil) -> IssuedCredential<TransferCredential> {
    IssuedCredential(TransferCredential(token: .sample(name), expiration: expiration))
  }
}

extension AsperaToken {
  static func sample(_ name: String, expiration: Timestamp? = nil) -> AsperaToken {
    do {
      return try AsperaToken(Secret("ATM2_\(name)_AAA"), expiration: expiration)
    } catch {
      XCTFail("\(error)")
      return sample("broken")
    }
  }
}

extension CredentialError {
  static func outage(isRetryable: Bool) -> CredentialError {
    CredentialError(.failed, source: "desk", "The desk is closed.", remedy: "Come back.", isRetryable: isRetryable)
  }
}
