// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

// The steps of a string signer around the parsing of a provider's texts.

extension SigningRequest {
  package var requiredCanonicalRequest: String {
    get throws(SigningRefusal) {
      guard let canonicalRequest else { throw .malformed("The canonical request is missing.") }
      return canonicalRequest
    }
  }

  /// Throws an error unless the string to sign is the one with the hash of the canonical request.
  package func check(isFor text: String) throws(SigningRefusal) {
    guard text.isIdentical(to: stringToSign) else {
      throw SigningRefusal(
        .hashMismatch, "The string does not contain the hash of the canonical request.",
        remedy: "Send both as the signer prepares them.")
    }
  }
}

extension SigningRefusal {
  package static let anotherScheme = malformed("This signer does not support the signature version.")

  package static func check(lifetime seconds: Int64, in limits: ClosedRange<Int64>) throws(SigningRefusal) {
    guard limits.contains(seconds) else {
      throw SigningRefusal(
        .lifetime, "The URL would be valid for \(seconds) seconds; the service accepts 1 to \(limits.upperBound).",
        remedy: "Request a shorter lifetime.")
    }
  }

  /// Throws an error unless a text is, byte for byte, the canonical one of the request that was parsed from it.
  package static func check(
    _ text: String, isCanonical canonical: () throws(SigningError) -> String
  ) throws(SigningRefusal) {
    let expected: String
    do throws(SigningError) {
      expected = try canonical()
    } catch {
      throw .notCanonical
    }
    guard expected.isIdentical(to: text) else { throw .notCanonical }
  }
}

extension StringToSignReader {
  /// Reads the lines of headers up to an empty line, which follows them, and the host among them.
  package mutating func headers() throws(SigningRefusal) -> (fields: HTTPFields, host: String?) {
    var fields = HTTPFields()
    var host: String?
    for line in take(while: { !$0.isEmpty }) {
      guard let text = line.removingBytePrefix("host:") else {
        try fields.append(line: line)
        continue
      }
      guard host == nil else { throw .malformed("There are two hosts.") }
      host = String(text)
    }
    _ = try first()
    return (fields, host)
  }
}

extension HTTPFields {
  package mutating func append(line: String) throws(SigningRefusal) {
    let pair = line.parts(between: ":", atMost: 1)
    guard pair.count == 2 else { throw .malformed("A line that should be a header has no colon.") }
    try append(signed: String(pair[0]), String(pair[1]))
  }
}
