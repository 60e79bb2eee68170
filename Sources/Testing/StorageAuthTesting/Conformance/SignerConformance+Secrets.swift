// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension SignerConformance {
  func checkSecret() throws -> Int {
    let samples = samples.filter { $0.otherSecret != nil }
    guard !samples.isEmpty else { throw NotTried(reason: "no sample has a credential with another secret") }
    return try samples.forEach { sample in
      guard let other = sample.otherSecret else { return }
      try requireAnother(sample, "with another secret") { $0.credential = other }
    }
  }

  func checkDate(_ sample: Sample) throws {
    try requireAnother(sample, "an hour later") { $0.date = $0.date.advanced(by: .seconds(3_600)) }
  }

  func checkMethod(_ sample: Sample) throws {
    let method: HTTPRequest.Method = sample.request.method == .get ? .delete : .get
    try requireAnother(sample, "with \(method)") { $0.request.method = method }
  }

  func checkOtherPath(_ sample: Sample) throws {
    try requireAnother(sample, "with another path") { other in
      let parts = (other.request.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      other.request.path = ([parts[0] + "x"] + parts.dropFirst()).joined(separator: "?")
    }
  }

  private func requireAnother(_ sample: Sample, _ what: String, change: (inout Sample) -> Void) throws {
    var other = sample
    change(&other)
    let proof = try signed(sample).proof(addedTo: sample.request)
    try require(try signed(other).proof(addedTo: other.request) != proof, "the signature is the same \(what)")
  }

  func checkRefusal() throws -> Int {
    guard !unusable.isEmpty else { throw NotTried(reason: "there is no credential that must be rejected") }
    guard let sample = samples.first else { throw NotTried(reason: "there is no sample") }
    for (name, credential) in unusable {
      var request = sample.request
      let error = error(of: &request, with: credential, sample)
      try require(error != nil, "\(name) was not rejected")
    }
    return unusable.count
  }

  func checkAtomicity(_ request: HTTPRequest, _ name: String, _ sample: Sample) throws {
    var copy = request
    guard let error = error(of: &copy, with: sample.credential, sample) else { return }
    try require(copy == request, "the request changed although it was rejected \(name)")
    try require(!error.message.isEmpty && !error.remedy.isEmpty, "the error \(name) lacks a message or a remedy")
  }

  func checkSecrecy(_ sample: Sample) throws {
    let signed = try signed(sample)
    let fields = signed.headerFields.map { "\($0.name): \($0.value)" }
    let text = ([signed.path ?? "", signed.authority ?? ""] + fields).joined(separator: "\n")
    try sample.secrets.requireAbsent(from: text, "the signed request")
  }

  func checkSecrecyOfErrors(_ request: HTTPRequest, _ name: String, _ sample: Sample) throws {
    var copy = request
    guard let error = error(of: &copy, with: sample.credential, sample) else { return }
    var secrets = sample.secrets
    if let key = sample.credential as? AccessKey {
      secrets += [key.secret.reveal(), key.sessionToken?.reveal() ?? ""].filter { $0.utf8.count >= 8 }
    }
    try secrets.requireAbsent(fromDisplaysOf: error, "the error \(name)")
  }

  private func error(of request: inout HTTPRequest, with credential: Subject.SigningCredential, _ sample: Sample)
    -> SigningError?
  {
    do throws(SigningError) {
      try signer.sign(&request, with: credential, in: .at(sample.date))
      return nil
    } catch {
      return error
    }
  }
}
