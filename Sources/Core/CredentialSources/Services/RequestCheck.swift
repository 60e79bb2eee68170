// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A function that returns an identity token, called for each request, because tokens are rotated.
package typealias IdentityTokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

/// A check of a request's parameters, whose errors contain the limit that a parameter exceeds.
package struct RequestCheck: Sendable {
  package let source: String
  package init(source: String) { self.source = source }

  package func refusal(_ message: String, remedy: String) -> CredentialError {
    CredentialError(.failed, source: source, message, remedy: remedy)
  }

  package func wholeSeconds(of duration: Duration, in range: ClosedRange<Int64>) throws(CredentialError) -> Int64 {
    let (seconds, attoseconds) = duration.components
    guard attoseconds == 0, range.contains(seconds) else {
      throw refusal(
        "The lifetime of \(duration) is outside of the service's limits.",
        remedy: "Request whole seconds from \(range.lowerBound) to \(range.upperBound).")
    }
    return seconds
  }

  /// Checks a session name's length, and that it consists of ASCII letters, digits and the characters in `marks`.
  package func requireSessionName(_ name: String, marks: String, length: ClosedRange<Int>) throws(CredentialError) {
    try requireText(name, named: "The session name", marks: marks, length: length, remedy: "Use")
  }

  /// Checks a text's length and characters; `remedy` is the beginning of a sentence that ends with the limits.
  func requireText(
    _ text: String, named name: String, marks: String, length: ClosedRange<Int>, remedy: String
  ) throws(CredentialError) {
    let isAllowed = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || marks.utf8.contains($0) }
    guard isAllowed, length.contains(text.utf8.count) else {
      let problem =
        isAllowed ? "has \(text.utf8.count) characters" : "contains a character that the service does not allow"
      throw refusal(
        "\(name) \(problem).",
        remedy: "\(remedy) \(length.lowerBound) to \(length.upperBound) letters, digits and \(marks).")
    }
  }

  /// Checks that the name of a vendor's resource, such as a role, is printable ASCII in the required form.
  package func requireResourceName(
    _ name: String, of kind: String, form: String, limit: Int = 512, _ isForm: Bool
  ) throws(CredentialError) {
    let isPrintableASCII = name.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f }
    guard isForm, isPrintableASCII, name.utf8.count <= limit else {
      throw refusal(
        "The name of the \(kind) does not have the form \(form).", remedy: "Copy it from the vendor's console.")
    }
  }

  /// Returns an identity token without surrounding whitespace, such as the line break at the end of a token file.
  package func identityToken(_ read: IdentityTokenSource) async throws(CredentialError) -> Secret {
    let token = Secret(try await read().reveal().trimmingASCIIWhitespace())
    guard !token.isEmpty else {
      throw refusal("The identity token is empty.", remedy: "Check the program that writes the token.")
    }
    return token
  }

  /// Checks that a policy is a JSON object of at most `limit` bytes; `nil` is valid.
  package func requirePolicy(_ policy: String?, limit: Int? = nil) throws(CredentialError) {
    guard let policy else { return }
    if let limit, policy.utf8.count > limit {
      throw refusal(
        "The policy has \(policy.utf8.count) bytes; the service accepts \(limit).",
        remedy: "Shorten it, or attach it to the role.")
    }
    guard (try? JSONValue(parsing: policy.utf8))?.object != nil else {
      throw refusal("The policy is not a JSON object.", remedy: "Write it as JSON, not encoded for a URL.")
    }
  }

  /// Parses the URL of a service that receives or returns credentials.
  ///
  /// Plain HTTP is allowed only for services on this machine, unless `allowsPlainHTTP` is `true`.
  package func address(_ url: String, allowsPlainHTTP: Bool = false) throws(CredentialError) -> ServiceURL {
    guard let address = ServiceURL(url) else {
      throw refusal(
        "The address is not a URL of scheme, host and path.",
        remedy: "Write it like https://app.example.com/credentials, without a user or a fragment.")
    }
    guard allowsPlainHTTP || address.isConfidential else {
      throw refusal(
        "The address \(address.visible) is not encrypted, so an eavesdropper on the network could read the keys.",
        remedy: "Use https, or allow plain http in code if the network is trusted.")
    }
    return address
  }
}
