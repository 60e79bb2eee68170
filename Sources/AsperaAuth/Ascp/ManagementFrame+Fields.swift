// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension ManagementFrame {
  /// The kind of the frame (`Type`); `nil` if the field is missing.
  package var kind: Kind? { self["Type"].map { Kind(rawValue: $0) } }

  /// The code of an error (`Code`), see ``AscpErrorCode``.
  package var code: Int? { integer("Code") }

  /// The text of an error (`Description`), as ascp wrote it.
  package var errorDescription: String? { self["Description"] }

  /// The identifier of the session (`SessionId`).
  package var sessionID: String? { self["SessionId"] }

  /// The file that the frame is about (`File`, or `Source` if that field is missing).
  package var file: String? { self["File"] ?? self["Source"] }

  /// The number of bytes of content that are complete: those that this session transferred, and those before the
  /// position at which it resumed (`TransferBytes` and `StartByte`).
  package var bytes: Int64? {
    guard let transferred: Int64 = integer("TransferBytes") else { return nil }
    let (sum, overflow) = transferred.addingReportingOverflow(integer("StartByte") ?? 0)
    return overflow ? nil : sum
  }

  /// The number of bytes of content of the whole transfer (`PreTransferBytes`); `nil` if the server did not send it.
  package var totalBytes: Int64? { integer("PreTransferBytes") }

  /// The size of the file in bytes (`Size`).
  package var fileBytes: Int64? { integer("Size") }

  /// Returns the exact integer in a field, or `nil` if the field is missing, is not an integer or does not fit.
  ///
  /// Some integers, such as `RateCap`, are larger than a floating-point number can represent exactly.
  package func integer<Number: FixedWidthInteger>(_ name: String, as type: Number.Type = Number.self) -> Number? {
    self[name].flatMap { Number($0) }
  }

  /// Returns the Boolean value in a field, which is written `Yes` or `No`.
  package func truth(_ name: String) -> Bool? {
    switch self[name]?.lowercased() {
    case "yes": true
    case "no": false
    default: nil
    }
  }

  /// Whether the frame is the last one of a session.
  package var isTerminal: Bool { kind == .done || kind == .error }

  /// Whether the frame proves that the server has accepted the account and the token.
  ///
  /// `SESSION` is no proof: ascp sends it before the server checks the account, even if the next frame reports a
  /// rejection. `STATS`, `NOTIFICATION` and a `DONE` without an error are sent only after the check.
  package var provesAuthentication: Bool {
    switch kind {
    case .statistics, .notification: true
    case .done: (code ?? 0) == 0
    default: false
    }
  }

  /// The class of the failure that the frame reports; `nil` if it reports none.
  package var failureClass: AscpFailureClass? {
    guard kind == .error || kind == .fileError || (kind == .done && (code ?? 0) != 0) else { return nil }
    return AscpErrorCode.classify(code: code, text: errorDescription ?? "")
  }
}
