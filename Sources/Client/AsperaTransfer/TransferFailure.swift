// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An error that describes why a transfer failed, without secrets and tokens.
public struct TransferFailure: Error, PrintableError, Sendable, Hashable {
  /// The kind of transfer failure, which determines how a queue continues.
  public enum Kind: Sendable, Hashable {
    /// The server rejects the account's password, key or passphrase, or the queue's source of accounts provides none.
    ///
    /// Neither a new token nor a retry helps, and repeated logins with a wrong password could lock the account.
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
  package var neverReachedServer = false

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
  public var description: String { "\(code.map { "\($0): " } ?? "")\(message) \(remedy)" }

  package static let cancelled = TransferFailure(
    .cancelled, "The session was cancelled.", remedy: "Run it again if it is still needed.")

  static let tokenRequired = TransferFailure(
    .token(.missing), "The account requires a token for each transfer; the session has neither a token nor an issuer.",
    remedy: "Give the session a token or an issuer, or the queue an issuer.")

  package static let endedEarly = TransferFailure(
    .transport, "The engine ended a persistent session before it was finished.",
    remedy: "Look at the engine's log; the server may end sessions that are idle.")

  package static let cannotDividePersistentSession = TransferFailure(
    .caller, "The transfer specification has multi_session, and a persistent session cannot be divided into several.",
    remedy: "Leave multi_session out, or add the paths before the session starts.")

  static func tokensTooShort(_ count: Int) -> TransferFailure {
    TransferFailure(
      .token(.expired), "\(count) consecutive tokens had become too short-lived before the transfer could start.",
      remedy: "Let the issuer give tokens a longer lifetime, or reduce startSpacing and tokenMargin of the queue.")
  }

  static func fixedTokenExpired(_ expiration: Timestamp?) -> TransferFailure {
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

  func appending(_ sentence: String) -> TransferFailure { copy(message: "\(message) \(sentence)") }

  var advisingIssuer: TransferFailure {
    copy(
      message: "\(message) The session has a fixed token and no issuer.",
      remedy: "\(remedy) A session with an issuer gets another token automatically.")
  }

  var advisingTags: TransferFailure {
    copy(
      message: "\(message) The token is a bearer token, and the tags do not name its access key.",
      remedy: "Set aspera.node.access_key and aspera.node.file_id in the tags: a server checks bearer tokens by them.")
  }

  var advisingStartSpacing: TransferFailure {
    copy(
      message: "\(message) The server accepted this account before, and several sessions are active.",
      remedy: "\(remedy) If the account is right, the server may limit simultaneous logins: increase startSpacing.")
  }

  private func copy(message: String, remedy: String? = nil) -> TransferFailure {
    var failure = TransferFailure(kind, code: code, message, remedy: remedy ?? self.remedy)
    failure.neverReachedServer = neverReachedServer
    return failure
  }

  /// Whether the server rejects the token, which it also does if the tags of a bearer token are missing.
  var isAboutToken: Bool { if case .token = kind { true } else { kind == .authorization } }
}

extension TransferFailure {
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
    let (kind, remedy) = AscpErrorCode.classify(code: code, text: text).kindAndRemedy
    let name = code.flatMap { AscpErrorCode($0)?.name }.map { " (\($0))" } ?? ""
    let quotation = SecretMask(secrets).applied(to: text).quotation
    let heading = code.map { "ascp ended with \($0)\(name)" } ?? "ascp ended without a code"
    let message = quotation.isEmpty ? heading : "\(heading): \(quotation)"
    self.init(
      code == Self.userCancelCode ? .cancelled : kind, code: code, message.hasSuffix(".") ? message : "\(message).",
      remedy: remedy)
  }

  /// The ascp error code `USER_CANCEL`, which means that the transfer was cancelled by another party than the queue.
  private static let userCancelCode = 28
}

extension AscpFailureClass {
  fileprivate var kindAndRemedy: (kind: TransferFailure.Kind, remedy: String) {
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
    case .tokenMissing: (.token(.missing), "Give the transfer a token: the server requires one from this account.")
    case .authorizationDenied:
      (.authorization, "Check that the token is for this user, direction and files, and that the user may do this.")
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
  fileprivate var quotation: String {
    let line = String(String.UnicodeScalarView(unicodeScalars.map { $0.isVisible ? $0 : " " }))
    var words: [Substring] = []
    for word in line.words(between: " ") {
      // A scheme can directly follow other text, as in `Authorization:Basic` or a quotation mark.
      let lastWord = words.last?.lowercased() ?? ""
      let followsScheme = ["basic", "bearer"].contains { lastWord.hasByteSuffix($0) }
      let isCredential = followsScheme && word.utf8.count > Self.plainWordByteLimit
      words.append(isCredential || word.containsTransferToken ? Secret.mask[...] : word)
    }
    let text = words.joined(separator: " ")
    return text.count > Self.quotationLimit ? text.prefix(Self.quotationLimit) + "…" : text
  }

  private static let quotationLimit = 300
  /// The maximum length of a word that is quoted after "basic" or "bearer"; longer words can be credentials.
  private static let plainWordByteLimit = 12
}

extension Substring {
  /// Whether the word contains the start of a transfer token: `ATB` or `ATM`, a version from 2 to 4, an underscore.
  fileprivate var containsTransferToken: Bool {
    ["ATB", "ATM"].contains { type in
      ["2", "3", "4"].contains { version in String(self).containsBytes(of: "\(type)\(version)_") }
    }
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
