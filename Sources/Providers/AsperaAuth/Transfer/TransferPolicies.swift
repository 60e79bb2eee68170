// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A cipher that encrypts the data of a transfer between the client and the server.
public enum TransferCipher: String, Sendable, Hashable, CaseIterable {
  /// The cipher that the server chooses, or AES-128 if the server does not choose one. Encryption stays on.
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

  /// The cipher names in ascp's arguments, which contain no hyphens, by the names in specifications.
  static let namesForAscp = Dictionary(
    allCases.map { ($0.rawValue, $0.rawValue.replacing("-", with: "")) }, uniquingKeysWith: { first, _ in first })

  /// The cipher names in ascp's arguments that differ from those in specifications.
  static let rawValuesWithoutHyphens = namesForAscp.filter { $0.key != $0.value }.values.sorted()

  /// Creates a cipher from its name in ascp's arguments; the result is `nil` if ascp has no such cipher.
  init?(nameForAscp name: String) {
    guard let rawValue = Self.namesForAscp.first(where: { $0.value == name })?.key else { return nil }
    self.init(rawValue: rawValue)
  }
}

/// A policy for sharing bandwidth with other traffic on the network.
public enum RatePolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that uses only the bandwidth that other traffic does not use.
  case low
  /// A policy that uses the same share of the bandwidth as other traffic.
  case fair
  /// A policy that uses twice the bandwidth share of a `fair` transfer.
  case high
  /// A policy that uses the target rate, regardless of other traffic.
  case fixed
}

/// A comparison of the source and the destination before ascp resumes the transfer of an interrupted file.
public enum ResumePolicy: String, Sendable, Hashable, CaseIterable {
  /// No comparison. The file is transferred again from its beginning.
  case none
  /// A comparison of the file attributes.
  case attributes = "attrs"
  /// A comparison of the file attributes and of a checksum of parts of the file.
  case sparseChecksum = "sparse_csum"
  /// A comparison of the file attributes and of a checksum of the whole file.
  case fullChecksum = "full_csum"

  /// The numbers by which ascp's arguments refer to the policies, by the names in specifications.
  static let namesForAscp = Dictionary(
    allCases.enumerated().map { ($0.element.rawValue, "\($0.offset)") }, uniquingKeysWith: { first, _ in first })
}

/// A policy for existing files at the destination that have the name of a source file (`overwrite`).
///
/// The resume policy determines which files count as different: all of them with ``ResumePolicy/none``.
public enum OverwritePolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that overwrites no existing file.
  case never
  /// A policy that overwrites every existing file.
  case always
  /// A policy that overwrites files that differ from the source, which is the default of ascp.
  case different = "diff"
  /// A policy that overwrites files that are older than the source.
  case older
  /// A policy that overwrites files that differ from the source and are older.
  case differentAndOlder = "diff+older"
}

/// A policy for symbolic links among the source files (`symlink_policy`).
public enum SymbolicLinkPolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that transfers the target of a link, which is the default of ascp.
  case follow
  /// A policy that transfers the link itself, unless a file with its name exists at the destination.
  case copy
  /// A policy that transfers the link itself, and replaces a file with its name at the destination.
  case copyAndReplace = "copy+force"
  /// A policy that skips symbolic links.
  case skip
}

/// The client-side encryption or decryption of files, with which the server stores only encrypted files.
public enum ContentProtection: String, Sendable, Hashable, CaseIterable {
  case encrypt
  case decrypt
}

/// The use of HTTP for a transfer whose data cannot be sent over UDP.
public enum HTTPFallback: Sendable, Hashable {
  /// A transfer that never uses HTTP and fails if data cannot be sent over UDP.
  case off
  /// A transfer that falls back to HTTP if data cannot be sent over UDP.
  case on
  /// A transfer that uses HTTP from its start.
  case force
}

extension CaseIterable where Self: RawRepresentable<String> {
  static var rawValues: [String] { allCases.map(\.rawValue) }
}
