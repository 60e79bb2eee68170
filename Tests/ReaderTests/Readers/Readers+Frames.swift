// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth

/// Readers of ascp's frames, errors, specifications and arguments.
extension Reader {
  static let aspera = [frames, errorTexts, specifications, arguments, grants]

  private static let frames = Reader(name: "management-frames") { input, random in
    var whole = ManagementFrameParser()
    let items = whole.feed(input) + [whole.finish()].compactMap { $0 }
    var cut = ManagementFrameParser()
    var pieces: [ManagementFrameParser.Item] = []
    var rest = input[...]
    while !rest.isEmpty {
      let count = 1 + random.below(max(4, input.count / 16))
      pieces += cut.feed(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    pieces += [cut.finish()].compactMap { $0 }
    try require(items == pieces, "splitting changes the parsed frames")
    var frames = 0
    for case .frame(let frame) in items {
      frames += 1
      try check(frame)
    }
    return frames > 0
  }

  private static func check(_ frame: ManagementFrame) throws {
    _ = (frame.kind, frame.code, frame.bytes, frame.totalBytes, frame.failureClass, frame.provesAuthentication)
    if frame["Description"]?.contains("hidden") != true {
      try require(
        !"\(frame)".contains("hidden-") || frame.names.contains { $0.contains("hidden-") || isShown($0) },
        "a secret is shown")
    }
    // A carriage return at the end of a value becomes part of the line ending when the frame is parsed again.
    guard !frame.text.contains("\r\n") else { return }
    var parser = ManagementFrameParser()
    let again = parser.feed(frame.text.utf8)
    try require(again == [.frame(frame)], "a frame differs after encoding and parsing")
  }

  /// Whether the description contains the value of a field, because a mutation can put a secret there.
  private static func isShown(_ name: String) -> Bool {
    ["type", "code", "sessionid", "direction", "operation", "transferbytes", "startbyte", "pretransferbytes"]
      .contains(name.lowercased())
  }

  private static let errorTexts = Reader(name: "error-texts") { input, random in
    let text = String(decoding: input, as: UTF8.self)
    let code = random.below(80) - 5
    let meaning = AscpErrorCode.classify(code: code, text: text)
    let isCuredByToken = [.tokenExpired, .tokenRejected, .tokenMissing].contains(meaning)
    try require(!isCuredByToken || code == 34 || code == 37, "a code other than 34 and 37 requires a new token")
    return AscpErrorCode.classify(code: nil, text: text) != .other
  }
}
