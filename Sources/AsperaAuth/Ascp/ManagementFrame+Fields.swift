extension ManagementFrame {
  /// What the frame tells (`Type`); nothing if the field is missing.
  package var kind: Kind? { self["Type"].map { Kind(rawValue: $0) } }

  /// The code of an error (`Code`), see ``AscpErrorCode``.
  package var code: Int? { integer("Code") }

  /// What happened (`Description`), in ascp's words.
  package var errorDescription: String? { self["Description"] }

  /// The session (`SessionId`).
  package var sessionID: String? { self["SessionId"] }

  /// The file that the frame is about (`File`, or `Source` where there is no file).
  package var file: String? { self["File"] ?? self["Source"] }

  /// How many bytes of content are through in this session: what was sent, and what was there before it resumed
  /// (`TransferBytes` and `StartByte`).
  package var bytes: Int64? {
    guard let transferred: Int64 = integer("TransferBytes") else { return nil }
    let (sum, overflow) = transferred.addingReportingOverflow(integer("StartByte") ?? 0)
    return overflow ? nil : sum
  }

  /// How many bytes of content there are in all (`PreTransferBytes`), where the server told.
  package var totalBytes: Int64? { integer("PreTransferBytes") }

  /// How many bytes the file has (`Size`).
  package var fileBytes: Int64? { integer("Size") }

  /// The whole number in a field, exactly; nothing if there is none or if it does not fit.
  ///
  /// Some numbers, such as `RateCap`, are larger than what a floating-point number holds.
  package func integer<Number: FixedWidthInteger>(_ name: String, as type: Number.Type = Number.self) -> Number? {
    self[name].flatMap { Number($0) }
  }

  /// The truth value in a field, which is written `Yes` or `No`.
  package func truth(_ name: String) -> Bool? {
    switch self[name]?.lowercased() {
    case "yes": true
    case "no": false
    default: nil
    }
  }

  /// Whether it is the last frame of a session.
  package var isTerminal: Bool { kind == .done || kind == .error }

  /// Whether the frame proves that the server has taken the account and the token.
  ///
  /// `SESSION` proves nothing: ascp sends it before the account is checked, also where the next frame is the refusal.
  /// `STATS`, `NOTIFICATION` and a `DONE` without an error come only after it.
  package var provesAuthentication: Bool {
    switch kind {
    case .statistics, .notification: true
    case .done: (code ?? 0) == 0
    default: false
    }
  }

  /// What a failure means, by its code and its text; nothing for a frame that is no error.
  package var failureClass: AscpFailureClass? {
    guard kind == .error || kind == .fileError || (kind == .done && (code ?? 0) != 0) else { return nil }
    return AscpErrorCode.classify(code: code, text: errorDescription ?? "")
  }
}
