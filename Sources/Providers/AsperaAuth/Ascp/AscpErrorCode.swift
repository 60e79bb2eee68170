// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An ascp error code, as in the field `Code` of a management frame.
///
/// The codes and their names are those of aspera-cli (`ascp/management.rb`), unlike those in ascp's log (`errcode=`).
public struct AscpErrorCode: Sendable, Hashable {
  /// The number of the error code.
  public let code: Int
  /// The name of the error code in Aspera's tools, such as `AUTH`.
  public let name: String
  /// The class of failures that the error code alone indicates.
  public let failureClass: AscpFailureClass

  /// Whether the same transfer can succeed later, as far as the error code indicates.
  ///
  /// The retryable codes are those of aspera-cli, except 37, which like 34 indicates an authorization failure.
  public var isRetryable: Bool { failureClass.isRetryable }

  /// All error codes, sorted by their numbers, which start at 0 and have no gaps.
  public static let all: [AscpErrorCode] = table.enumerated().map { code, row in
    AscpErrorCode(code: code, name: row.name, failureClass: row.failureClass)
  }

  private static let table: [(name: String, failureClass: AscpFailureClass)] = [
    ("UNKNOWN", .other), ("FASP_PROTO", .other), ("ASCP", .other), ("AMBIGUOUS_TARGET", .caller),
    ("NO_SUCH_FILE", .caller), ("NO_PERMS", .authorizationDenied), ("NOT_DIR", .caller), ("IS_DIR", .caller),
    ("USAGE", .caller), ("LIC_DUP", .license), ("LIC_RATE_EXCEEDED", .license), ("INTERNAL_ERROR", .other),
    ("TRANSFER_ERROR", .transport), ("TRANSFER_TIMEOUT", .transport), ("CONNECTION_ERROR", .transport),
    ("CONNECTION_TIMEOUT", .transport), ("CONNECTION_LOST", .transport), ("RCVR_SEND_ERROR", .transport),
    ("RCVR_RECV_ERROR", .transport), ("AUTH", .account), ("NOTHING", .caller), ("NOT_REGULAR", .caller),
    ("FILE_TABLE_OVR", .other), ("TOO_MANY_FILES", .transport), ("FILE_TOO_BIG", .caller), ("NO_SPACE_LEFT", .other),
    ("READ_ONLY_FS", .other), ("SOME_FILE_ERRS", .other), ("USER_CANCEL", .other), ("LIC_NOLIC", .license),
    ("LIC_EXPIRED", .license), ("SOCK_SETUP", .other), ("OUT_OF_MEMORY", .transport), ("THREAD_SPAWN", .transport),
    ("UNAUTHORIZED", .authorizationDenied), ("DISK_READ", .transport), ("DISK_WRITE", .transport),
    ("AUTHORIZATION", .authorizationDenied), ("LIC_ILLEGAL", .license), ("PEER_ABORTED_SESSION", .transport),
    ("DATA_TRANSFER_TIMEOUT", .transport), ("BAD_PATH", .caller), ("ALREADY_EXISTS", .caller),
    ("STAT_FAILS", .caller), ("PMTU_BRTT_ERROR", .transport), ("BWMEAS_ERROR", .transport), ("VLINK_ERROR", .other),
    ("CONNECTION_ERROR_HTTP", .other), ("FILE_ENCRYPTION_ERROR", .other), ("FILE_DECRYPTION_PASS", .caller),
    ("BAD_CONFIGURATION", .other), ("INSECURE_CONNECTION", .hostKey), ("START_VALIDATION_FAILED", .other),
    ("STOP_VALIDATION_FAILED", .other), ("THRESHOLD_VALIDATION_FAILED", .other), ("FILEPATH_TOO_LONG", .caller),
    ("ILLEGAL_CHARS_IN_PATH", .caller), ("CHUNK_MUST_MATCH_ALIGNMENT", .caller), ("VALIDATION_SESSION_ABORT", .other),
    ("REMOTE_STORAGE_ERROR", .other), ("LUA_SCRIPT_ABORTED_SESSION", .other), ("SSEAR_RETRYABLE", .transport),
    ("SSEAR_FATAL", .other), ("LINK_LOOP", .caller), ("CANNOT_RENAME_PARTIAL_FILES", .other),
    ("CIPHER_NON_COMPAT_FIPS", .caller), ("PEER_REQUIRES_FIPS", .caller),
  ]

