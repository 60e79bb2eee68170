// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth

/// A filter that turns strings from other systems into one short line for error messages and masks confidential values.
package struct ServiceText: Sendable {
  private static let characterLimit = 300
  private let mask: SecretMask

  /// Creates a filter that masks values, both verbatim and encoded for a URL.
  package init(masking masks: [Secret] = []) { mask = SecretMask(masks) }

  /// Returns a string as one line of at most 300 characters, with values masked and without control characters.
  package func shown(_ text: String) -> String {
    // The whole text is masked before it is shortened, because a mask does not recognize a part of a secret.
    let line = mask.applied(to: text).split(whereSeparator: { $0.isWhitespace || $0.isNewline }).joined(separator: " ")
    let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    // A secret that the text contains with control characters in it is recognizable only without them.
    let visible = mask.applied(to: String(String.UnicodeScalarView(scalars)))
    return visible.count > Self.characterLimit ? visible.prefix(Self.characterLimit) + "…" : visible
  }
}

extension ServiceCall {
  /// The values of at least eight characters in the query, the body and other headers, which may contain a login.
  package var confidentialValues: [Secret] {
    let plain: Set<HTTPField.Name> = [.accept, .contentType, .contentLength, .userAgent]
    let values = request.headerFields.filter { !plain.contains($0.name) }.map(\.value)
    let texts = values + [query, String(decoding: body, as: UTF8.self)]
    return texts.flatMap { text in
      text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "-._~+/%".contains($0)) }
        .filter { $0.count >= 8 }.map { Secret(String($0)) }
    }
  }
}
