// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension SignerConformance {
  func checkDeterminism(_ sample: Sample) throws {
    try require(signed(sample) == signed(sample), "the second signature differs from the first")
  }

  func checkPath(_ sample: Sample) throws {
    try requireUntouched(signed(sample), sample.request, "")
  }

  func checkPathOfWhatIsSigned(_ request: HTTPRequest, _ name: String, _ sample: Sample) throws {
    var copy = request
    do throws(SigningError) {
      try signer.sign(&copy, with: sample.credential, in: .at(sample.date))
    } catch {
      return
    }
    try requireUntouched(copy, request, " \(name)")
  }

  private func requireUntouched(_ signed: HTTPRequest, _ request: HTTPRequest, _ name: String) throws(Violation) {
    func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
    try require(bytes(signed.path) == bytes(request.path), "the path changed\(name)")
    try require(signed.method == request.method, "the method changed\(name)")
    try require(bytes(signed.scheme) == bytes(request.scheme), "the scheme changed\(name)")
    try require(bytes(signed.authority) == bytes(request.authority), "the host changed\(name)")
  }

  func checkHeaders(_ sample: Sample) throws {
    var rest = Array(sample.request.headerFields)[...]
    for field in try signed(sample).headerFields where field == rest.first { rest = rest.dropFirst() }
    if let lost = rest.first { throw Violation("\(lost.name) was removed, changed or moved") }
  }

  func checkHeaderOrder(_ sample: Sample) throws {
    var shuffled = sample
    shuffled.request.headerFields = HTTPFields(
      sample.request.headerFields.sorted { $0.name.canonicalName > $1.name.canonicalName })
    let (signed, other) = (try signed(sample), try self.signed(shuffled))
    try require(
      signed.additions(to: sample.request) == other.additions(to: sample.request),
      "the headers in another order give a different signature")
  }

  func checkResigning() throws -> Int {
    var others = samples.dropFirst() + samples.prefix(1)
    return try forSamples { sample in
      guard let other = others.popFirst() else { return }
      let first = try signer.signed(sample.request, with: other.credential, in: .at(other.date))
      let again = try signer.signed(first, with: sample.credential, in: .at(sample.date))
      let fresh = try signed(sample)
      try require(
        again.sortedFields == fresh.sortedFields,
        "after signing twice it has \(again.sortedNames), after signing once \(fresh.sortedNames)")
    }
  }

  func checkAnonymity() throws -> Int {
    guard let anonymous else { throw NotTried(reason: "there is no anonymous credential") }
    return try forSamples { sample in
      let signed = try signer.signed(sample.request, with: anonymous, in: .at(sample.date))
      try require(signed == sample.request, "the request changed")
    }
  }

  func checkValidity(_ sample: Sample) throws {
    let required = signer.requiredValidity(from: sample.date)
    try require(required >= sample.date, "a credential must be valid until \(required) to be used at \(sample.date)")
  }
}

extension HTTPRequest {
  /// Returns the header fields that were added to the original request, in sorted order.
  func additions(to original: HTTPRequest) -> [String] {
    var rest = Array(original.headerFields)
    return headerFields.filter { field in
      guard let index = rest.firstIndex(of: field) else { return true }
      rest.remove(at: index)
      return false
    }.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
  }

  /// Returns the authentication parameters that were added to the original request.
  ///
  /// They are the `Authorization` header or, if the request has no such header, all added header fields.
  func proof(addedTo original: HTTPRequest) -> [String] {
    headerFields[.authorization].map { [$0] } ?? additions(to: original)
  }

  /// The header fields as sorted strings, which do not depend on the order of the fields.
  fileprivate var sortedFields: [String] {
    headerFields.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
  }

  fileprivate var sortedNames: [String] {
    headerFields.map(\.name.canonicalName).sorted()
  }
}
