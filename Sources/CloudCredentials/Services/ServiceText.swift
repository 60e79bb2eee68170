internal import HTTPTypes
package import StorageAuth

/// Makes what came from elsewhere fit for an error: one short line, without what must not be seen.
package struct ServiceText: Sendable {
  /// The most characters of a message.
  private static let limit = 300
  private let mask: SecretMask

  /// - Parameter masks: What must not be seen, as it is or encoded for a URL.
  package init(masking masks: [Secret] = []) {
    mask = SecretMask(masks)
  }

  /// The text, fit to be shown.
  package func shown(_ text: String) -> String {
    // A longer text is not searched for secrets to its end, so nothing of that part may be shown.
    let text = mask.applied(to: String(text.prefix(16 * Self.limit)))
    let line = text.split(whereSeparator: { $0.isWhitespace || $0.isNewline }).joined(separator: " ")
    let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    let visible = String(String.UnicodeScalarView(scalars))
    return visible.count > Self.limit ? visible.prefix(Self.limit) + "…" : visible
  }
}

extension ServiceCall {
  /// What of a call an app may have put a login into: the words of its query, its body and its own headers.
  var confidentialWords: [Secret] {
    let plain: Set<HTTPField.Name> = [.accept, .contentType, .contentLength, .userAgent]
    let values = request.headerFields.filter { !plain.contains($0.name) }.map(\.value)
    let texts = values + [query, String(decoding: body, as: UTF8.self)]
    return texts.flatMap { text in
      text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "-._~+/%".contains($0)) }
        .filter { $0.count >= 8 }.map { Secret(String($0)) }
    }
  }
}
