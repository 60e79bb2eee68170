// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
public import StorageAuth

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
    let name = code.flatMap { AscpErrorCode($0)?.name }
    let quotation = SecretMask(secrets).applied(to: text).quotation
    let heading = [code.map { "ascp ended with \($0)" } ?? "ascp ended without a code", name.map { "(\($0))" }]
    self.init(
      code == Self.userCancelCode ? .cancelled : kind, code: code,
      heading.compactMap(\.self).joined(separator: " ")
        + (quotation.isEmpty ? "." : ": \(quotation.hasSuffix(".") ? quotation : quotation + ".")"),
      remedy: remedy)
  }

  /// The ascp error code `USER_CANCEL`, which means that the transfer was cancelled by another party than the queue.
  private static let userCancelCode = 28
}

extension AscpFailureClass {
  /// The kind of a failure of the class, and advice.
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
  fileprivate var quotation: String {
    let line = String(String.UnicodeScalarView(unicodeScalars.map { $0.isVisible ? $0 : " " }))
    var words: [Substring] = []
    for word in line.words(between: " ") {
      let followsScheme = ["basic", "bearer"].contains(words.last?.lowercased())
      let isCredential = followsScheme && word.utf8.count > Self.plainWordByteLimit
      words.append(isCredential || word.containsTransferToken ? Secret.mask[...] : word)
    }
    let text = words.joined(separator: " ")
    return text.count > Self.quotationLimit ? text.prefix(Self.quotationLimit) + "…" : text
  }

  /// The maximum number of characters that are quoted, so that an error message stays readable.
  private static let quotationLimit = 300

  /// The maximum length of a word that is quoted after "basic" or "bearer": longer ones can be credentials, while
  /// those of a sentence, such as "bearer token expired", are shorter.
  private static let plainWordByteLimit = 12
}

extension Substring {
  /// Whether the word contains a transfer token, such as `ATM2_…`.
  ///
  /// Such a token starts with `ATB` or `ATM`, a version from 2 to 4, and an underscore.
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
