// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A cipher that encrypts the data of a transfer between client and server.
public enum TransferCipher: String, Sendable, Hashable, CaseIterable {
  /// The server's choice, or else AES-128; this value does not turn encryption off.
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

  /// The names of the ciphers in the arguments of ascp, which have no hyphens.
  static let namesForAscp = Dictionary(
    allCases.map { ($0.rawValue, $0.rawValue.replacing("-", with: "")) }, uniquingKeysWith: { first, _ in first })
}

/// A policy for sharing bandwidth with other traffic.
public enum RatePolicy: String, Sendable, Hashable, CaseIterable {
  /// Only the bandwidth that other traffic does not use.
  case low
  /// The same share as other traffic.
  case fair
  /// Twice the share of a fair transfer.
  case high
  /// The target rate, regardless of other traffic.
  case fixed
}

/// A comparison of source and destination before the transfer of an interrupted file is resumed.
public enum ResumePolicy: String, Sendable, Hashable, CaseIterable {
  /// No comparison; the file is transferred again from its beginning.
  case none
  /// A comparison of the attributes.
  case attributes = "attrs"
  /// A comparison of the attributes and a checksum of parts of the file.
  case sparseChecksum = "sparse_csum"
  /// A comparison of the attributes and a checksum of the whole file.
  case fullChecksum = "full_csum"

  /// The names of the policies in the arguments of ascp, which are numbers.
  static let namesForAscp = Dictionary(
    allCases.enumerated().map { ($0.element.rawValue, "\($0.offset)") }, uniquingKeysWith: { first, _ in first })
}

/// A policy for files at the destination that have the name of a source (`overwrite`).
///
/// The resume policy determines which files differ: without one, every file does.
public enum OverwritePolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that overwrites no file.
  case never
  /// A policy that overwrites every file.
  case always
  /// A policy that overwrites files that differ, which is the default of ascp.
  case different = "diff"
  /// A policy that overwrites files that are older than the source.
  case older
  /// A policy that overwrites files that differ and are older than the source.
  case differentAndOlder = "diff+older"
}

/// A policy for symbolic links among the sources (`symlink_policy`).
public enum SymbolicLinkPolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that transfers the target of a link, which is the default of ascp.
  case follow
  /// A policy that transfers a link, unless a file of its name exists at the destination.
  case copy
  /// A policy that transfers a link, and replaces a file of its name at the destination.
  case copyAndReplace = "copy+force"
  /// A policy that skips links.
  case skip
}

/// The encryption or decryption of files by the client, so that the server stores only encrypted files.
public enum ContentProtection: String, Sendable, Hashable, CaseIterable {
  case encrypt
  case decrypt
}

/// The behavior of a transfer whose data cannot be sent over UDP.
public enum HTTPFallback: Sendable, Hashable {
  /// No fallback: the transfer fails.
  case off
  /// A fallback to HTTP.
  case on
  /// A transfer over HTTP from its start.
  case force
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The values that a specification can contain.
  static var words: [String] { allCases.map(\.rawValue) }
}
