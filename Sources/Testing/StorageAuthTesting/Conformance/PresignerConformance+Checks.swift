// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension PresignerConformance {
  typealias Sample = SigningSample<Subject.SigningCredential>

  func presigned(_ sample: Sample) throws(SigningError) -> PresignedRequest {
    try presigner.presign(sample.request, with: sample.credential, validFor: lifetime, in: .at(sample.date))
  }

  func checkAppending(_ sample: Sample) throws {
    let url = try presigned(sample).url
    let path = sample.request.path ?? ""
    let original = "\(sample.request.scheme ?? "")://\(sample.request.authority ?? "")\(path)"
    try require(Array(url.utf8).starts(with: original.utf8), "the URL does not start with that of the request")
    let rest = url.utf8.dropFirst(original.utf8.count)
    let separator = UInt8(ascii: path.contains("?") ? "&" : "?")
    try require(rest.first == separator, "the appended query does not start with \(Unicode.Scalar(separator))")
    try require(!rest.contains(UInt8(ascii: "+")), "the appended query contains an unencoded +")
    try require(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }, "a byte is invalid in a URL")
    try require(url.utf8.count { $0 == UInt8(ascii: "?") } == 1, "the URL contains more than one ?")
  }

  func checkKept(_ sample: Sample) throws {
    let signed = try presigned(sample)
    try require(signed.method == sample.request.method, "the method is \(signed.method)")
    for field in signed.headers where !sample.request.headerFields.contains(field) {
      throw Violation("\(field.name) must be sent with a value that the request does not have")
    }
  }

  func checkExpiry(_ sample: Sample) throws {
    let signed = try presigned(sample)
    let end = sample.date.wholeSeconds.advanced(by: lifetime)
    try require(signed.expiration == end, "the URL expires at \(signed.expiration), not at \(end)")
    let required = presigner.requiredValidity(from: sample.date, validFor: lifetime)
    try require(required >= end, "the credential must be valid until \(required), the URL until \(end)")
  }

  func checkEndedProof() throws -> Int {
    let samples = samples.filter { $0.ended != nil }
    guard !samples.isEmpty else { throw NotTried(reason: "no sample has a credential that expires") }
    return try samples.forEach { sample in
      guard let ended = sample.ended else { return }
      let error = try refusal(of: sample, with: ended, for: lifetime, "a credential that expires before the URL")
      try require(error.code == .credentialEndsFirst, "the error has the code \(error.code)")
    }
  }

  func checkAnonymity() throws -> Int {
    guard let anonymous else { throw NotTried(reason: "there is no anonymous credential") }
    return try samples.forEach { sample in
      _ = try refusal(of: sample, with: anonymous, for: lifetime, "an anonymous credential")
    }
  }

  func checkLifetime(_ sample: Sample) throws {
    for duration in [Duration.zero, .seconds(-1), .seconds(-1_000_000_000)] {
      _ = try refusal(of: sample, with: sample.credential, for: duration, "a lifetime of \(duration)")
    }
  }

  func checkRefusal() throws -> Int {
    guard !unusable.isEmpty else { throw NotTried(reason: "there is no credential that must be rejected") }
    guard let sample = samples.first else { throw NotTried(reason: "there is no sample") }
    for (name, credential) in unusable {
      let error = try refusal(of: sample, with: credential, for: lifetime, name)
      try require(!error.message.isEmpty && !error.remedy.isEmpty, "the error of \(name) lacks a message or a remedy")
    }
    return unusable.count
  }

  func checkSecrecy(_ sample: Sample) throws {
    let signed = try presigned(sample)
    try sample.secrets.requireAbsent(from: signed.url, "the URL")
    let appended = signed.url.utf8.count - (sample.request.path ?? "").utf8.count
    try require(appended > 0, "no query was appended")
    let query = signed.url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    try [query].requireAbsent(fromDisplaysOf: signed, "the presigned request: its query")
    let error = try refusal(of: sample, with: sample.credential, for: .zero, "a lifetime of zero")
    try sample.secrets.requireAbsent(fromDisplaysOf: error, "an error")
  }

  private func refusal(
    of sample: Sample, with credential: Subject.SigningCredential, for duration: Duration, _ what: String
  ) throws(Violation) -> SigningError {
    do throws(SigningError) {
      _ = try presigner.presign(sample.request, with: credential, validFor: duration, in: .at(sample.date))
    } catch {
      return error
    }
    throw Violation("\(what) was not rejected")
  }
}
