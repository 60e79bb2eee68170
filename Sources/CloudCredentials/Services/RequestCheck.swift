package import StorageAuth
internal import StorageJSON

/// Refuses what a service would refuse, before it is sent, and says what the limit is.
package struct RequestCheck: Sendable {
  /// The name of the provider.
  let source: String

  package init(source: String) {
    self.source = source
  }

  func refused(_ message: String, _ remedy: String) -> CredentialError {
    CredentialError(.failed, source: source, message, remedy: remedy)
  }

  /// A lifetime in whole seconds.
  package func seconds(_ duration: Duration, in range: ClosedRange<Int64>) throws(CredentialError) -> Int64 {
    let (seconds, rest) = duration.components
    guard rest == 0, range.contains(seconds) else {
      throw refused(
        "The lifetime of \(duration) is not one that the service gives.",
        "Ask for whole seconds from \(range.lowerBound) to \(range.upperBound).")
    }
    return seconds
  }

  /// The name of a session: ASCII letters and digits, and some marks.
  func sessionName(_ name: String, marks: String, length: ClosedRange<Int>) throws(CredentialError) {
    let isAllowed = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    guard isAllowed, length.contains(name.utf8.count) else {
      throw refused(
        "The session name is not one that the service takes.",
        "Use \(length.lowerBound) to \(length.upperBound) letters, digits and \(marks).")
    }
  }

  /// The name of a resource of a vendor, such as a role.
  func resourceName(
    _ name: String, of kind: String, form: String, limit: Int = 512, _ isForm: Bool
  ) throws(CredentialError) {
    let isClean = name.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f }
    guard isForm, isClean, name.utf8.count <= limit else {
      throw refused("The name of the \(kind) does not have the form \(form).", "Copy it from the vendor's console.")
    }
  }

  /// An identity token, without the line break at the end of the file that it may come from.
  func identityToken(
    _ read: @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) async throws(CredentialError) -> Secret {
    let token = Secret(try await read().reveal().trimmingBlanks())
    if token.isEmpty { throw refused("The identity token is empty.", "See who writes the file that it comes from.") }
    return token
  }

  /// A policy: a JSON object of at most so many bytes.
  func policy(_ policy: String?, limit: Int? = nil) throws(CredentialError) {
    guard let policy else { return }
    if let limit, policy.utf8.count > limit {
      throw refused(
        "The policy has \(policy.utf8.count) bytes; the service takes \(limit).",
        "Shorten it, or attach it to the role.")
    }
    guard (try? JSONValue(parsing: policy.utf8))?.object != nil else {
      throw refused("The policy is not a JSON object.", "Write it as JSON, not encoded for a URL.")
    }
  }

  /// The address of a service that is sent credentials, or answers with them.
  package func address(_ url: String, allowsPlainHTTP: Bool = false) throws(CredentialError) -> ServiceURL {
    guard let address = ServiceURL(url) else {
      throw refused(
        "The address is not a URL of scheme, host and path.",
        "Write it like https://app.example.com/credentials, without a user or a fragment.")
    }
    guard allowsPlainHTTP || address.isPrivate else {
      throw refused(
        "The address \(address.visible) is not encrypted, and whoever listens on the way would have the keys.",
        "Use https, or allow plain http in code if the way is trusted.")
    }
    return address
  }
}
