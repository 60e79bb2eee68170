/// Names of headers and parameters whose values open something: session tokens and signatures.
package enum SecretName {
  /// Whether the value of a header or a parameter is a session token.
  package static func isToken(_ name: some StringProtocol) -> Bool {
    tokens.contains(name.asciiLowercased)
  }

  /// Whether the value of a header or a parameter is not to be shown.
  package static func isSecret(_ name: some StringProtocol) -> Bool {
    isToken(name) || signatures.contains(name.asciiLowercased)
  }

  private static let tokens: Set<String> = [
    "security-token", "x-oss-security-token", "x-cos-security-token", "x-ci-security-token",
  ]

  private static let signatures: Set<String> = ["signature", "x-oss-signature", "q-signature", "sign", "authorization"]
}

extension RequestTarget.Parameter: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name and the value; that of a session token or a signature is masked.
  public var description: String {
    guard let value else { return name.string }
    return "\(name)=\(SecretName.isSecret(name.string) ? Secret.mask : value.string)"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The name, and the value unless it is masked.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["name": name.string, "value": SecretName.isSecret(name.string) ? Secret.mask : value?.string as Any])
  }
}
