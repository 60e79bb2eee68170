// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An engine that carries out transfers, for example with ascp.
public protocol TransferEngine: Sendable {
  /// Runs one attempt to carry out a transfer.
  ///
  /// Cancelling the task stops the transfer in an orderly way. Processes, files and ports are gone on return.
  ///
  /// - Parameters:
  ///   - spec: The signed specification, which contains the account and the token.
  ///   - additions: The paths that are added to a persistent session, in the order in which they must be sent. The
  ///     session ends when the sequence ends. `nil` for a transfer whose paths are in `spec`.
  ///   - report: A function that receives the attempt's reports, one after another.
  /// - Returns: The number of transferred bytes and files.
  /// - Throws: A ``TransferFailure`` whose kind determines how a queue continues.
  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary
}

/// An engine's report about a transfer in progress.
public enum TransferReport: Sendable, Hashable {
  /// The transfer has started to connect, but the server has not yet accepted the account and the token.
  case connecting
  /// The server has accepted the account and the token, and the session is running.
  case running
  /// The progress of the transfer has changed to the given progress.
  case progress(TransferProgressReport)
  /// A file was transferred or skipped, or its transfer failed.
  case file(TransferFileReport)
}

/// A report about the progress of a transfer.
public struct TransferProgressReport: Sendable, Hashable {
  /// The number of content bytes transferred so far, including the bytes of finished files.
  public var bytes: Int64
  /// The total number of content bytes in the transfer, or `nil` if the number is unknown.
  public var totalBytes: Int64?
  /// The name of the file that is being transferred, or `nil` if the name is unknown.
  public var file: String?

  /// Creates a report about the progress of a transfer.
  ///
  /// - Parameters:
  ///   - bytes: The number of content bytes transferred so far, including the bytes of finished files.
  ///   - totalBytes: The total number of content bytes in the transfer, or `nil` if the number is unknown.
  ///   - file: The name of the file that is being transferred, or `nil` if the name is unknown.
  public init(bytes: Int64, totalBytes: Int64? = nil, file: String? = nil) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.file = file
  }
}

/// A report about the result of transferring one file.
public struct TransferFileReport: Sendable, Hashable {
  /// The result of transferring one file.
  public enum Outcome: Sendable, Hashable {
    /// The file was transferred.
    case done
    /// The file was skipped because it already exists at the destination.
    case skipped
    /// The file was not transferred because of a failure with the engine's given code and text.
    case failed(code: Int, text: String)
  }

  /// The file name that the engine reports.
  public var file: String
  /// The file size in bytes, or `nil` if the engine does not report the size.
  public var bytes: Int64?
  /// The result of transferring the file.
  public var outcome: Outcome

  /// Creates a report about the result of transferring one file.
  ///
  /// - Parameters:
  ///   - file: The file name that the engine reports.
  ///   - bytes: The file size in bytes, or `nil` if the engine does not report the size.
  ///   - outcome: The result of transferring the file.
  public init(file: String, bytes: Int64? = nil, outcome: Outcome) {
    self.file = file
    self.bytes = bytes
    self.outcome = outcome
  }
}

/// The numbers of bytes and files of a successful transfer.
public struct TransferSummary: Sendable, Hashable {
  /// The number of content bytes that were transferred.
  public var bytes: Int64
  /// The number of files that were transferred or skipped.
  public var files: Int

  /// Creates the summary of a successful transfer.
  ///
  /// - Parameters:
  ///   - bytes: The number of transferred content bytes.
  ///   - files: The number of files that were transferred or skipped.
  public init(bytes: Int64 = 0, files: Int = 0) {
    self.bytes = bytes
    self.files = files
  }
}

/// An error that describes why a transfer failed, without secrets and tokens.
public struct TransferFailure: Error, PrintableError, Sendable, Hashable {
  /// The kind of transfer failure, which determines how a queue continues.
  public enum Kind: Sendable, Hashable {
    /// The server rejects the account because of a wrong password, key or passphrase; a new token does not help.
    case account
    /// The server's host key differs from the expected host key, and the transfer is never retried.
    case hostKey
    /// The server rejects the token, or requires one that the transfer does not have; a new token can help.
    case token(TokenRequest.Reason)
    /// The token was issued for another purpose, or the user lacks a permission; a new token does not help.
    case authorization
    /// The network or the server failed temporarily, and a retry can help.
    case transport
    /// The transfer cannot succeed as requested, for example because a file is missing or an option is wrong.
    case caller
    /// The license of the engine or of the server does not permit the transfer.
    case license
    /// The token issuer provided no token because of the given error.
    case issuer(CredentialError)
    /// The transfer was cancelled.
    case cancelled
    /// The transfer failed for another or an unknown reason.
    case other
  }

