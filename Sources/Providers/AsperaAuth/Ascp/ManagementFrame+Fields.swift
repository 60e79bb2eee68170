// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension ManagementFrame {
  /// The kind of frame (`Type`), or `nil` if the field is missing.
  package var kind: Kind? { self["Type"].map { Kind(rawValue: $0) } }

  /// The error code in the frame (`Code`), or `nil` if the frame has none.
  ///
  /// See ``AscpErrorCode``.
  package var code: Int? { integer("Code") }

  /// The error text in the frame (`Description`), unchanged, or `nil` if the field is missing.
  package var errorDescription: String? { self["Description"] }

  /// The session ID in the frame (`SessionId`), or `nil` if the field is missing.
  package var sessionID: String? { self["SessionId"] }

  /// The path of the file that the frame is about (`File`, or else `Source`), or `nil` if both fields are missing.
  package var file: String? { self["File"] ?? self["Source"] }

  /// The number of content bytes that have been transferred, or `nil` if it is not reported.
  ///
  /// The number is the sum of `TransferBytes`, which this session transferred, and `StartByte`, at which the session
  /// resumed.
  package var bytes: Int64? {
    guard let transferred: Int64 = integer("TransferBytes") else { return nil }
    let (sum, overflow) = transferred.addingReportingOverflow(integer("StartByte") ?? 0)
    return overflow ? nil : sum
  }

  /// The number of content bytes in the whole transfer (`PreTransferBytes`), or `nil` if it is not reported.
  package var totalBytes: Int64? { integer("PreTransferBytes") }

  /// The file size in bytes (`Size`), or `nil` if it is not reported.
  package var fileBytes: Int64? { integer("Size") }

  /// Returns the integer in a field, or `nil` if the field is missing, is not an integer or is out of range.
  ///
  /// Integers are parsed exactly, because some, such as `RateCap`, are too large for an exact floating-point number.
  package func integer<Number: FixedWidthInteger>(_ name: String, as type: Number.Type = Number.self) -> Number? {
    self[name].flatMap { Number($0) }
  }

  /// Returns the Boolean value in a field, which is `Yes` or `No`, or `nil` if the field is missing or has another
  /// value.
  package func truth(_ name: String) -> Bool? {
    switch self[name]?.lowercased() {
    case "yes": true
    case "no": false
    default: nil
    }
  }

  /// Whether the frame is the last frame of a session.
  package var isTerminal: Bool { kind == .done || kind == .error }

  /// Whether the frame proves that the server has accepted the account and the token.
  ///
  /// ascp sends `SESSION` before the server checks the account, even if the next frame reports a rejection. `STATS`,
  /// `NOTIFICATION` and a `DONE` without an error are sent only after the check.
  package var provesAuthentication: Bool {
    switch kind {
    case .statistics, .notification: true
    case .done: (code ?? 0) == 0
    default: false
    }
  }

  /// The class of the failure that the frame reports, or `nil` if the frame reports no failure.
  package var failureClass: AscpFailureClass? {
    guard kind == .error || kind == .fileError || (kind == .done && (code ?? 0) != 0) else { return nil }
    return AscpErrorCode.classify(code: code, text: errorDescription ?? "")
  }
}
