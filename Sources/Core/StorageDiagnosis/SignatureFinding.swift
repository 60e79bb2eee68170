// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A finding about why a service rejected a signature.
public struct SignatureFinding: Sendable, Hashable {
  /// The cause of the signature's rejection.
  public var cause: SignatureDiagnosis.Cause
  /// The name of the line that differs, or `nil` if the cause does not concern a line.
  public var line: String?
  /// The value of the differing line in the sent request, or `nil` if the line was absent.
  public var sent: String?
  /// The value of the differing line that the service received, or `nil` if it was absent or is unknown.
  public var received: String?
  /// Additional facts, in complete sentences without secrets.
  public var detail: String

  var otherLines: [String] = []
  /// Whether the strings to sign are equal, so that only the secret can differ if the client signed what it sent.
  var stringsAreEqual = false

  /// Creates a finding about a rejected signature; the parameters are the properties.
  public init(
    _ cause: SignatureDiagnosis.Cause, line: String? = nil, sent: String? = nil, received: String? = nil,
    detail: String = ""
  ) {
    self.cause = cause
    self.line = line
    self.sent = sent
    self.received = received
    self.detail = detail
  }
}

extension SignatureFinding: Redacted {
  /// The cause and the name of the differing line, without the values.
  public var description: String { "SignatureFinding(\(cause.rawValue)\(line.map { ", \($0)" } ?? ""))" }
}
