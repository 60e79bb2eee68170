package import HTTPTypes

extension HTTPField.Name {
  /// The Content-MD5 header (RFC 1864).
  package static let contentMD5 = known("Content-MD5")

  /// Makes a name of text that is a token (RFC 9110, section 5.6.2) by the way it is written in the source.
  ///
  /// A typo ends a debug build where the name is made. In a release build it gives a name that is sent by no program and
  /// read by none, in place of another header's.
  package static func known(
    _ text: StaticString, file: StaticString = #fileID, line: UInt = #line
  ) -> HTTPField.Name {
    if let name = HTTPField.Name(text.description) { return name }
    assertionFailure("\"\(text)\" is no name of a header.", file: file, line: line)
    return mistyped
  }

  /// What stands for a name that is none; the fallback is for the type checker alone.
  static let mistyped = HTTPField.Name("x-mistyped-name") ?? .date
}