  /// The kind of transfer failure.
  public let kind: Kind

  /// The engine's error code, such as 19 in ascp, or `nil` if there is no code.
  public let code: Int?

  /// A sentence that describes what failed and why.
  public let message: String

  /// A sentence that describes how to solve the problem.
  public let remedy: String

  /// Whether the engine has never reached the server, whose address is then likely to be wrong.
  package var isUnreached = false

  /// Creates a transfer failure, escaping line breaks and control characters in its message and its remedy.
  ///
  /// - Parameters:
  ///   - kind: The kind of transfer failure.
  ///   - code: The engine's error code, or `nil` if there is no code.
  ///   - message: A sentence that describes what failed and why.
  ///   - remedy: A sentence that describes how to solve the problem.
  public init(_ kind: Kind, code: Int? = nil, _ message: String, remedy: String) {
    self.kind = kind
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// A text that contains the error code, if there is one, the message and the remedy.
  public var description: String {
    "\(code.map { "\($0): " } ?? "")\(message) \(remedy)"
  }

  package static let cancelled = TransferFailure(
    .cancelled, "The session was cancelled.", remedy: "Run it again if it is still needed.")

  static let tokenRequired = TransferFailure(
    .token(.missing), "The account requires a token for each transfer; the session has neither a token nor an issuer.",
    remedy: "Give the session a token or an issuer, or the queue an issuer.")

  static let endedEarly = TransferFailure(
    .transport, "The engine ended a persistent session before it was finished.",
    remedy: "Look at the engine's log; the server may end sessions that are idle.")

  package static let undividable = TransferFailure(
    .caller, "The transfer specification has multi_session, and a persistent session cannot be divided into several.",
    remedy: "Leave multi_session out, or add the paths before the session starts.")

  static func tokensTooShort(_ count: Int) -> TransferFailure {
    TransferFailure(
      .token(.expired), "\(count) consecutive tokens had become too short-lived before the transfer could start.",
      remedy: "Let the issuer give tokens a longer lifetime, or reduce startSpacing and tokenMargin of the queue.")
  }

  static func fixedTokenEnded(_ expiration: Timestamp?) -> TransferFailure {
    TransferFailure(
      .token(.expired),
      "The token of the session expired\(expiration.map { " at \($0)" } ?? ""), before the transfer began.",
      remedy: "Give the session an issuer, which can provide another token.")
  }

  static func unsignable(_ error: SigningError) -> TransferFailure {
    TransferFailure(.caller, "The transfer cannot be signed: \(error.message)", remedy: error.remedy)
  }

  init(account error: CredentialError) {
    self.init(.account, "\(error.source) provided no account: \(error.message)", remedy: error.remedy)
  }

  init(issuer error: CredentialError) {
    self.init(.issuer(error), "\(error.source) provided no token: \(error.message)", remedy: error.remedy)
  }

  /// Returns the same failure with a count, such as the number of retries, appended to its message.
  func after(_ count: Int, _ what: String) -> TransferFailure {
    TransferFailure(kind, code: code, "\(message) \(count) \(what).", remedy: remedy)
  }

  /// The same failure with advice for a session that has a fixed token and no issuer.
  var withoutIssuer: TransferFailure {
    TransferFailure(
      kind, code: code, "\(message) The session has a fixed token and no issuer.",
      remedy: "\(remedy) A session with an issuer gets another token automatically.")
  }

  /// The same failure with advice for a transfer whose bearer token lacks the tags that it needs.
  var withoutTags: TransferFailure {
    TransferFailure(
      kind, code: code, "\(message) The token is a bearer token, and the tags do not name its access key.",
      remedy: "Set aspera.node.access_key and aspera.node.file_id in the tags: a server checks bearer tokens by them.")
  }

  /// The same failure with advice for an account that was accepted before, while several sessions are active.
  var underBurst: TransferFailure {
    TransferFailure(
      kind, code: code, "\(message) The server accepted this account before, and several sessions are active.",
      remedy: "\(remedy) If the account is right, the server may limit simultaneous logins: increase startSpacing.")
  }

  var isAboutToken: Bool {
    switch kind {
    case .token, .authorization: true
    default: false
    }
  }

  /// Creates a transfer failure from ascp's error code and text.
  ///
  /// The message contains the number and the name of the error code, and quotes the text. The quoted text is on one
  /// line, is truncated if it is long, and contains neither the given secrets nor words that look like tokens.
  ///
  /// - Parameters:
  ///   - code: The field `Code` of the last management frame, or `nil` if ascp exited without a final frame.
  ///   - text: The field `Description` of the last management frame, or ascp's printed output.
  ///   - secrets: The secrets to mask in the quoted text: the password, the passphrase and the token of the transfer.
  public init(ascpCode code: Int?, text: String, masking secrets: [Secret] = []) {
    let (kind, remedy) = AscpErrorCode.classify(code: code, text: text).meaning
    let name = code.flatMap { AscpErrorCode($0)?.name }
    let said = SecretMask(secrets).applied(to: text).quotable
    let what = [code.map { "ascp ended with \($0)" } ?? "ascp ended without a code", name.map { "(\($0))" }]
    self.init(
      code == Self.userCancel ? .cancelled : kind, code: code,
      what.compactMap(\.self).joined(separator: " ")
        + (said.isEmpty ? "." : ": \(said.hasSuffix(".") ? said : said + ".")"),
      remedy: remedy)
  }

  /// The ascp error code `USER_CANCEL`, which means that the transfer was cancelled by another party than the queue.
  private static let userCancel = 28
}

extension AscpFailureClass {
  /// The kind of a failure of this class, and what can be done about it.
  fileprivate var meaning: (kind: TransferFailure.Kind, remedy: String) {
    switch self {
    case .account:
      (
        .account,
        "Check the user, the password, the key and its passphrase; ascp uses the same code for an SSH server that is too "
          + "new or too busy for this ascp."
      )
    case .hostKey:
      (.hostKey, "Ask the server's administrator for the fingerprint of its host key; do not disable the check.")
    case .tokenExpired: (.token(.expired), "Get a new token; check the clocks if it was new.")
    case .tokenRejected: (.token(.rejected), "Get a new token for this server, this direction and these paths.")
    case .tokenMissing:
      (.token(.missing), "Give the transfer a token: the server requires one from this account.")
    case .authorizationDenied:
      (
        .authorization,
        "Check that the token is for this user, this direction and these files, and that the user may do this."
      )
    case .transport:
      (.transport, "Try again; if it still fails, check the network, the ports of the account and the server's load.")
    case .caller: (.caller, "Check the paths, the options and the files of the transfer.")
    case .license: (.license, "Check the licences of ascp and of the server.")
    case .other: (.other, "Look the code up in the documentation of ascp, and at the logs of both sides.")
    }
  }
}

extension String {
  /// The text on one line of limited length, with words that look like tokens masked.
  fileprivate var quotable: String {
    let line = String(String.UnicodeScalarView(unicodeScalars.map { $0.isVisible ? $0 : " " }))
    var words: [Substring] = []
    for word in line.words(between: " ") {
      let isCredential = ["basic", "bearer"].contains(words.last?.lowercased()) && word.utf8.count > 12
      words.append(isCredential || word.holdsToken ? Secret.mask[...] : word)
    }
    let text = words.joined(separator: " ")
    return text.count > Self.longestQuote ? text.prefix(Self.longestQuote) + "…" : text
  }

  private static let longestQuote = 300
}

extension Substring {
  /// Whether the word contains a transfer token, such as `ATM2_…`.
  fileprivate var holdsToken: Bool {
    ["ATB", "ATM"].contains { head in ["2", "3", "4"].contains { String(self).containsBytes(of: "\(head)\($0)_") } }
  }
}

extension Unicode.Scalar {
  /// Whether the character neither moves the cursor nor changes the text direction.
  fileprivate var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}
