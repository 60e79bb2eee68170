// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth

/// Readers of ascp's frames and errors.
extension Reader {
  static let ascp = [frames, errorTexts]

  private static let frameGrowths = [1, 64, 1 << 20].flatMap { chunk in
    Growth.bytes(
      [
        "many frames, in pieces of \(chunk)": { repeated("FASPMGR 2\nType: STATS\nBytescont: 1\n\n", to: $0) },
        "many fields, in pieces of \(chunk)": { "FASPMGR 2\n" + numbered(to: $0) { "F\($0): v\n" } + "\n" },
        "one field again and again, in pieces of \(chunk)": { "FASPMGR 2\n" + repeated("F: v\n", to: $0) + "\n" },
        "a long line, in pieces of \(chunk)": { "FASPMGR 2\nF: " + repeated("v", to: $0) },
        "no frames, in pieces of \(chunk)": { repeated("x\n", to: $0) },
        "line ends, in pieces of \(chunk)": { repeated("\r\n", to: $0) },
      ], size: chunk == 1 ? 1024 : Growth.usualSize
    ) { bytes in
      var parser = ManagementFrameParser()
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        _ = parser.feed(bytes[start..<min(bytes.count, start + chunk)])
      }
      _ = parser.finish()
    }
  }

  private static let frames = Reader(name: "management-frames", growths: .rows(frameGrowths)) { input, random in
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
    _ = (
      frame.kind, frame.code, frame.transferredByteCount, frame.totalByteCount, frame.failureClass,
      frame.provesAuthentication
    )
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

  private static let errorGrowths = Growths.bytes([
    "words": { repeated("token expired ", to: $0) }, "one letter": { repeated("t", to: $0) },
    "almost tokens": { repeated("ATM", to: $0) }, "spaces": { repeated(" ", to: $0) },
  ]) { bytes in _ = AscpErrorCode.classify(code: 1, text: String(decoding: bytes, as: UTF8.self)) }

  private static let errorTexts = Reader(name: "error-texts", growths: errorGrowths) { input, random in
    let text = String(decoding: input, as: UTF8.self)
    let code = random.below(80) - 5
    let meaning = AscpErrorCode.classify(code: code, text: text)
    let isCuredByToken = [.tokenExpired, .tokenRejected, .tokenMissing].contains(meaning)
    try require(!isCuredByToken || code == 34 || code == 37, "a code other than 34 and 37 requires a new token")
    return AscpErrorCode.classify(code: nil, text: text) != .other
  }
}
