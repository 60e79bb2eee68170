// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
package import StorageAuthTesting

extension SigningScheme {
  /// Checks that preparing and finishing, with a server between them, equals signing in one step.
  package func splitSignatureIsTheSame(_ sample: SigningSample<AccessKey>) throws {
    let pending = try signer.prepare(sample.request, as: sample.credential.identity, in: .at(sample.date))
    let finished = try signer.finish(
      pending, signature: remoteSignature(pending, sample.credential.secret.reveal()))
    let signed = try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
    try require(finished == signed, "preparing and finishing gives another request")
  }

  /// Checks that preparing and finishing a URL, with a server between them, equals presigning in one step.
  package func splitURLIsTheSame(_ sample: SigningSample<AccessKey>) throws {
    let pending = try signer.prepare(
      presigning: sample.request, as: sample.credential.identity, validFor: .seconds(60), in: .at(sample.date))
    let finished = try signer.finish(
      pending, signature: remoteSignature(pending, sample.credential.secret.reveal()))
    let signed = try signer.presign(
      sample.request, with: sample.credential, validFor: .seconds(60), in: .at(sample.date))
    let url = "\(finished.scheme ?? "")://\(finished.authority ?? "")\(finished.path ?? "")"
    try require(url == signed.url, "preparing and finishing gives another URL")
    try require(pending.expiration == signed.expiration, "preparing and finishing gives another expiration")
  }

  private func require(_ condition: Bool, _ message: String) throws(Violation) {
    if !condition { throw Violation("\(name): \(message)") }
  }
}
