// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension VerifierConformance {
  func checkPath(_ signed: SignedSample) throws -> Int {
    let paths = (signed.request.path ?? "").flips(from: 1)
    for path in paths {
      try requireRefusal(signed, "with another byte in the path or the query") { $0.path = path }
    }
    return paths.count
  }

  func checkHeaders(_ signed: SignedSample) throws -> Int {
    var tries = 0
    let fields = Array(signed.request.headerFields)
    for (index, field) in fields.enumerated() where signed.signedFields.contains(field.name) {
      func refused(_ what: String, _ change: (inout [HTTPField]) -> Void) throws {
        var copy = fields
        change(&copy)
        try requireRefusal(signed, what) { $0.headerFields = HTTPFields(copy) }
        tries += 1
      }
      for value in field.value.flips() {
        try refused("with another byte in \(field.name)") { $0[index].value = value }
      }
      try refused("with more in \(field.name)") { $0[index].value += "x" }
      try refused("without \(field.name)") { $0.remove(at: index) }
      try refused("with \(field.name) twice") { $0.append(field) }
    }
    return tries
  }

  func checkMethod(_ signed: SignedSample) throws -> Int {
    let methods = [HTTPRequest.Method.get, .put, .post, .delete, .head, .options]
      .filter { $0 != signed.request.method }
    for method in methods { try requireRefusal(signed, "as \(method)") { $0.method = method } }
    return methods.count
  }

  func checkHost(_ signed: SignedSample) throws -> Int {
    let hosts = (signed.request.authority ?? "").flips()
    for host in hosts { try requireRefusal(signed, "at another host") { $0.authority = host } }
    return hosts.count
  }

  private func requireRefusal(_ signed: SignedSample, _ what: String, change: (inout HTTPRequest) -> Void) throws {
    var request = signed.request
    change(&request)
    if refusal(of: request, against: signed.sample.credential, at: signed.sample.date) == nil {
      throw Violation("accepted \(what)")
    }
  }
}

extension String {
  /// Returns copies of the string, each with one byte changed.
  ///
  /// The new byte has the same character class, so that the string stays readable.
  func flips(from start: Int = 0) -> [String] {
    let bytes = Array(utf8)
    return (min(start, bytes.count)..<bytes.count).compactMap { index in
      var copy = bytes
      copy[index] =
        switch bytes[index] {
        case UInt8(ascii: "0")...UInt8(ascii: "8"), UInt8(ascii: "a")...UInt8(ascii: "e"),
          UInt8(ascii: "g")...UInt8(ascii: "y"), UInt8(ascii: "A")...UInt8(ascii: "E"),
          UInt8(ascii: "G")...UInt8(ascii: "Y"):
          bytes[index] + 1
        case UInt8(ascii: "9"): UInt8(ascii: "8")
        case UInt8(ascii: "f"): UInt8(ascii: "e")
        case UInt8(ascii: "F"): UInt8(ascii: "E")
        default: UInt8(ascii: "x")
        }
      return copy == bytes ? nil : String(validating: copy, as: UTF8.self)
    }
  }
}
