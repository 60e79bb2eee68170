package import HTTPTypes

extension HTTPField.Name {
  /// The Content-MD5 header (RFC 1864).
  package static let contentMD5 = known("Content-MD5")

  /// A name that is known to be a token at compile time; the fallback is for the type checker alone.
  package static func known(_ name: StaticString) -> HTTPField.Name {
    HTTPField.Name(name.description) ?? .date
  }
}
