// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The encodings in which editors save the text of a key.
extension [UInt8] {
  /// Whether the text is encoded in UTF-16, with a byte order mark or, as far as its first two characters show,
  /// without one.
  var isUTF16: Bool {
    if starts(with: [0xff, 0xfe]) || starts(with: [0xfe, 0xff]) { return true }
    let zeros = prefix(4).map { $0 == 0 }
    return zeros == [true, false, true, false] || zeros == [false, true, false, true]
  }
}

extension KeyPlace {
  /// Returns the error for a text in UTF-16, which no reader of keys supports.
  func utf16Error() -> AsperaError {
    error(
      .malformedKey, "is text in UTF-16, as some editors on Windows save it",
      remedy: "Save it as ASCII or UTF-8: iconv -f UTF-16 -t UTF-8 KEY > KEY.pem.")
  }
}
