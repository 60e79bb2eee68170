// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaClient

/// A token issuer whose first token for a session is not known to any server.
///
/// The setup call for that token registers the public key of the session, so that only the token can be refused.
struct SpoiledTokenIssuer: TokenIssuer {
  let base: SetupTokenIssuer

  var source: String { base.source }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let issued = try await base.issue(for: request, in: context)
    guard request.reason == .initial, let token = try? AsperaToken("ATM2_AC\(ServiceSteps.randomName())_2MTA") else {
      return issued
    }
    return IssuedCredential(
      TransferCredential(
        token: token, specification: issued.credential.specification, expiration: issued.credential.expiration),
      issuerTime: issued.issuerTime, source: issued.source)
  }
}
