internal import StorageAuth

/// Takes the secrets of an attempt out of texts that ascp wrote.
struct SecretMask: Sendable {
  private let secrets: [Secret]

  /// - Parameter secrets: The secrets; of one with several lines, each line counts, and of a token the part after its kind.
  init(_ secrets: some Sequence<Secret>) {
    let parts = secrets.flatMap { secret in
      let text = secret.reveal()
      let value = ["Basic ", "Bearer "].first { text.hasPrefix($0) }.map { String(text.dropFirst($0.count)) }
      return text.split(whereSeparator: \.isNewline).map(String.init) + (value.map { [$0] } ?? [])
    }
    // Whole secrets go before parts of them.
    self.secrets = parts.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.map { Secret($0) }
  }

  /// The text with each secret replaced.
  func applied(to text: String) -> String {
    var bytes = Array(text.utf8)
    for secret in secrets {
      let parts = bytes.split(separator: Array(secret.reveal().utf8), omittingEmptySubsequences: false)
      bytes = Array(parts.joined(separator: Array(Secret.mask.utf8)))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
