/// How the data is encrypted on its way.
public enum TransferCipher: String, Sendable, Hashable, CaseIterable {
  /// What the server wants, or AES-128: this is not "off".
  case none
  case aes128 = "aes-128"
  case aes192 = "aes-192"
  case aes256 = "aes-256"
  case aes128CFB = "aes-128-cfb"
  case aes192CFB = "aes-192-cfb"
  case aes256CFB = "aes-256-cfb"
  case aes128GCM = "aes-128-gcm"
  case aes192GCM = "aes-192-gcm"
  case aes256GCM = "aes-256-gcm"

  /// What ascp calls it: the same without hyphens.
  static let namesForAscp = Dictionary(
    allCases.map { ($0.rawValue, $0.rawValue.replacing("-", with: "")) }, uniquingKeysWith: { first, _ in first })
}

/// How a transfer shares the line with others.
public enum RatePolicy: String, Sendable, Hashable, CaseIterable {
  /// Only what nobody else uses.
  case low
  /// As much as the others.
  case fair
  /// Twice as much as a fair transfer.
  case high
  /// The target rate, whatever the line can do.
  case fixed
}

/// What is compared before an interrupted file is resumed.
public enum ResumePolicy: String, Sendable, Hashable, CaseIterable {
  /// Nothing: it is transferred again.
  case none
  /// Its attributes.
  case attributes = "attrs"
  /// Its attributes and a checksum of parts of it.
  case sparseChecksum = "sparse_csum"
  /// Its attributes and a checksum of all of it.
  case fullChecksum = "full_csum"

  /// What ascp calls it: a number.
  static let namesForAscp = Dictionary(
    allCases.enumerated().map { ($0.element.rawValue, "\($0.offset)") }, uniquingKeysWith: { first, _ in first })
}

/// Which files at the destination are overwritten with files of the same name (`overwrite`).
///
/// What differs is decided by the resume policy: without one every file does.
public enum OverwritePolicy: String, Sendable, Hashable, CaseIterable {
  /// None.
  case never
  /// All of them.
  case always
  /// Those that differ, as ascp does it if nothing is said.
  case different = "diff"
  /// Those that are older than the source.
  case older
  /// Those that differ and are older than the source.
  case differentAndOlder = "diff+older"
}

/// What happens to symbolic links among the sources (`symlink_policy`).
public enum SymbolicLinkPolicy: String, Sendable, Hashable, CaseIterable {
  /// What they lead to is transferred, as ascp does it if nothing is said.
  case follow
  /// The link is transferred, unless something of its name is at the destination.
  case copy
  /// The link is transferred and replaces a file of its name.
  case copyAndReplace = "copy+force"
  /// They are left out.
  case skip
}

/// Whether files are encrypted or decrypted by the client, so that the server holds them encrypted.
public enum ContentProtection: String, Sendable, Hashable, CaseIterable {
  case encrypt
  case decrypt
}

/// What happens if the data does not get through over UDP.
public enum HTTPFallback: Sendable, Hashable {
  /// The transfer fails.
  case off
  /// It goes over HTTP.
  case on
  /// It goes over HTTP from the start.
  case force
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The words of the specification.
  static var words: [String] { allCases.map(\.rawValue) }
}
