// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An ascp error code, as in the field `Code` of a management frame.
///
/// The codes and their names are those of aspera-cli (`ascp/management.rb`). ascp's log (`errcode=`) uses different
/// numbers.
public struct AscpErrorCode: Sendable, Hashable {
  /// The number of the error code.
  public let code: Int

  /// The name of the error code in Aspera's tools, such as `AUTH`.
  public let name: String

  /// The class of failures that the error code indicates, unless the error text narrows the class down.
  public let failureClass: AscpFailureClass

  /// A Boolean value that indicates whether, based only on the error code, the same transfer can succeed later.
  ///
  /// The retryable codes are those of aspera-cli, except 37, which like 34 indicates an authorization failure.
  public var isRetryable: Bool { failureClass.isRetryable }

  /// Looks up an error code by its number, or returns `nil` if the number is unknown.
  ///
  /// - Parameter code: The number in a management frame.
  public init?(_ code: Int) {
    guard Self.all.indices.contains(code) else { return nil }
    self = Self.all[code]
  }

  private init(code: Int, name: String, failureClass: AscpFailureClass) {
    self.code = code
    self.name = name
    self.failureClass = failureClass
  }

  /// All error codes, sorted by their numbers, which start at 0 and have no gaps.
  public static let all: [AscpErrorCode] = table.enumerated().map { code, row in
    AscpErrorCode(code: code, name: row.name, failureClass: row.meaning)
  }

  private static let table: [(name: String, meaning: AscpFailureClass)] = [
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
}