  /// Classifies a failure of ascp based on its error code and its text: the fields of the last management frame.
  ///
  /// ascp has no code for an expired token. It uses 34 and 37 for every authorization failure, and words in the text
  /// distinguish these failures. A different token does not help if the user, the direction or the file list do not
  /// match, or if the server denies access to the user. Only words are matched, because whole sentences differ between
  /// versions. If ascp exited without a final frame, as with `--mode=test-login`, there is only its printed output.
  package static func classify(code: Int?, text: String) -> AscpFailureClass {
    let text = text.lowercased()
    guard let code else { return classifyOutput(lowercaseText: text) }
    switch code {
    case 34, 37: return classifyAuthorization(lowercaseText: text)
    // Code 14 is also that of a host name without an address, for which a retry does not help.
    case 14 where text.contains("target address not available"): return .caller
    default: return AscpErrorCode(code)?.failureClass ?? .other
    }
  }

  private static func classifyAuthorization(lowercaseText text: String) -> AscpFailureClass {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    guard words.contains("token"), !text.contains("match"), !text.contains("tags missing"), !deniesUser(text) else {
      return .authorizationDenied
    }
    if text.contains("expired") || text.contains("has ended") { return .tokenExpired }
    if text.contains("undefined") || text.contains("no token") || words.contains("missing") { return .tokenMissing }
    let rejections = ["denied", "invalid", "bad", "could not validate"]
    return rejections.contains { text.contains($0) } ? .tokenRejected : .authorizationDenied
  }

  /// Returns whether the text denies a user, whose name can be any word, as in `user token denied by server`.
  private static func deniesUser(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    return words.indices.dropLast(2).contains { words[$0] == "user" && words[$0 + 2] == "denied" }
  }

  /// Classifies printed output, for which the words of the most specific failures are searched first.
  private static func classifyOutput(lowercaseText text: String) -> AscpFailureClass {
    if text.contains("authenticat") && !text.contains("token") { return .account }
    if text.contains("not who we expected") || text.contains("fingerprint") { return .hostKey }
    let temporaryFailures = ["tcp connection", "timed out", "timeout", "connection lost", "connection refused"]
    let isTemporary = temporaryFailures.contains { text.contains($0) }
    // The path of a license file does not explain a failure of the network.
    if text.contains("licen"), !isTemporary { return .license }
    if text.contains("token") || text.contains("authorization") { return classifyAuthorization(lowercaseText: text) }
    return isTemporary ? .transport : .other
  }
}

extension AscpErrorCode {
  /// Looks up an error code by its number, or returns `nil` if the number is unknown.
  ///
  /// - Parameter code: The number in a management frame.
  public init?(_ code: Int) {
    guard Self.all.indices.contains(code) else { return nil }
    self = Self.all[code]
  }
}

/// A class of ascp failures, which determines whether a retry or a new token can help.
public enum AscpFailureClass: String, Sendable, Hashable, CaseIterable {
  /// The server rejects the account, for which neither a new token nor a retry helps.
  case account
  /// The server's host key differs from the expected host key, and the transfer is never retried.
  case hostKey
  /// The token has expired, and a new token helps.
  case tokenExpired
  /// The server rejects the token, and a new token can help.
  case tokenRejected
  /// The server requires a token, which the transfer does not have and which can help.
  case tokenMissing
  /// The user lacks a permission, or the token is for another user, direction or file list; a new token does not help.
  case authorizationDenied
  /// The network or the server failed temporarily, and a retry can help.
  case transport
  /// The transfer cannot succeed as requested.
  case caller
  /// The license of ascp or of the server does not permit the transfer.
  case license
  /// The transfer failed for another reason, and a retry does not help.
  case other

  /// Whether the same transfer with the same token can succeed later.
  public var isRetryable: Bool { self == .transport }
}
